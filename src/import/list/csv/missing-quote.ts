import { type CsvRecord, LINE_END } from './csv-record.ts';

/**
 * Describes why a row of several lines may hold other rows, because a quote is missing: a line of a quoted cell, or every line
 * of the row, has as many cells as the header, or as the row if that is shorter. Undefined if none of them looks like a row.
 *
 * @param columns the number of cells in the header
 */
export function missingQuote(record: CsvRecord, columns: number, delimiter: string): string | undefined {
  const { line, lines, cells } = record;
  if (lines === undefined) return undefined;
  const isLikeRow = (text: string) => {
    const count = text.split(delimiter).length;
    return count === columns || (count > 1 && count === cells.length);
  };
  const isLikeRows = (cell: string) => LINE_END.test(cell) && cell.split(LINE_END).some(isLikeRow);
  if (!lines.every(isLikeRow) && !cells.some(isLikeRows)) return undefined;
  const last = line + lines.length - 1;
  return `lines ${line} to ${last} are one row because of their quotes, but look like several rows (a quote may be missing)`;
}
