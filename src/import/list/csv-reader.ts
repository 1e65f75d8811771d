import { CsvError, parse } from 'csv-parse/sync';
import { UsageError } from '../../util/errors.ts';
import type { Delimiter } from './list-options.ts';
import { CHUNK_ROWS, MAX_ROW_BYTES } from './list-row.ts';

const LF = 10;
const CR = 13;
const QUOTE = 34;

/** A record before its values are looked at. */
export interface CsvRow {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** Whole records that stand one after another in the list. */
interface Batch {
  text: Buffer;
  /** The physical line of each record. */
  lines: number[];
}

/**
 * Finds where the records of a CSV text begin and on which physical line, and hands whole records to the parser; those
 * without any quote need none. A line end inside quotes belongs to its cell. Blank records, `,,,` too, are dropped.
 */
export class CsvReader {
  readonly #delimiter: Delimiter;
  /** What follows the last whole record. */
  #rest: Buffer = Buffer.alloc(0);
  /** The line on which `#rest` starts. */
  #line = 1;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter;
  }

  /** The records that `text` (UTF-8, whole characters) completes. Throws `UsageError` naming the line of a wrong quote. */
  push(text: Buffer): Generator<CsvRow[]> {
    const bytes = this.#rest.length === 0 ? text : Buffer.concat([this.#rest, text]);
    // No row of a short piece is too long.
    const isPlain = bytes.length <= MAX_ROW_BYTES && !bytes.includes(QUOTE);
    return isPlain ? this.#readPlain(bytes) : this.#read(bytes, false);
  }

  /** The record that the end of the list completes. */
  end(): Generator<CsvRow[]> {
    return this.#read(this.#rest, true);
  }

  *#readPlain(bytes: Buffer): Generator<CsvRow[]> {
    const end = afterLastLine(bytes);
    this.#rest = Buffer.from(bytes.subarray(end));
    const plain = new UnquotedCsvSplitter(bytes.toString('utf8', 0, end), this.#delimiter);
    for (let records = plain.take(CHUNK_ROWS); records.length > 0; records = plain.take(CHUNK_ROWS)) {
      const first = this.#line;
      this.#line += records.length;
      yield rowsOf(records, (index) => first + index);
    }
  }

  *#read(bytes: Buffer, atEnd: boolean): Generator<CsvRow[]> {
    for (const { text, lines } of this.#cut(bytes, atEnd)) {
      const records = text.includes(QUOTE)
        ? parseCsvRecords(text, this.#delimiter, lines)
        : new UnquotedCsvSplitter(text.toString(), this.#delimiter).take(lines.length);
      yield rowsOf(records, (index) => lines[index] ?? 0);
    }
  }

  /** Not a generator itself: a loop over every byte is many times slower in one. */
  #cut(bytes: Buffer, atEnd: boolean): Batch[] {
    const batches: Batch[] = [];
    const length = bytes.length;
    let lines: number[] = [];
    let batchStart = 0;
    let recordStart = 0;
    let recordLine = this.#line;
    let line = recordLine;
    let quoteLine = 0;
    let quoted = false;
    for (let at = 0; at < length; at++) {
      const byte = bytes[at] ?? 0;
      // Nearly all are: of those that mean something here, the quote is the last.
      if (byte > QUOTE) continue;
      if (byte === QUOTE) {
        quoted = !quoted;
        if (quoted) quoteLine = line;
      } else if (byte === LF || byte === CR) {
        if (byte === CR) {
          // Whether this is half of a CRLF, the next piece tells.
          if (at + 1 === length && !atEnd) break;
          if (bytes[at + 1] === LF) at++;
        }
        line++;
        if (quoted) continue;
        if (at - recordStart > MAX_ROW_BYTES) throw tooLong(recordLine);
        lines.push(recordLine);
        recordLine = line;
        recordStart = at + 1;
        if (lines.length === CHUNK_ROWS) {
          batches.push({ text: bytes.subarray(batchStart, recordStart), lines });
          lines = [];
          batchStart = recordStart;
        }
      }
    }
    if (atEnd && quoted) throw unclosed(quoteLine);
    if (length - recordStart > MAX_ROW_BYTES) throw quoted ? unclosed(quoteLine) : tooLong(recordLine);
    if (atEnd && recordStart < length) {
      lines.push(recordLine);
      recordStart = length;
    }
    if (lines.length > 0) batches.push({ text: bytes.subarray(batchStart, recordStart), lines });
    this.#rest = Buffer.from(bytes.subarray(recordStart));
    this.#line = recordLine;
    return batches;
  }
}

/** The offset after the last line that has come whole. Whether a CR at the end is half of a CRLF, the next piece tells. */
function afterLastLine(bytes: Buffer): number {
  const whole = bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes;
  return Math.max(whole.lastIndexOf(LF), whole.lastIndexOf(CR)) + 1;
}

function rowsOf(records: readonly string[][], lineOf: (index: number) => number): CsvRow[] {
  const rows: CsvRow[] = [];
  let index = 0;
  for (const cells of records) {
    if (cells.some(isNotBlank)) rows.push({ line: lineOf(index), cells });
    index++;
  }
  return rows;
}

const isNotBlank = (cell: string) => cell.trim() !== '';

function unclosed(line: number): UsageError {
  return new UsageError(
    `line ${line}: the quote that opens here is never closed`,
    'Close it, or write a quote that belongs to the text twice, in a cell that is in quotes itself.',
    'bad-list',
  );
}

function tooLong(line: number): UsageError {
  return new UsageError(
    `line ${line}: the row that starts here is longer than 1 MiB`,
    'Check that the file is a member list, one member a line.',
    'bad-list',
  );
}

const QUOTE_HINT = 'Put the whole cell in quotes, and write a quote that belongs to its text twice: "say ""hi""".';

/**
 * The cells of whole records. `lines` holds the physical line of each record, for errors.
 * Throws `UsageError` naming line and column of a quote that is out of place.
 */
function parseCsvRecords(text: Buffer, delimiter: Delimiter, lines: readonly number[]): string[][] {
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

/**
 * The records of a CSV text that holds no quote: there is nothing to parse, and cutting at the line ends (CR, LF, CRLF)
 * and delimiters is several times faster.
 */
class UnquotedCsvSplitter {
  readonly #text: string;
  readonly #delimiter: Delimiter;
  /** Where the next record starts. */
  #start = 0;
  /** Where the next delimiter stands, which may be many records away; past the end where there is none. */
  #mark: number;

  /** @param text whole records, each with its line end; the last one may lack it */
  constructor(text: string, delimiter: Delimiter) {
    this.#text = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    this.#delimiter = delimiter;
    this.#mark = this.#nextMark(0);
  }

  /** The cells of the next records, at most `count` of them; none when all were taken. Each record is one line. */
  take(count: number): string[][] {
    const text = this.#text;
    const records: string[][] = [];
    while (records.length < count && this.#start < text.length) {
      const lineEnd = text.indexOf('\n', this.#start);
      const end = lineEnd < 0 ? text.length : lineEnd;
      const cells: string[] = [];
      while (this.#mark < end) {
        cells.push(text.slice(this.#start, this.#mark));
        this.#start = this.#mark + 1;
        this.#mark = this.#nextMark(this.#start);
      }
      cells.push(text.slice(this.#start, end));
      this.#start = end + 1;
      records.push(cells);
    }
    return records;
  }

  #nextMark(from: number): number {
    const at = this.#text.indexOf(this.#delimiter, from);
    return at < 0 ? this.#text.length : at;
  }
}
