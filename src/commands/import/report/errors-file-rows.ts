import type { CsvLayout, JsonLayout } from '../../../import/list/layout.ts';
import { DETECTED_DELIMITERS } from '../../../import/list/source/format.ts';
import type { RawRow } from '../../../import/list-row.ts';
import { ERROR_COLUMN, normalizeSpelling } from '../../../import/new-member.ts';
import { escapeFormulas } from '../../../output/csv.ts';
import { cleanLine, escapeJson } from '../../../output/sanitize.ts';
import { objectMembers } from '../../../util/json/object-members.ts';

/** Writes rows as they are in their list, each with its error. */
export interface RowWriter {
  /** The text before the rows. */
  readonly begin: string;
  /** @param index number of rows before this one */
  row(raw: RawRow, error: string, index: number): string;
  /** Returns the text after the rows. */
  end(count: number): string;
}

/** Writes rows with the columns of their list below a header, and the errors in a last column. */
export function createCsvRowWriter({ hasBom, header, errorColumn, ...layout }: CsvLayout): RowWriter {
  const delimiter: string = DETECTED_DELIMITERS.find((delimiter) => delimiter === layout.delimiter) ?? ',';
  const width = errorColumn ?? header.length;
  /** The cells of the list's own columns. Blank cells beyond the header would move the error out of its column. */
  const cellsOf = (cells: readonly string[]) => {
    // In a row with more cells than the header, the error is the last one.
    const errorAt = errorColumn === undefined ? undefined : Math.max(errorColumn, cells.length - 1);
    const kept = cells.filter((_, column) => column !== errorAt);
    while (kept.length > width && kept.at(-1)?.trim() === '') kept.pop();
    while (kept.length < width) kept.push('');
    return kept;
  };
  const line = (cells: readonly string[]) => `${cells.map(quoteForAnyDelimiter).join(delimiter)}\n`;
  return {
    begin: (hasBom ? '\ufeff' : '') + line([...cellsOf(header), ERROR_COLUMN]),
    // The message is not the user's: a spreadsheet must not evaluate it.
    row: (raw, error) =>
      line([...cellsOf('cells' in raw ? raw.cells : []), escapeFormulas(cleanLine(error), delimiter)]),
    end: () => '',
  };
}

/** Quotes a cell that contains any of the delimiters that a list may have. */
function quoteForAnyDelimiter(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Writes elements, and the errors under a last key. */
export function createJsonRowWriter({ format, hasBom }: JsonLayout): RowWriter {
  const bom = hasBom ? '\ufeff' : '';
  const row = (raw: RawRow, error: string) => withError('text' in raw ? raw.text : '{}', error);
  if (format === 'ndjson') return { begin: bom, row: (raw, error) => `${row(raw, error)}\n`, end: () => '' };
  return {
    begin: `${bom}[`,
    row: (raw, error, index) => (index === 0 ? '\n' : ',\n') + row(raw, error),
    end: (count) => (count === 0 ? ']\n' : '\n]\n'),
  };
}

/** Adds an error to the text of an object, in place of an earlier one. The other members stay as they are, also invalid ones. */
function withError(text: string, error: string): string {
  const members = objectMembers(text);
  const others = members.filter(({ key }) => normalizeSpelling(key) !== ERROR_COLUMN);
  const kept = others.length === members.length ? text : `{${others.map((member) => member.text).join(',')}}`;
  const start = kept.slice(0, kept.lastIndexOf('}')).trimEnd();
  return `${start}${start.endsWith('{') ? '' : ','}"${ERROR_COLUMN}":${escapeJson(JSON.stringify(error))}}`;
}
