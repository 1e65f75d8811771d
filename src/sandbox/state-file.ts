import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, OrgadmError } from '../errors.ts';
import { fileTrouble } from '../file-trouble.ts';
import { isState, type State } from './state.ts';

/**
 * Tells one version of the file from the next; undefined if there is none.
 * @throws OrgadmError when that cannot be told.
 */
export function fingerprint(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
  } catch (cause) {
    throw stateError(file, 'cannot be read', cause);
  }
}

/**
 * Reads the file.
 * @throws OrgadmError when it cannot be read, or holds something else; it is left as it is.
 */
export function readState(file: string): State {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw stateError(file, 'cannot be read', cause);
  }
  if (!isState(parsed)) throw stateError(file, 'holds no state that this version can read');
  return parsed;
}

/**
 * Replaces the file, or makes it (0600, its folder 0700). It is written beside its place and renamed, so that no reader
 * finds half of it; power loss is not guarded against.
 * @throws OrgadmError when it cannot be written; what was there is then still there.
 */
export function writeState(file: string, state: State): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (cause) {
    discard(draft);
    throw stateError(file, 'cannot be written', cause);
  }
}

/**
 * Removes the file, if there is one.
 * @throws OrgadmError when it cannot be removed.
 */
export function removeState(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (cause) {
    throw stateError(file, 'cannot be removed', cause);
  }
}

/** The failure that made the draft useless is the one to tell, not that it cannot be removed either. */
function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {}
}

function stateError(file: string, what: string, cause?: unknown): OrgadmError {
  return new OrgadmError(
    'sandbox-state',
    EXIT.usage,
    `The sandbox's state file ${file} ${what}${cause === undefined ? '' : `: ${fileTrouble(cause)}`}.`,
    {
      hint: 'Make its folder readable and writable, or start over with `orgadm sandbox reset`.',
      cause,
    },
  );
}
