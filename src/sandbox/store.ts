import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EXIT, OrgadmError } from '../errors.ts';
import { seedState } from './seed/state.ts';
import { isState, type State } from './state.ts';

/** The state of a sandbox, in a file. */
export interface Store {
  /** The state as the file has it now: a reset or another process is noticed. */
  read(): State;
  /** Replaces the state; it is on disk when this returns. */
  change(update: (state: State) => State): void;
}

/**
 * Opens the state file, making it (0600, its folder 0700) if there is none. Reads and writes are synchronous: they take
 * a few milliseconds and no request can come in between. Files are replaced, never written in place; power loss is not
 * guarded against.
 * @throws OrgadmError when the file cannot be read or written, or holds something else.
 */
export function openStore(file: string): Store {
  let state: State | undefined;
  let seen: string | undefined;

  const save = (next: State): State => {
    // Forgotten until it is written: after a failed write the next read takes the file's word.
    seen = undefined;
    writeState(file, next);
    seen = fingerprint(file);
    return next;
  };

  const read = (): State => {
    const current = fingerprint(file);
    if (state && seen !== undefined && current === seen) return state;
    state = current === undefined ? save(seedState()) : readState(file);
    seen = fingerprint(file);
    return state;
  };

  read();
  return {
    read,
    change: (update) => {
      state = save(update(read()));
    },
  };
}

/**
 * Removes the state file; the next use starts from the seed, in a sandbox that is running too.
 * @throws OrgadmError when it cannot be removed.
 */
export function removeState(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (cause) {
    throw stateError(`The sandbox's state file ${file} cannot be removed`, cause);
  }
}

/** Tells one version of the file from the next; undefined if there is none. */
function fingerprint(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

function readState(file: string): State {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw stateError(`The sandbox's state file ${file} cannot be read`, cause);
  }
  if (!isState(parsed)) throw stateError(`The sandbox's state file ${file} holds no state that this version can read`);
  return parsed;
}

function writeState(file: string, state: State): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (cause) {
    rmSync(draft, { force: true });
    throw stateError(`The sandbox's state file ${file} cannot be written`, cause);
  }
}

function stateError(what: string, cause?: unknown): OrgadmError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new OrgadmError('sandbox-state', EXIT.usage, `${what}${why}.`, {
    hint: 'Make its folder readable and writable, or start over with `orgadm sandbox reset`.',
    cause,
  });
}
