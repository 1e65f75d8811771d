import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../../util/errors.ts';
import { CHUNK_ROWS, MAX_ROW_LENGTH } from '../list-row.ts';

/** A record before its values are validated. */
export interface CsvRow {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Complete records, one after another in the list. */
interface Batch {
  text: string;
  /** The physical line of each record. */
  lines: number[];
}

const LF = 10;
const CR = 13;
const QUOTE = 34;

/**
 * Finds where the records of a CSV text begin and on which physical line, and passes complete records to the CSV parser.
 * A line end inside quotes belongs to its cell. Blank records, `,,,` too, are dropped.
 */
export class CsvReader {
  readonly #delimiter: string;
  /** Physical lines at the beginning that are still to be skipped. */
  #skip: number;
  /** The text after the last complete record. */
  #rest = '';
  /** The line on which `#rest` starts. */
  #line = 1;

  /** @param skipLines physical lines before the first record: titles, `sep=;` */
  constructor(delimiter: string, skipLines = 0) {
    this.#delimiter = delimiter;
    this.#skip = skipLines;
  }

  /** Returns the records that `text` completes. Throws `UsageError` with the line of a misplaced quote. */
  push(text: string): Generator<CsvRow[]> {
    return this.#read(this.#rest + text, false);
  }

  /** Returns the record that the end of the list completes. */
  end(): Generator<CsvRow[]> {
    return this.#read(this.#rest, true);
  }

  *#read(all: string, atEnd: boolean): Generator<CsvRow[]> {
    const text = this.#skip > 0 ? this.#withoutSkipped(all, atEnd) : all;
    if (this.#skip > 0 && !atEnd) {
      this.#rest = text;
      return;
    }
    // Most lists have no quotes: then every line is a record, and the parser is not needed, which is twice as fast for
    // a million rows (npm run bench -- people).
    if (!text.includes('"') && text.length <= MAX_ROW_LENGTH) {
      const end = atEnd ? text.length : afterLastLine(text);
      this.#rest = text.slice(end);
      const nextRows = this.#splitUnquoted(text.slice(0, end));
      for (let rows = nextRows(); rows !== undefined; rows = nextRows()) yield rows;
      return;
    }
    for (const batch of this.#batches(text, atEnd)) yield parseRows(batch, this.#delimiter);
  }

  #withoutSkipped(text: string, atEnd: boolean): string {
    let from = 0;
    for (; this.#skip > 0; this.#skip--) {
      const end = text.slice(from).search(/\r\n|\n|\r(?!$)/);
      if (end < 0) return atEnd ? '' : text.slice(from);
      from += end + (text.startsWith('\r\n', from + end) ? 2 : 1);
      this.#line++;
    }
    return text.slice(from);
  }

  /**
   * Returns a function that returns the next rows of complete lines without quotes (CR, LF and CRLF each end a line), undefined
   * after the last one. Slices by hand and a few rows at a time: `split`, or all rows at once, makes reading a million rows
   * twice as slow (npm run bench -- people).
   */
  #splitUnquoted(raw: string): () => CsvRow[] | undefined {
    const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
    const nextMark = (from: number) => {
      const at = text.indexOf(this.#delimiter, from);
      return at < 0 ? text.length : at;
    };
    let start = 0;
    let mark = nextMark(0);
    return () => {
      if (start >= text.length) return undefined;
      const rows: CsvRow[] = [];
      for (let count = 0; count < CHUNK_ROWS && start < text.length; count++) {
        const lineEnd = text.indexOf('\n', start);
        const end = lineEnd < 0 ? text.length : lineEnd;
        const cells: string[] = [];
        for (; mark < end; mark = nextMark(start)) {
          cells.push(text.slice(start, mark));
          start = mark + 1;
        }
        cells.push(text.slice(start, end));
        start = end + 1;
        const line = this.#line++;
        if (cells.some(isNotBlank)) rows.push({ line, cells });
      }
      return rows;
    };
  }

  /** Not a generator, in which a loop over every character is many times slower. */
  #batches(text: string, atEnd: boolean): Batch[] {
    const batches: Batch[] = [];
    const { length } = text;
    let lines: number[] = [];
    let batchStart = 0;
    let recordStart = 0;
    let recordLine = this.#line;
    let line = recordLine;
    let quoteLine = 0;
    let quoted = false;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code > QUOTE) continue;
      if (code === QUOTE) {
        quoted = !quoted;
        if (quoted) quoteLine = line;
      } else if (code === LF || code === CR) {
        if (code === CR) {
          // The next piece shows whether this is half of a CRLF.
          if (at + 1 === length && !atEnd) break;
          if (text.charCodeAt(at + 1) === LF) at++;
        }
        line++;
        if (quoted) continue;
        if (at - recordStart > MAX_ROW_LENGTH) throw tooLong(recordLine);
        lines.push(recordLine);
        recordLine = line;
        recordStart = at + 1;
        if (lines.length === CHUNK_ROWS) {
          batches.push({ text: text.slice(batchStart, recordStart), lines });
          lines = [];
          batchStart = recordStart;
        }
      }
    }
    if (atEnd && quoted) throw unclosed(quoteLine);
    if (length - recordStart > MAX_ROW_LENGTH) throw quoted ? unclosed(quoteLine) : tooLong(recordLine);
    if (atEnd && recordStart < length) {
      lines.push(recordLine);
      recordStart = length;
    }
    if (lines.length > 0) batches.push({ text: text.slice(batchStart, recordStart), lines });
    this.#rest = text.slice(recordStart);
    this.#line = recordLine;
    return batches;
  }
}

/** Returns the offset after the last complete line. The next piece shows whether a CR at the end is half of a CRLF. */
function afterLastLine(text: string): number {
  const lineFeed = text.lastIndexOf('\n');
  const last = text.endsWith('\r') ? text.length - 2 : text.length - 1;
  // Few lists have a CR there, and those without any are not searched to their beginning.
  const hasReturn = text.indexOf('\r', lineFeed + 1) >= 0 && last >= 0;
  return Math.max(lineFeed, hasReturn ? text.lastIndexOf('\r', last) : -1) + 1;
}

const isNotBlank = (cell: string) => cell.trim() !== '';

function unclosed(line: number): UsageError {
  return new UsageError(
    `line ${line}: the quote that opens here is never closed`,
    'Close it. A quote that belongs to the text is doubled, and its entire cell is quoted: "say ""hi""".',
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

/** Parses complete records, without the blank ones. Throws `UsageError` with line and column of a misplaced quote. */
function parseRows({ text, lines }: Batch, delimiter: string): CsvRow[] {
  try {
    const records = parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
    if (records.length !== lines.length) throw new Error(`${records.length} records on ${lines.length} lines`);
    return records
      .map((cells, index) => ({ line: lines[index] ?? 0, cells }))
      .filter(({ cells }) => cells.some(isNotBlank));
  } catch (error) {
    throw error instanceof CsvError ? misplacedQuote(error, lines) : error;
  }
}

function misplacedQuote(error: CsvError, lines: readonly number[]): UsageError {
  const position = `line ${lines[Number(error.records)] ?? 0}, column ${Number(error.column) + 1}`;
  const problem =
    error.code === 'CSV_INVALID_CLOSING_QUOTE' ? 'text follows a closing quote' : 'a quote inside the text';
  return new UsageError(
    `${position}: ${problem}`,
    'Quote the entire cell, and double a quote that belongs to its text: "say ""hi""".',
    'bad-list',
  );
}
