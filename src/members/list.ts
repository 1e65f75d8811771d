import type { ListFormat, ListOptions } from './list-options.ts';
import type { ListRow } from './row.ts';

export type { ListFormat, ListOptions } from './list-options.ts';
export type { ListRow, Problem, RawRow } from './row.ts';

/** What the first pass over a list found. */
export interface ListCheck {
  /** Rows in the list. */
  total: number;
  /** Rows with at least one problem. */
  invalid: number;
  /** Whether the row `entry` (1-based) has a problem. */
  isInvalid(entry: number): boolean;
  /** Identity of the list's bytes: SHA-256 as 64 hex digits. */
  digest: string;
}

/** A member list that is held open: checked once, then read as often as needed. */
export interface MemberList {
  /** The list's name for messages: its path, or `standard input`. */
  readonly name: string;
  readonly format: ListFormat;
  /**
   * The first pass: reads everything and counts. Calls `onRows` with the rows so far.
   * Throws `UsageError` for a list that cannot be read at all, and the signal's reason when aborted.
   */
  check(onRows?: (rows: number) => void, signal?: AbortSignal): Promise<ListCheck>;
  /**
   * A later pass: the rows in order, in chunks of at most a few hundred. Throws `ListChangedError` before any row that
   * touches a changed block is yielded.
   */
  rows(signal?: AbortSignal): AsyncGenerator<ListRow[]>;
  /** Lets go of the file and removes the spool. */
  close(): Promise<void>;
}

/** Where a list comes from. */
export interface ListInput {
  /** A path, or `-` for `stdin`. */
  path: string;
  stdin: NodeJS.ReadableStream;
  /** The private folder for what is not a regular file. Created when it is needed. */
  spoolDir: string;
}

/** Opens a list. */
export async function openList(_input: ListInput, _options: ListOptions): Promise<MemberList> {
  throw new Error('to come');
}
