import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Writes a list of these users and returns its path. */
export function writeList(home: string, userIds: readonly string[]): string {
  mkdirSync(home, { recursive: true });
  const path = join(home, 'members.csv');
  writeFileSync(path, `userId,role\n${userIds.map((id) => `${id},member\n`).join('')}`);
  return path;
}

/** `usr_001` to the last. */
export function users(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `usr_${String(at + 1).padStart(3, '0')}`);
}

/** The directories of the runs below `home`. */
export function runDirectories(home: string): string[] {
  const runs = join(home, 'state', 'runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .filter((name) => /^[0-9a-f]{32}$/.test(name))
    .map((name) => join(runs, name));
}

/** Returns the path of the only journal below `home`; undefined if there is none. */
export function journalOf(home: string): string | undefined {
  const found = runDirectories(home)
    .map((directory) => join(directory, 'journal'))
    .filter((path) => existsSync(path));
  if (found.length > 1) throw new Error(`${found.length} journals, not one`);
  return found[0];
}

/** Changes the records of a file, and gives them valid checksums. */
export function rewriteRecords(path: string, change: (json: string) => string): void {
  let checksum = 0;
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const changed = lines.map((line) => {
    const json = change(line.slice('01234567 '.length));
    checksum = crc32(json, checksum);
    return `${checksum.toString(16).padStart(8, '0')} ${json}\n`;
  });
  writeFileSync(path, changed.join(''));
}
