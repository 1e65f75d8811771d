import { MAX_ROW_LENGTH } from '../source/limits.ts';
import { CHUNK_BYTES } from '../source/source-record.ts';
import { type CsvRecord, isNotBlank, LINE_END, type ParsedRecords, rowTooLong } from './csv-record.ts';
import { hasQuotedCell, parseQuotedRows } from './quoted-rows.ts';
import { QuotingMistakes } from './quoting-mistakes.ts';

/** The text of a CSV list. */
export interface CsvText {
  readonly utf8: Buffer;
  readonly delimiter: string;
  /** Physical lines before the first record: titles, `sep=;`. */
  readonly skipLines: number;
}

/** A character has at most 3 bytes for each of the units of `MAX_ROW_LENGTH`. */
const MAX_ROW_BYTES = 3 * (MAX_ROW_LENGTH + 1);

const [LF, CR, QUOTE] = [10, 13, 34];

/**
 * Splits CSV text into chunks of records, with the physical lines on which they start. CR, LF and CRLF each end a line; a
 * line end inside quotes belongs to its cell. Leaves out blank records such as `,,,`.
 *
 * @throws UsageError with the lines of all mistakes in quoting, and for a record of more than 1 MiB
 */
export function* readCsvRecords({ utf8, delimiter, skipLines }: CsvText): Generator<CsvRecord[]> {
  // Databases write tabs between cells without quoting any: then a quote is a character like others.
  const hasQuotes = utf8.includes(QUOTE) && (delimiter !== '\t' || hasQuotedCell(utf8));
  const mistakes = new QuotingMistakes();
  let start = offsetAfterLines(utf8, skipLines);
  let line = 1 + skipLines;
  for (let size = CHUNK_BYTES; start < utf8.length; ) {
    const end = endOfLine(utf8, start + size, start + size + MAX_ROW_BYTES);
    const text = utf8.toString('utf8', start, end);
    // Most lists have no quotes: then every line is a record, which saves a third of the time of an import of 100,000 rows
    // (npm run bench -- people).
    const { records, length, nextLine } =
      hasQuotes && text.includes('"')
        ? parseQuotedRows(text, { delimiter, firstLine: line, isEnd: end === utf8.length, mistakes })
        : splitRows(text, delimiter, line);
    if (mistakes.count === 0) yield records;
    start += length === text.length ? end - start : Buffer.byteLength(text.slice(0, length));
    // Without a complete record, the next chunk begins in the same place.
    size = length === 0 ? 2 * size : CHUNK_BYTES;
    line = nextLine;
  }
  mistakes.throwIfAny();
}

/** Returns the records in the lines before the first record, in which quotes have no meaning. */
export function skippedRecords({ utf8, delimiter, skipLines }: CsvText): readonly CsvRecord[] {
  const end = Math.min(offsetAfterLines(utf8, skipLines), MAX_ROW_BYTES);
  return splitRows(utf8.toString('utf8', 0, end), delimiter, 1).records;
}

function offsetAfterLines(utf8: Buffer, lines: number): number {
  let start = 0;
  for (let skipped = 0; skipped < lines; skipped++) start = endOfLine(utf8, start, utf8.length);
  return start;
}

/** Returns the offset after the next line end, or `limit` if that comes first. */
function endOfLine(utf8: Buffer, start: number, limit: number): number {
  const stop = Math.min(limit, utf8.length);
  let end = start;
  while (end < stop && utf8[end] !== LF && utf8[end] !== CR) end++;
  if (end >= stop) return stop;
  return end + (utf8[end] === CR && utf8[end + 1] === LF ? 2 : 1);
}

/** Splits text in which quotes have no meaning. Not a generator, because loops in generators are many times slower. */
function splitRows(text: string, delimiter: string, firstLine: number): ParsedRecords {
  const lines = text.includes('\r') ? text.split(LINE_END) : text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  // Only the last line can be long, because a chunk ends with the line in which it reaches its size.
  if ((lines.at(-1)?.length ?? 0) > MAX_ROW_LENGTH) throw rowTooLong(firstLine + lines.length - 1);
  const records: CsvRecord[] = [];
  let line = firstLine;
  for (const row of lines) {
    const cells = row.split(delimiter);
    if (isNotBlank(cells)) records.push({ line, cells, lines: undefined });
    line++;
  }
  return { records, length: text.length, nextLine: firstLine + lines.length };
}
