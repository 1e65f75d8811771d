import { CsvError, type CsvErrorCode, parse } from 'csv-parse/sync';
import { UsageError } from '../../../util/errors.ts';
import { MAX_ROW_LENGTH } from '../source/list-limits.ts';
import { CHUNK_BYTES } from '../source/source-record.ts';

/** A record before its values are validated. */
export interface CsvRecord {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** The text of a CSV list. */
export interface CsvText {
  readonly utf8: Buffer;
  readonly delimiter: string;
  /** Physical lines before the first record: titles, `sep=;`. */
  readonly skipLines: number;
}

/** A character has at most 3 bytes for each of the units of `MAX_ROW_LENGTH`. */
const MAX_ROW_BYTES = 3 * MAX_ROW_LENGTH;

const [LF, CR, QUOTE] = [10, 13, 34];
const LINE_END = /\r\n|\r|\n/;
const LINE_ENDS = /\r\n|\r|\n/g;

/**
 * Splits CSV text into chunks of records, with the physical lines on which they start. CR, LF and CRLF each end a line; a
 * line end inside quotes belongs to its cell. Leaves out blank records such as `,,,`.
 *
 * @throws UsageError with the line of a misplaced quote, and for a record of more than 1 MiB
 */
export function* readCsvRecords({ utf8, delimiter, skipLines }: CsvText): Generator<CsvRecord[]> {
  const lineEnd = utf8.includes(LF) ? LF : CR;
  let start = offsetAfterLines(utf8, skipLines);
  let line = 1 + skipLines;
  while (start < utf8.length) {
    const end = endOfChunk(utf8, start, lineEnd);
    const { records, nextLine } = parseChunk(utf8.toString('utf8', start, end), delimiter, line);
    yield records;
    start = end;
    line = nextLine;
  }
}

function offsetAfterLines(utf8: Buffer, lines: number): number {
  let start = 0;
  for (let skipped = 0; skipped < lines; skipped++) {
    const length = utf8.subarray(start).findIndex((byte) => byte === LF || byte === CR);
    if (length < 0) return utf8.length;
    const end = start + length;
    start = end + (utf8[end] === CR && utf8[end + 1] === LF ? 2 : 1);
  }
  return start;
}

/** Returns the offset after a line end that is not within quotes, or beyond the longest row if there is none before. */
function endOfChunk(utf8: Buffer, start: number, lineEnd: number): number {
  const limit = Math.min(utf8.length, start + CHUNK_BYTES + MAX_ROW_BYTES);
  let quotes = 0;
  for (let [from, end] = [start, start + CHUNK_BYTES]; ; from = end) {
    end = utf8.indexOf(lineEnd, end) + 1 || utf8.length;
    quotes += countQuotes(utf8.subarray(from, end));
    if (quotes % 2 === 0 || end >= limit) return end;
  }
}

function countQuotes(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(QUOTE); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) count++;
  return count;
}

/** Splits complete records. Not a generator, because loops in generators are many times slower. */
function parseChunk(text: string, delimiter: string, firstLine: number): { records: CsvRecord[]; nextLine: number } {
  const records: CsvRecord[] = [];
  let line = firstLine;
  const add = (cells: string[], lines: number) => {
    if (cells.some(isNotBlank)) records.push({ line, cells });
    line += lines;
  };
  // Most lists have no quotes: then every line is a record, and the parser is not needed, which saves a third of the time of
  // an import of 100,000 rows (npm run bench -- people).
  if (!text.includes('"')) for (const row of splitLines(text)) add(row.split(delimiter), 1);
  else for (const cells of parseRows(text, delimiter, firstLine)) add(cells, 1 + countLineEnds(cells));
  const last = records.at(-1);
  if (last !== undefined && last.cells.join().length > MAX_ROW_LENGTH) throw tooLong(last.line);
  return { records, nextLine: line };
}

/** Returns the lines of text whose last line may lack its end. */
function splitLines(text: string): string[] {
  const lines = text.includes('\r') ? text.split(LINE_END) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const isNotBlank = (cell: string) => cell.trim() !== '';

function countLineEnds(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + (cell.match(LINE_ENDS)?.length ?? 0), 0);
}

/** Parses complete records. Throws `UsageError` with line and column of a misplaced quote. */
function parseRows(text: string, delimiter: string, firstLine: number): string[][] {
  const options = { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true };
  try {
    return parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const before = Number(error.records) === 0 ? [] : parse(text, { ...options, to: Number(error.records) });
    const line = before.reduce((sum, cells) => sum + 1 + countLineEnds(cells), firstLine);
    throw misplacedQuote(error, line);
  }
}

const QUOTE_PROBLEMS: Readonly<Partial<Record<CsvErrorCode, string>>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote',
  CSV_QUOTE_NOT_CLOSED: 'the quote that opens here is never closed',
  INVALID_OPENING_QUOTE: 'a quote inside the text',
};

function misplacedQuote({ code, column }: CsvError, line: number): UsageError {
  return new UsageError(
    `line ${line}, column ${Number(column) + 1}: ${QUOTE_PROBLEMS[code] ?? code}`,
    'Quote the entire cell, close the quote, and double a quote that belongs to its text: "say ""hi""".',
    'bad-list',
  );
}

function tooLong(line: number): UsageError {
  return new UsageError(
    `line ${line}: the row that starts here is longer than 1 MiB`,
    'Check that the file is a member list with one member per line.',
    'bad-list',
  );
}
