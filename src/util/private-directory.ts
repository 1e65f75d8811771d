import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a directory with mode 0700, and the directories above it that are missing.
 *
 * The `recursive` option of `mkdir` is no alternative: where the system reports ENOENT for a name in a directory that
 * exists, as /proc does, Node 20 and 22 retry forever.
 *
 * @throws the error of the file system
 */
export async function makePrivateDirectory(path: string): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makePrivateDirectory(parent);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isDirectory(path))) throw error;
  }
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
