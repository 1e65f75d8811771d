/** Rows are handed on in chunks of at most this many. */
export const CHUNK_ROWS = 128;

/** A row may be this long; more is a quote or a bracket that was never closed. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** Cuts `items` into chunks of at most `CHUNK_ROWS`. */
export function* inChunks<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += CHUNK_ROWS) yield items.slice(from, from + CHUNK_ROWS);
}
