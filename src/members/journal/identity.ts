import { createHash, pbkdf2, randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { UsageError } from '../../errors.ts';
import { makeFolder } from './folder.ts';

const SALT_BYTES = 16;
/**
 * A twentieth of a second. A hash that fills memory instead, such as scrypt, leaves the allocator holding on to tens of
 * megabytes for the rest of the run.
 */
const KEY_ROUNDS = 50_000;

/** What makes two runs the same: with any of it different, it is another run. */
export interface RunIdentity {
  /** Digest of the list's bytes. */
  digest: string;
  /** The settings that change what is sent, in a fixed order. */
  settings: unknown;
  /** Base URL with its path; for the sandbox its state file. */
  service: string;
  /** Of the key, which chooses the organization: see `markKey`. */
  keyMark: string | Promise<string>;
}

/**
 * A salted slow hash of the key: all of it that is ever written, and that only as a part of a further hash. It takes its
 * time, which passes on another thread: best begun before the list is read.
 *
 * @param root folder that holds the runs' folders, and the salt
 * @throws what the file system refuses; UsageError for a salt that is none
 */
export async function markKey(root: string, apiKey: string): Promise<string> {
  await makeFolder(root);
  const mark = await promisify(pbkdf2)(apiKey, await saltOf(root), KEY_ROUNDS, 32, 'sha512');
  return mark.toString('hex');
}

/** The name of a run's folder: 32 hex digits that tell nothing of what they were made from. Throws as `markKey` does. */
export async function folderName({ digest, settings, service, keyMark }: RunIdentity): Promise<string> {
  const parts = [digest, JSON.stringify(settings), service, await keyMark];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

/** The salt of all runs below `root`, made once. With another one, none of them would be found again. */
async function saltOf(root: string): Promise<Buffer> {
  const path = join(root, 'salt');
  const salt = (await read(path)) ?? (await make(root, path));
  if (salt.length !== SALT_BYTES) throw notASalt(path);
  return salt;
}

function notASalt(path: string): UsageError {
  return new UsageError(
    `the file ${path} is damaged: it names the runs beside it`,
    'Nothing was sent. Bring it back, or remove it: then runs that are not finished are not found any more.',
    'journal-damaged',
  );
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Links a salt into place, so that of two processes both use the same one, and none sees half of it. */
async function make(root: string, path: string): Promise<Buffer> {
  const own = join(root, `.salt-${randomBytes(8).toString('hex')}`);
  try {
    await writeFile(own, randomBytes(SALT_BYTES), { mode: 0o600, flush: true });
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(own, { force: true });
  }
  return readFile(path);
}
