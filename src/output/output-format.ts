import { UsageError } from '../util/errors.ts';
import type { Format } from './output.ts';

/** The forms in which data can be printed. */
export const FORMATS: readonly Format[] = ['table', 'json', 'ndjson', 'csv'];

/**
 * Reads the name of a format.
 *
 * @param where the flag, variable or setting that holds it, for the error
 * @throws UsageError that lists the formats
 */
export function readFormat(value: unknown, where: string): Format {
  const format = FORMATS.find((known) => known === value);
  if (format === undefined)
    throw new UsageError(`${where}: "${String(value)}" is not a format`, `The formats are ${FORMATS.join(', ')}.`);
  return format;
}
