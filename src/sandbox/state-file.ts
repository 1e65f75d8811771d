import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { EXIT, OrgadmError } from '../util/errors.ts';
import { describeFsError } from '../util/fs-error.ts';
import { isSandboxState, type SandboxState } from './state.ts';

/**
 * Reads the bytes of the file; undefined where there is none.
 * @throws OrgadmError when it cannot be read.
 */
export function readStateFile(file: string): Buffer | undefined {
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
export function parseState(file: string, bytes: Buffer): SandboxState {
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
export function writeStateFile(file: string, state: SandboxState): Buffer {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const bytes = Buffer.from(JSON.stringify(state));
  try {
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
    return bytes;
  } catch (cause) {
    discard(temporary);
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

/** The failure that made the draft useless is the one to tell, not that it cannot be removed either. */
function discard(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch {}
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
