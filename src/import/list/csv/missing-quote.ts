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

/** Does the same for a row of an errors file, which has more cells than in its list: the error, and blank ones before it. */
export function missingQuoteInErrorsFile(record: CsvRecord, columns: number, delimiter: string): string | undefined {
  const cells = record.cells.slice(0, columns - 1);
  while (cells.at(-1)?.trim() === '') cells.pop();
  const error = record.cells[columns - 1] ?? '';
  const ends = [`"${error.replaceAll('"', '""')}"`, error].map((text) => `${delimiter}${text}`);
  const lines = [...(record.lines ?? [])];
  const last = lines.pop() ?? '';
  const end = ends.find((text) => last.endsWith(text)) ?? '';
  lines.push(last.slice(0, last.length - end.length));
  return missingQuote(record, columns, delimiter) ?? missingQuote({ ...record, lines, cells }, columns - 1, delimiter);
}
