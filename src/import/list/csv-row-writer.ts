import { escapeFormulas } from '../../output/formulas.ts';
import { cleanLine } from '../../output/sanitize.ts';
import type { MemberField } from '../entry.ts';
import { ERROR_COLUMN, fieldForSpelling } from '../field-names.ts';
import type { CsvLayout } from './list-layout.ts';
import type { RowWriter } from './row-writer-type.ts';

/**
 * Writes rows in the columns of their list, and what is wrong with them in a last one. Columns that --map named get
 * their field's own name, and --default fills what is blank. Cells that a spreadsheet would evaluate are escaped: by
 * the column `error`, `CsvRowParser` recognizes that they are.
 */
export function createCsvRowWriter({ bom, delimiter, columns, options }: CsvLayout): RowWriter {
  const { header, errorColumn } = columns;
  const width = errorColumn ?? header.length;
  const fieldAt = new Map(columns.fields.map(([field, column]) => [column, field]));
  const columnsPresent = new Set(fieldAt.values());
  const added = [...options.defaults].filter(([field]) => !columnsPresent.has(field));

  const record = (cells: readonly string[], more: readonly string[]) => {
    const kept = cells.filter((_, column) => column !== errorColumn);
    // Blank cells beyond the header would move the error out of its column.
    while (kept.length > width && kept.at(-1)?.trim() === '') kept.pop();
    while (kept.length < width) kept.push('');
    return [...kept, ...more];
  };
  const line = (cells: readonly string[]) =>
    `${cells.map((cell) => quoteCell(escapeFormulas(cell, delimiter))).join(delimiter)}\n`;
  const filled = (cell: string, column: number) => {
    const field = cell.trim() === '' ? fieldAt.get(column) : undefined;
    return (field === undefined ? undefined : options.defaults.get(field)) ?? cell;
  };
  const names = header.map((name, column) => plainName(name, fieldAt.get(column)));
  const addedNames = added.map(([field]) => field);
  const addedCells = added.map(([, value]) => value);
  return {
    begin: () => (bom ? '\ufeff' : '') + line(record(names, [...addedNames, ERROR_COLUMN])),
    row: (raw, error) => {
      const cells = record('cells' in raw ? raw.cells : [], [...addedCells, cleanLine(error)]);
      return line(options.defaults.size === 0 ? cells : cells.map(filled));
    },
    end: () => '',
  };
}

/** A column's name, changed only where it would not stand for what it stood for. */
function plainName(name: string, field: MemberField | undefined): string {
  const known = fieldForSpelling(name);
  if (known === field) return name;
  // Without a field it was left unread: another column holds what its name says.
  return field ?? `(${name})`;
}

/** Quotes a cell that contains any of the delimiters that a list may have. */
function quoteCell(cell: string): string {
  return /[",;\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
