import { quoteForShell } from '../../../output/sanitize.ts';
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

/**
 * Returns the error for a list of more than 256 MiB.
 *
 * @param problem what it has: `has 300 MiB`
 */
export function listTooLarge(name: string, problem: string): UsageError {
  return new UsageError(`${name} ${problem}; the limit for a list is 256 MiB`, splitHint(name));
}

/** Returns the error for a list with more rows. */
export function tooManyRows(name: string): UsageError {
  return new UsageError(`${name} has more than ${formatCount(MAX_ROWS)} rows`, splitHint(name));
}

/** Returns the commands that split a list, as far as its name shows how it is written. */
function splitHint(name: string): string {
  const [, format, gz] = /\.(csv|tsv|json|ndjson|jsonl)(\.gz)?$/i.exec(name) ?? [];
  const file = quoteForShell(name);
  const parts = 'split -l 1000000 - part-';
  const print = gz === undefined ? `cat ${file}` : `gzip -dc ${file}`;
  if (format === undefined) return 'Split it, and import the parts one after another.';
  if (/json$/i.test(format) && format.toLowerCase() === 'json')
    return `Split it, and import the parts one after another: ${print} | jq -c '.[]' | ${parts}`;
  if (/json/i.test(format)) return `Split it, and import the parts one after another: ${print} | ${parts}`;
  return `Split it, and import the parts one after another, with --columns and the names of its columns: ${print} | tail -n +2 | ${parts}`;
}
