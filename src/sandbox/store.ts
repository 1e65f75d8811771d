import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describeFsError, EXIT, OrgadmError } from '../util/errors.ts';
import { withFileLock } from '../util/file-lock.ts';
import { makePrivateDirectory, replaceFile } from '../util/write-file.ts';
import { seedState } from './seed/seed-state.ts';
import { type SandboxState, sandboxStateSchema } from './state.ts';

/** The state of a sandbox in a file that several processes may share. */
export interface SandboxStore {
  /** Returns the state in the file, or the initial one after a reset. Synchronous: it takes a few milliseconds. */
  read(): SandboxState;
  /** Runs `section` while no other process changes the state. */
  exclusively<T>(section: () => T): Promise<T>;
  /** Replaces the state in the file. Call it only within `exclusively`. */
  change(update: (state: SandboxState) => SandboxState): void;
}

/**
 * Opens the state file, creating it and its directory (0700).
 *
 * @throws OrgadmError when the file cannot be read or written, as all methods do
 */
export async function openSandboxStore(file: string): Promise<SandboxStore> {
  let cached: { bytes: Buffer; state: SandboxState } | undefined;

  const read = (): SandboxState => {
    const bytes = readStateFile(file);
    if (bytes === undefined) return seedState();
    // Compares the bytes, because times and inode numbers repeat when processes alternate within milliseconds.
    if (cached === undefined || !cached.bytes.equals(bytes)) cached = { bytes, state: parseState(file, bytes) };
    return cached.state;
  };

  await makeDirectory(file);
  if (readStateFile(file) === undefined) {
    await exclusively(file, () => readStateFile(file) ?? writeStateFile(file, seedState()));
  }
  read();
  return {
    read,
    exclusively: (section) => exclusively(file, section),
    change(update) {
      const state = update(read());
      cached = { bytes: writeStateFile(file, state), state };
    },
  };
}

/**
 * Runs `section` while no other process changes the state file.
 *
 * @throws OrgadmError if the file cannot be locked, in addition to what `section` throws
 */
export function exclusively<T>(file: string, section: () => T): Promise<T> {
  return withFileLock(file, section, (cause) => stateError(file, 'cannot be locked', cause));
}

async function makeDirectory(file: string): Promise<void> {
  try {
    await makePrivateDirectory(dirname(file));
  } catch (cause) {
    throw stateError(file, 'cannot be written', cause);
  }
}

/** Returns the bytes of the file, undefined if there is none. */
function readStateFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw stateError(file, 'cannot be read', cause);
  }
}

function parseState(file: string, bytes: Buffer): SandboxState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw stateError(file, 'cannot be read', cause);
  }
  const { data } = sandboxStateSchema.safeParse(parsed);
  if (data === undefined) throw stateError(file, 'is not in a format that this version can read');
  return data;
}

/**
 * Creates the file (0600) or replaces it by an atomic rename, and returns its bytes. There is no fsync: the state is
 * test data.
 */
function writeStateFile(file: string, state: SandboxState): Buffer {
  const bytes = Buffer.from(JSON.stringify(state));
  try {
    replaceFile(file, bytes, { durable: false });
    return bytes;
  } catch (cause) {
    throw stateError(file, 'cannot be written', cause);
  }
}

/**
 * Removes the file, if there is one.
 *
 * @throws OrgadmError when it cannot be removed
 */
export function removeStateFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (cause) {
    throw stateError(file, 'cannot be removed', cause);
  }
}

/** An error about the state file. Exit code 2. */
export function stateError(file: string, problem: string, cause?: unknown): OrgadmError {
  return new OrgadmError(
    'sandbox-state',
    EXIT.usage,
    `the sandbox's state file ${file} ${problem}${cause === undefined ? '' : `: ${describeFsError(cause)}`}`,
    {
      hint: 'Make its directory readable and writable, or start over with `orgadm sandbox reset`.',
      cause,
    },
  );
}

const KEY = /^sandbox_[\w-]{32}$/;

/**
 * Returns the API key of the sandbox with this state file: random, generated on first use and kept next to the state
 * (0600), so that no web page and no other user of the machine can guess it.
 *
 * @throws the error of the file system
 */
export async function readOrCreateKey(stateFile: string): Promise<string> {
  const file = `${stateFile.replace(/\.json$/, '')}.key`;
  return (await readKey(file)) ?? withFileLock(file, async () => (await readKey(file)) ?? (await createKey(file)));
}

/** Returns the key in the file, undefined if there is none. */
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
  // A process that reads a part of it does not recognize it as a key, and waits for the lock.
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  return key;
}
