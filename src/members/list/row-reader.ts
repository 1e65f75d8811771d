import { UsageError } from '../../errors.ts';
import type { SourceRow } from './row.ts';

/** Rows are handed on in chunks of at most this many. */
export const CHUNK_ROWS = 512;

/** A row may be this long; more is a quote or a bracket that was never closed. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** Cuts a list's text into rows. Throws `UsageError` naming the line where the text is not of its format. */
export interface RowReader {
  /** The rows that `text` (UTF-8, whole characters) completes. They do not keep `text` alive as a buffer. */
  push(text: Buffer): Iterable<SourceRow[]>;
  /** The rows that the end of the list completes. */
  end(): Iterable<SourceRow[]>;
}

/** A list without anything in it. */
export function emptyList(): UsageError {
  return new UsageError(
    'the list is empty',
    'A list of nobody is written as a header without rows, or as []. `orgadm people template` prints one to start from.',
    'empty_list',
  );
}
