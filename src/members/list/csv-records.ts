import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../errors.ts';
import type { Delimiter } from './delimiter.ts';

const QUOTE_HINT = 'Put the whole cell in quotes, and write a quote that belongs to its text twice: "say ""hi""".';

/**
 * The cells of whole records. `lines` holds the physical line of each record, for errors; `plain` says that `text` has
 * no quote at all: then there is nothing to parse, and cutting at the delimiters is several times faster.
 * Throws `UsageError` naming line and column of a quote that is out of place.
 */
export function parseRecords(text: Buffer, delimiter: Delimiter, lines: readonly number[], plain: boolean): string[][] {
  if (plain) return splitRecords(text.toString(), delimiter, lines.length);
  try {
    const records = parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
    if (records.length !== lines.length) throw new Error(`${records.length} records on ${lines.length} lines`);
    return records;
  } catch (error) {
    throw error instanceof CsvError ? misplacedQuote(error, lines) : error;
  }
}

function splitRecords(text: string, delimiter: Delimiter, count: number): string[][] {
  const records = text.split(text.includes('\r') ? /\r\n|\n|\r/ : '\n');
  records.length = count;
  return records.map((record) => splitCells(record, delimiter));
}

/** What `record.split(delimiter)` gives, in half the time. */
function splitCells(record: string, delimiter: Delimiter): string[] {
  const cells: string[] = [];
  let start = 0;
  for (let at = record.indexOf(delimiter); at >= 0; at = record.indexOf(delimiter, start)) {
    cells.push(record.slice(start, at));
    start = at + 1;
  }
  cells.push(record.slice(start));
  return cells;
}

function misplacedQuote(error: CsvError, lines: readonly number[]): UsageError {
  const line = lines[Number(error.records)] ?? 0;
  const place = `line ${line}, column ${Number(error.column) + 1}`;
  const what =
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ? 'text follows a closing quote' : 'a quote stands inside the text';
  return new UsageError(`${place}: ${what}`, QUOTE_HINT, 'bad-list');
}
