import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, OrgadmError } from '../util/errors.ts';
import { withFileLock } from '../util/file-lock.ts';
import { describeFsError } from '../util/fs-error.ts';
import { makePrivateDirectory, replaceFile } from '../util/write-file.ts';
import { seedState } from './seed/seed-state.ts';
import { isSandboxState, type SandboxState } from './state.ts';

/** The state of a sandbox, in a file that several processes may share. */
export interface SandboxStore {
  /** Returns the state in the file, that of a new sandbox after a reset. Synchronous: it takes a few milliseconds. */
  read(): SandboxState;
  /** Runs `section` while no other process changes the state: what it reads stays true until its change is written. */
  exclusively<T>(section: () => T): Promise<T>;
  /** Replaces the state; it is in the file when this returns. Only within `exclusively`. */
  change(update: (state: SandboxState) => SandboxState): void;
}

/**
 * Opens the state file, creating it and its directory (0700). All methods throw an OrgadmError when the file cannot be read or
 * written.
 *
 * @throws OrgadmError likewise
 */
export async function openSandboxStore(file: string): Promise<SandboxStore> {
  let cached: { bytes: Buffer; state: SandboxState } | undefined;

  const read = (): SandboxState => {
    const bytes = readStateFile(file);
    if (bytes === undefined) return seedState();
    // Compared as a whole: times and inode numbers repeat when processes alternate within a few milliseconds.
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
 * @throws OrgadmError where the file cannot be locked, in addition to what `section` throws
 */
export async function exclusively<T>(file: string, section: () => T): Promise<T> {
  let entered = false;
  try {
    return await withFileLock(file, () => {
      entered = true;
      return section();
    });
  } catch (cause) {
    throw entered ? cause : stateError(file, 'cannot be locked', cause);
  }
}

async function makeDirectory(file: string): Promise<void> {
  try {
    await makePrivateDirectory(dirname(file));
  } catch (cause) {
    throw stateError(file, 'cannot be written', cause);
  }
}

/**
 * Reads the bytes of the file; undefined where there is none.
 * @throws OrgadmError when it cannot be read.
 */
function readStateFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw stateError(file, 'cannot be read', cause);
  }
}

/**
 * Parses the bytes of the file.
 * @throws OrgadmError when they hold something else; the file is left as it is.
 */
function parseState(file: string, bytes: Buffer): SandboxState {
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw stateError(file, 'cannot be read', cause);
  }
  if (!isSandboxState(parsed)) throw stateError(file, 'holds no state that this version can read');
  return parsed;
}

/**
 * Replaces the file, or creates it (0600), and returns its bytes. They are written to a draft that is renamed, so that
 * no reader finds half of it; power loss is not guarded against.
 * @throws OrgadmError when it cannot be written; what was there is then still there.
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
 * @throws OrgadmError when it cannot be removed.
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
    `The sandbox's state file ${file} ${problem}${cause === undefined ? '' : `: ${describeFsError(cause)}`}.`,
    {
      hint: 'Make its directory readable and writable, or start over with `orgadm sandbox reset`.',
      cause,
    },
  );
}
