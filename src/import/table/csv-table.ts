import { sendableText } from '../../util/visible-text.ts';
import { type CsvRecord, readCsvRecords } from './csv.ts';
import { emptyList, headerNotFound, type TableContent } from './header.ts';
import type { FileOptions, Row } from './table.ts';

/** The delimiters that orgadm recognizes, in the order in which it prefers them. */
const DELIMITERS = [',', ';', '\t', '|'] as const;

/** Bytes of a header line that show the delimiter. */
const HEAD_BYTES = 64 * 1024;

/**
 * Reads a CSV list. The delimiter is the most frequent of `,` `;` tab `|` in the header line.
 *
 * @throws UsageError for a list without a header
 */
export function csvTable(utf8: Buffer, options: FileOptions): TableContent {
  const skipLines = (options.headerRow ?? 1) - 1;
  const delimiter =
    options.delimiter === undefined ? detectDelimiter(utf8, skipLines) : givenDelimiter(options.delimiter);
  const header = options.columns === undefined ? firstRecord(utf8, delimiter, skipLines) : undefined;
  if (options.columns === undefined && header === undefined)
    throw options.headerRow === undefined ? emptyList() : headerNotFound(options.headerRow);
  if (header !== undefined && options.headerRow !== undefined && header.line !== options.headerRow)
    throw headerNotFound(options.headerRow);
  const columns = options.columns ?? (header?.cells ?? []).map(sendableText);
  return {
    columns,
    *chunks() {
      for (const records of readCsvRecords(utf8, delimiter, skipLines)) {
        const rows: Row[] = [];
        for (const record of records)
          if (record.line !== header?.line) rows.push(toRow(record, columns.length, delimiter));
        yield rows;
      }
    },
  };
}

function givenDelimiter(text: string): string {
  return text === 'tab' ? '\t' : text;
}

/** Delimiters within quotes do not count. */
function detectDelimiter(utf8: Buffer, skipLines: number): string {
  const lines = utf8.toString('utf8', 0, HEAD_BYTES).split(/\r\n|\r|\n/);
  const header = lines.slice(skipLines).find((line) => line.trim() !== '') ?? '';
  const unquoted = header.replace(/"[^"]*"/g, '');
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function firstRecord(utf8: Buffer, delimiter: string, skipLines: number): CsvRecord | undefined {
  for (const records of readCsvRecords(utf8, delimiter, skipLines)) if (records[0] !== undefined) return records[0];
  return undefined;
}

function toRow(record: CsvRecord, width: number, delimiter: string): Row {
  const { line, cells } = record;
  let problem = record.lines === undefined ? undefined : hiddenRows(record, record.lines, width, delimiter);
  if (cells.length > width) {
    const filled = cells.findLastIndex((cell) => cell.trim() !== '') + 1;
    if (filled > width) problem ??= `has ${filled} cells, but the header has ${width}`;
  }
  return { line, cells, problem };
}

/**
 * Describes why a row of several lines may hold other rows, because a quotation mark is missing: a line of a quoted cell, or
 * every line of the row, has as many cells as the header. Undefined if none of them looks like a row.
 */
function hiddenRows(
  { line, cells }: CsvRecord,
  lines: readonly string[],
  width: number,
  delimiter: string,
): string | undefined {
  const isLikeRow = (text: string) => text.split(delimiter).length === width;
  const isLikeRows = (cell: string) => /[\r\n]/.test(cell) && cell.split(/\r\n|\r|\n/).some(isLikeRow);
  if (!lines.every(isLikeRow) && !cells.some(isLikeRows)) return undefined;
  return `is lines ${line} to ${line + lines.length - 1} because of its quotation marks, but looks like several rows (a quotation mark may be missing)`;
}
