import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../util/errors.ts';
import type { Delimiter } from './delimiter.ts';

const QUOTE_HINT = 'Put the whole cell in quotes, and write a quote that belongs to its text twice: "say ""hi""".';

/**
 * The cells of whole records. `lines` holds the physical line of each record, for errors.
 * Throws `UsageError` naming line and column of a quote that is out of place.
 */
export function parseCsvRecords(text: Buffer, delimiter: Delimiter, lines: readonly number[]): string[][] {
  try {
    const records = parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
    if (records.length !== lines.length) throw new Error(`${records.length} records on ${lines.length} lines`);
    return records;
  } catch (error) {
    throw error instanceof CsvError ? misplacedQuote(error, lines) : error;
  }
}

function misplacedQuote(error: CsvError, lines: readonly number[]): UsageError {
  const line = lines[Number(error.records)] ?? 0;
  const position = `line ${line}, column ${Number(error.column) + 1}`;
  const problem =
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ? 'text follows a closing quote' : 'a quote stands inside the text';
  return new UsageError(`${position}: ${problem}`, QUOTE_HINT, 'bad-list');
}
