import { dirname } from 'node:path';
import { withFileLock } from '../util/file-lock.ts';
import { makePrivateDirectory } from '../util/private-directory.ts';
import { seedState } from './seed/seed-state.ts';
import type { SandboxState } from './state.ts';
import { parseState, readStateFile, stateError, writeStateFile } from './state-file.ts';

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
