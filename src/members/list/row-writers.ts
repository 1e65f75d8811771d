import { objectMembers } from '../../json/object-members.ts';
import { cleanLine, escapeJson } from '../../output/sanitize.ts';
import { ERROR_COLUMN, normalise } from './field-names.ts';
import type { CsvLayout, ListLayout } from './layout.ts';
import type { RawRow } from './row.ts';

/** Writes rows back as their list has them, each with what is wrong with it. */
export interface RowWriter {
  /** What comes before the rows. */
  begin(): string;
  row(raw: RawRow, error: string): string;
  /** What comes after the rows. */
  end(): string;
}

const BOM = '\ufeff';

/** The writer for rows of a list that is written like this. */
export function createRowWriter(layout: ListLayout): RowWriter {
  const bom = layout.bom ? BOM : '';
  if ('header' in layout) return csvWriter(bom, layout);
  return layout.format === 'json' ? jsonWriter(bom) : ndjsonWriter(bom);
}

function csvWriter(bom: string, layout: CsvLayout): RowWriter {
  const { delimiter, header, errorColumn } = layout;
  const columns = errorColumn ?? header.length;
  const record = (cells: readonly string[], error: string) => {
    const own = cells.filter((_, column) => column !== errorColumn);
    // Blank cells beyond the header would move the error out of its column.
    while (own.length > columns && own.at(-1)?.trim() === '') own.pop();
    while (own.length < columns) own.push('');
    return `${[...own, error].map(quoteCell).join(delimiter)}\n`;
  };
  return {
    begin: () => bom + record(header, ERROR_COLUMN),
    row: (raw, error) => record('cells' in raw ? raw.cells : [], errorCell(error)),
    end: () => '',
  };
}

/** A cell exactly as it is, in quotes where any of the delimiters that a list may have stands in it. */
function quoteCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The words are the service's, and a spreadsheet must not run them; no other cell is touched, for they are read again. */
function errorCell(error: string): string {
  const words = cleanLine(error);
  return /^[=+\-@]/.test(words) ? `'${words}` : words;
}

function jsonWriter(bom: string): RowWriter {
  let before = '\n';
  return {
    begin: () => `${bom}[`,
    row: (raw, error) => {
      const row = before + withError('text' in raw ? raw.text : '{}', error);
      before = ',\n';
      return row;
    },
    end: () => (before === '\n' ? ']\n' : '\n]\n'),
  };
}

function ndjsonWriter(bom: string): RowWriter {
  return {
    begin: () => bom,
    row: (raw, error) => `${withError('text' in raw ? raw.text.trim() : '{}', error)}\n`,
    end: () => '',
  };
}

/** The object that `text` is, with its keys, numbers and spacing as they are, and `error` as its last key. */
function withError(text: string, error: string): string {
  const told = `"${ERROR_COLUMN}": ${escapeJson(JSON.stringify(error))}`;
  const members = objectMembers(text);
  const own = members.filter(({ key }) => normalise(key) !== ERROR_COLUMN);
  const last = own.at(-1);
  if (last === undefined) return `{${told}}`;
  if (own.length === members.length) return `${text.slice(0, last.end)}, ${told}${text.slice(last.end)}`;
  return `{${own.map(({ start, end }) => text.slice(start, end)).join(', ')}, ${told}}`;
}
