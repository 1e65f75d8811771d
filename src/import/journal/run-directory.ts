import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a private folder (0700) with all that is missing above it. Each name is synced into the folder above, so that a
 * power cut does not take it away.
 */
export async function mkdirPrivate(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const above = dirname(path);
  if (above !== path) await mkdirPrivate(above);
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have been faster.
    if (error.code !== 'EEXIST') throw error;
  });
  await fsyncDir(above);
}

/** A new name in a folder is on disk only once the folder is. */
export async function fsyncDir(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
