import { execFileSync } from 'node:child_process';
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Copies the files of the repository as they are now, committed or not, and makes the copy a repository. */
export function copyWorkingTree(to: string): void {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((path) => path !== '' && existsSync(path))) cpSync(file, join(to, file));
  execFileSync('git', ['init', '--quiet', to]);
}
