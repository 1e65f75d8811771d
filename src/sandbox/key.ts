import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { withFileLock } from '../util/file-lock.ts';

/** A key that this version has generated. */
const KEY = /^sandbox_[\w-]{32}$/;

/**
 * Returns the API key of the sandbox with this state file: random, generated at its first use and kept next to the
 * state (0600). A web page or another user of the machine cannot guess it.
 *
 * @throws the error of the file system
 */
export async function readOrCreateKey(stateFile: string): Promise<string> {
  const file = `${stateFile.replace(/\.json$/, '')}.key`;
  return (await readKey(file)) ?? withFileLock(file, async () => (await readKey(file)) ?? (await createKey(file)));
}

/** The key in the file; undefined where there is none, or something else. */
async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    return KEY.test(key) ? key : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function createKey(file: string): Promise<string> {
  const key = `sandbox_${randomBytes(24).toString('base64url')}`;
  // Whoever reads half of it takes it for no key, and waits for the lock.
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
