import { UsageError } from '../util/errors.ts';
import type { OutputFormat } from './output.ts';

/** The forms in which data can be printed. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = ['table', 'json', 'ndjson', 'csv'];

/**
 * Reads the name of a format.
 *
 * @param where the flag, variable or setting that holds it, for the error
 * @throws UsageError that lists the formats
 */
export function parseOutputFormat(value: unknown, where: string): OutputFormat {
  const format = OUTPUT_FORMATS.find((known) => known === value);
  if (format === undefined)
    throw new UsageError(
      `${where}: "${String(value)}" is not a format`,
      `The formats are ${OUTPUT_FORMATS.join(', ')}.`,
    );
  return format;
}
