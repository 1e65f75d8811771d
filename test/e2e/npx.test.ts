import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { npmEnvironment } from '../helpers/npm-environment.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { copyWorkingTree } from '../helpers/working-copy.ts';

const run = promisify(execFile);
const folder = temporaryCliDirectory();
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe('the repository', () => {
  // npm builds the program after a clone, with the packages from its cache or the registry.
  it('runs by npx from its git URL', async () => {
    const work = join(folder.path, 'work');
    copyWorkingTree(work);
    const author = ['-c', 'user.name=orgadm', '-c', 'user.email=orgadm@example.com', '-c', 'commit.gpgsign=false'];
    await run('git', ['-C', work, 'add', '--all']);
    await run('git', ['-C', work, ...author, 'commit', '--quiet', '--message', 'Everything']);
    const bare = join(folder.path, 'orgadm.git');
    await run('git', ['clone', '--quiet', '--bare', work, bare]);

    const url = `git+${pathToFileURL(bare).href}`;
    const env = npmEnvironment(join(folder.path, 'home'));
    const { stdout } = await run('npx', ['--yes', url, '--version'], { cwd: folder.path, env });
    expect(stdout).toBe(`${version}\n`);
  }, 300_000);
});
