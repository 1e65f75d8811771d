import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../../util/errors.ts';
import { MAX_ROW_LENGTH } from '../list-row.ts';

/** A record before its values are validated. */
export interface CsvRecord {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

const LF = 10;
const CR = 13;
const QUOTE = 34;
const LINE_END = /\r\n|\r|\n/;
const LINE_ENDS = /\r\n|\r|\n/g;

/** A CSV text that is being read. */
interface CsvReader {
  readonly delimiter: string;
  /** The text after the last complete record. */
  rest: string;
  /** The line on which `rest` starts. */
  line: number;
  /** Lines at the beginning that are still to be skipped. */
  toSkip: number;
}

/**
 * Splits CSV text that comes in pieces into records, with the physical lines on which they start. CR, LF and CRLF each end a
 * line; a line end inside quotes belongs to its cell. Leaves out blank records such as `,,,`.
 *
 * @param toSkip physical lines before the first record: titles, `sep=;`
 * @throws UsageError with the line of a misplaced quote, and for a record of more than 1 MiB
 */
export function* readCsvRecords(texts: Iterable<string>, delimiter: string, toSkip: number): Generator<CsvRecord[]> {
  const reader = { delimiter, rest: '', line: 1, toSkip };
  for (const text of texts) yield readNext(reader, text, false);
  yield readNext(reader, '', true);
}

/** Returns the records that `text` completes. Not a generator, because loops in generators are many times slower. */
function readNext(reader: CsvReader, text: string, isLast: boolean): CsvRecord[] {
  const available = afterSkippedLines(reader, reader.rest + text, isLast);
  if (available === undefined) return [];
  const end = isLast ? available.length : endOfRecords(available);
  const complete = available.slice(0, end);
  reader.rest = available.slice(end);
  const incomplete = isLast ? complete : reader.rest;
  const isTooLong = reader.rest.length > MAX_ROW_LENGTH;
  if ((isLast || isTooLong) && countQuotes(incomplete) % 2 === 1) throw unclosedQuote(reader, complete, incomplete);
  // Most lists have no quotes: then every line is a record, and the parser is not needed, which saves a third of the time of
  // an import of 100,000 rows (npm run bench -- people).
  const records: CsvRecord[] = [];
  const add = (cells: string[], lines: number) => {
    if (cells.some(isNotBlank)) records.push({ line: reader.line, cells });
    reader.line += lines;
  };
  if (complete.includes('"')) for (const cells of parseRows(complete, reader)) add(cells, 1 + countLineEnds(cells));
  else for (const line of splitLines(complete)) add(line.split(reader.delimiter), 1);
  if (isTooLong) throw tooLong(reader.line);
  return records;
}

/** Returns the text after the lines that are skipped; undefined, and keeps it, if there may be more of them. */
function afterSkippedLines(reader: CsvReader, text: string, isLast: boolean): string | undefined {
  let rest = text;
  for (; reader.toSkip > 0; reader.toSkip--) {
    const end = LINE_END.exec(rest);
    // The next piece shows whether a CR at the end is half of a CRLF.
    if (end === null || (end[0] === '\r' && end.index === rest.length - 1 && !isLast)) {
      reader.rest = isLast ? '' : rest;
      return undefined;
    }
    rest = rest.slice(end.index + end[0].length);
    reader.line++;
  }
  return rest;
}

/** Returns the offset after the last line end that is not within quotes. A CR at the end may be half of a CRLF. */
function endOfRecords(text: string): number {
  let isInQuotes = countQuotes(text) % 2 === 1;
  for (let at = text.length - 1; at >= 0; at--) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInQuotes = !isInQuotes;
    else if (!isInQuotes && (code === LF || (code === CR && at < text.length - 1))) return at + 1;
  }
  return 0;
}

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) count++;
  return count;
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
function parseRows(text: string, { delimiter, line }: CsvReader): string[][] {
  const options = { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true };
  try {
    return parse(text, options);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const before = Number(error.records) === 0 ? [] : parse(text, { ...options, to: Number(error.records) });
    const start = before.reduce((sum, cells) => sum + 1 + countLineEnds(cells), line);
    throw misplacedQuote(error, start);
  }
}

function misplacedQuote({ code, column }: CsvError, line: number): UsageError {
  const problem = code === 'CSV_INVALID_CLOSING_QUOTE' ? 'text follows a closing quote' : 'a quote inside the text';
  return new UsageError(
    `line ${line}, column ${Number(column) + 1}: ${problem}`,
    'Quote the entire cell, and double a quote that belongs to its text: "say ""hi""".',
    'bad-list',
  );
}

/** @param incomplete the text with the quote, which comes after the complete records unless it is the same text */
function unclosedQuote({ line }: CsvReader, complete: string, incomplete: string): UsageError {
  const before = incomplete === complete ? '' : complete;
  const text = before + incomplete.slice(0, incomplete.lastIndexOf('"'));
  return new UsageError(
    `line ${line + (text.match(LINE_ENDS)?.length ?? 0)}: the quote that opens here is never closed`,
    'Close the quote. If it belongs to the text, double it and quote the entire cell: "say ""hi""".',
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
