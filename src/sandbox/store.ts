import { seedState } from './seed/state.ts';
import type { State } from './state.ts';
import { fingerprint, readState, writeState } from './state-file.ts';

/** The state of a sandbox, in a file. */
export interface Store {
  /** The state as the file has it now: a reset or another process is noticed. */
  read(): State;
  /** Replaces the state; it is in the file when this returns. */
  change(update: (state: State) => State): void;
}

/**
 * Opens the state file, making it if there is none. Reads and writes are synchronous: they take a few milliseconds, and
 * no request can come in between. Both throw an OrgadmError when the file cannot be read or written.
 * @throws OrgadmError likewise.
 */
export function openStore(file: string): Store {
  let state: State | undefined;
  let seen: string | undefined;

  const hold = (next: State, version: string | undefined): State => {
    state = next;
    seen = version;
    return next;
  };

  const save = (next: State): State => {
    writeState(file, next);
    return hold(next, fingerprint(file));
  };

  const read = (): State => {
    // Taken before the file is read: if it changes in between, it is only read once more.
    const version = fingerprint(file);
    if (version === undefined) return save(seedState());
    return state && version === seen ? state : hold(readState(file), version);
  };

  read();
  return { read, change: (update) => void save(update(read())) };
}
