import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const ROOT_NAME = /^journals\.[0-9a-f]{16}$/;

/**
 * Records in the lock directory of a service that a journal directory is used for it. One file for each journal directory:
 * processes that run at the same time do not overwrite each other's.
 */
export async function keepRoot(directory: string, root: string): Promise<void> {
  const path = resolve(root);
  const name = `journals.${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  await writeFile(join(directory, name), JSON.stringify(path), { mode: 0o600, flush: true });
}

/** Returns the recorded journal directories that exist, except `root`, by whatever path it was used. */
export async function otherRootsIn(directory: string, root: string): Promise<string[]> {
  const seen = new Set([await fileId(root)]);
  const roots: string[] = [];
  for (const name of (await readdir(directory)).filter((entry) => ROOT_NAME.test(entry))) {
    const record = join(directory, name);
    const path = await readPath(record);
    const id = path === undefined ? undefined : await fileId(path);
    if (path === undefined || id === undefined) {
      await rm(record, { force: true });
      continue;
    }
    if (!seen.has(id)) roots.push(path);
    seen.add(id);
  }
  return roots;
}

/** Returns undefined for a file that a crash left empty or incomplete. */
async function readPath(record: string): Promise<string | undefined> {
  try {
    const path: unknown = JSON.parse(await readFile(record, 'utf8'));
    return typeof path === 'string' ? path : undefined;
  } catch {
    return undefined;
  }
}

/** Identifies a directory whatever the path that leads to it. Returns undefined where there is none. */
async function fileId(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
