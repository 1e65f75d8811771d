import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';

/** Bytes in a MiB. */
export const MEBIBYTE = 1024 ** 2;

/** The most bytes that a list may have, before and after decompression. */
export const MAX_LIST_BYTES = 256 * MEBIBYTE;

/** The most rows that a list may have: short rows take more memory than their bytes. */
export const MAX_ROWS = 5_000_000;

/** The longest row, in characters; a longer one has a quote or bracket that is never closed. */
export const MAX_ROW_LENGTH = 1024 * 1024;

/** The hint for a list that is too large. A second list cannot be split. */
export const SPLIT =
  'Split it into smaller files, each with the header if it has one, and import them one after another.';

/**
 * Returns the error for a list of more than 256 MiB.
 *
 * @param problem continues the name of the list: `is 300 MiB`
 */
export function listTooLarge(name: string, problem: string): UsageError {
  return new UsageError(`${name} ${problem}; the limit for a list is 256 MiB`, SPLIT);
}

/** Returns the error for a list with more rows. */
export function tooManyRows(name: string): UsageError {
  return new UsageError(`${name} has more than ${formatCount(MAX_ROWS)} rows`, SPLIT);
}
