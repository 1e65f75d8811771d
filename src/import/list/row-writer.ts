import { escapeFormulas } from '../../output/csv.ts';
import { cleanLine, escapeJson } from '../../output/sanitize.ts';
import { ERROR_COLUMN, fieldForSpelling, type MemberField } from '../entry.ts';
import { type MemberSpan, objectMembers } from './json-members.ts';
import { JsonKeys, type KeyRole } from './json-row-parser.ts';
import type { CsvLayout, JsonLayout, ListLayout } from './list-options.ts';
import type { RawRow } from './list-row.ts';

/**
 * The writer for rows of a list that is written like this. What it writes is read again as it is: what --map, --default
 * and --ignore-extra-columns did for the list is not needed any more.
 */
export function createRowWriter(layout: ListLayout): RowWriter {
  return 'columns' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
}

/**
 * Writes rows in the columns of their list, and what is wrong with them in a last one. Columns that --map named get
 * their field's own name, and --default fills what is blank. Cells that a spreadsheet would evaluate are escaped: by
 * the column `error`, `CsvRowParser` recognizes that they are.
 */
function createCsvRowWriter({ bom, delimiter, columns, options }: CsvLayout): RowWriter {
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

/**
 * Writes the texts of entries as they are, and what is wrong with them under a last key. Keys that --map named become
 * their field's own name, and --default fills what is blank.
 */
function createJsonRowWriter({ format, bom, options }: JsonLayout): RowWriter {
  const keys = new JsonKeys(options.map);
  const bomText = bom ? '\ufeff' : '';
  const errorMember = (error: string) => `"${ERROR_COLUMN}": ${escapeJson(JSON.stringify(error))}`;
  const row = (text: string, error: string) => {
    const members = objectMembers(text).map((span) => ({ span, role: keys.roleOf(span.key) }));
    const isPlain = options.map.size === 0 && options.defaults.size === 0;
    return isPlain
      ? withError(text, members, errorMember(error))
      : rewritten(text, members, options.defaults, errorMember(error));
  };
  if (format === 'ndjson') {
    return {
      begin: () => bomText,
      row: (raw, error) => `${row('text' in raw ? raw.text.trim() : '{}', error)}\n`,
      end: () => '',
    };
  }
  let before = '\n';
  return {
    begin: () => `${bomText}[`,
    row: (raw, error) => {
      const text = before + row('text' in raw ? raw.text : '{}', error);
      before = ',\n';
      return text;
    },
    end: () => (before === '\n' ? ']\n' : '\n]\n'),
  };
}

interface MemberText {
  span: MemberSpan;
  role: KeyRole;
}

/** The object that `text` is, with its keys, numbers and spacing as they are, and the error as its last key. */
function withError(text: string, members: readonly MemberText[], errorMember: string): string {
  const kept = members.filter(({ role }) => role !== 'error').map(({ span }) => span);
  const last = kept.at(-1);
  if (last === undefined) return `{${errorMember}}`;
  if (kept.length === members.length) return `${text.slice(0, last.end)}, ${errorMember}${text.slice(last.end)}`;
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(', ')}, ${errorMember}}`;
}

/** The same with every key renamed that would not be known, and with values where they are blank. */
function rewritten(
  text: string,
  members: readonly MemberText[],
  defaults: ReadonlyMap<MemberField, string>,
  errorMember: string,
): string {
  const missing = new Map<string, string>(defaults);
  const kept: string[] = [];
  for (const { span, role } of members) {
    const value = text.slice(span.value, span.end);
    if (role === 'error' || (missing.has(role) && isBlank(value))) continue;
    missing.delete(role);
    const isKnown = role === 'unknown' || role === 'forbidden' || fieldForSpelling(span.key) === role;
    kept.push(isKnown ? text.slice(span.start, span.end) : `${JSON.stringify(role)}:${value}`);
  }
  for (const [field, value] of missing) kept.push(`${JSON.stringify(field)}: ${escapeJson(JSON.stringify(value))}`);
  return `{${[...kept, errorMember].join(', ')}}`;
}

/** Whether a value counts as absent: null, or a text of blanks. */
function isBlank(value: string): boolean {
  const text = value.trim();
  return text === 'null' || (text.startsWith('"') && String(JSON.parse(text)).trim() === '');
}

/** Writes rows back as their list has them, each with what is wrong with it. */
export interface RowWriter {
  /** What comes before the rows. */
  begin(): string;
  row(raw: RawRow, error: string): string;
  /** What comes after the rows. */
  end(): string;
}
