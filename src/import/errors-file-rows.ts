import { escapeFormulas } from '../output/csv.ts';
import { isJsonObject } from '../output/json.ts';
import { cleanLine, escapeJson } from '../output/sanitize.ts';
import { parseJson } from '../util/json/parse-json.ts';
import { ERROR_COLUMN, fieldForSpelling } from './entry.ts';
import type { FieldRule } from './list/field-rule.ts';
import { extraFieldRule, plainFieldName } from './list/field-rules.ts';
import { readValue } from './list/field-value.ts';
import { findDuplicateKey } from './list/json/duplicate-keys.ts';
import { valueAtPath } from './list/json/json-paths.ts';
import { createKeyRoles } from './list/json/key-roles.ts';
import { DETECTED_DELIMITERS } from './list/list-format.ts';
import type { CsvLayout, JsonLayout } from './list/list-layout.ts';
import type { RawRow } from './list/list-row.ts';

/**
 * Writes rows in the format of their list, each with its error. orgadm reads the output without the options of the list:
 * each field has its own name and the value that orgadm read, unless it rejected that.
 */
interface RowWriter {
  /** The text before the rows. */
  readonly begin: string;
  /** @param index number of rows before this one */
  row(raw: RawRow, error: string, index: number): string;
  /** Returns the text after the rows. */
  end(count: number): string;
}

/**
 * Writes rows in the columns of their list, and the errors in a last column. Fields that have no column of
 * their own come before it: those with a default, and those that a second list translates. Cells that a spreadsheet would
 * evaluate are escaped: by the column `error`, `readCsv` recognizes that they are.
 */
export function createCsvRowWriter({ hasBom, columns, rules, ...layout }: CsvLayout): RowWriter {
  const { header, errorColumn } = columns;
  const delimiter: string = DETECTED_DELIMITERS.find((delimiter) => delimiter === layout.delimiter) ?? ',';
  const width = errorColumn ?? header.length;
  const columnOf = new Map(columns.fields.map(({ field, column }) => [field, column]));
  const ruleAt = new Map<number, FieldRule>();
  const added: FieldRule[] = [];
  for (const rule of rules) {
    const column = columnOf.get(rule.field);
    const hasOwnColumn = column !== undefined && rule.lookup === undefined && !ruleAt.has(column);
    if (hasOwnColumn) ruleAt.set(column, rule);
    else if (column !== undefined || rule.default !== undefined) added.push(rule);
  }

  /** The cells of the list's own columns. Blank cells beyond the header would move the error out of its column. */
  const record = (cells: readonly string[]) => {
    const kept = cells.filter((_, column) => column !== errorColumn);
    while (kept.length > width && kept.at(-1)?.trim() === '') kept.pop();
    while (kept.length < width) kept.push('');
    return kept;
  };
  const cellOf = (rule: FieldRule, cells: readonly string[]) => {
    const cell = cells[columnOf.get(rule.field) ?? -1] ?? '';
    return String(plainValue(rule, cell) ?? '');
  };
  const line = (cells: readonly string[]) =>
    `${cells.map((cell) => quoteForAnyDelimiter(escapeFormulas(cell, delimiter))).join(delimiter)}\n`;
  const names = header.map((name, column) => plainName(name, ruleAt.get(column)));
  return {
    begin: (hasBom ? '\ufeff' : '') + line([...record(names), ...added.map(plainFieldName), ERROR_COLUMN]),
    row: (raw, error) => {
      const cells = 'cells' in raw ? raw.cells : [];
      const kept = record(cells).map((cell, column) => {
        const rule = ruleAt.get(column);
        return rule === undefined ? cell : cellOf(rule, cells);
      });
      return line([...kept, ...added.map((rule) => cellOf(rule, cells)), cleanLine(error)]);
    },
    end: () => '',
  };
}

/** Quotes a cell that contains any of the delimiters that a list may have. */
function quoteForAnyDelimiter(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Writes entries, and the errors under a last key. */
export function createJsonRowWriter({ format, hasBom, rules }: JsonLayout): RowWriter {
  const write = createEntryWriter(rules);
  const bom = hasBom ? '\ufeff' : '';
  const row = (raw: RawRow, error: string) =>
    escapeJson(JSON.stringify({ ...write('text' in raw ? raw.text : '{}'), [ERROR_COLUMN]: error }));
  if (format === 'ndjson') return { begin: bom, row: (raw, error) => `${row(raw, error)}\n`, end: () => '' };
  return {
    begin: `${bom}[`,
    row: (raw, error, index) => (index === 0 ? '\n' : ',\n') + row(raw, error),
    end: (count) => (count === 0 ? ']\n' : '\n]\n'),
  };
}

/** Returns a function that returns the entry of a JSON text, with each field under its own name. */
function createEntryWriter(rules: readonly FieldRule[]): (text: string) => object {
  const roleOf = createKeyRoles(rules);
  return (text) => {
    const parsed = parseJson(text);
    const object = isJsonObject(parsed) ? parsed : {};
    const [duplicate] = findDuplicateKey(text, object)?.split('.') ?? [];
    const written = new Map<string, unknown>();
    const fields = new Set<FieldRule>();
    const setField = (rule: FieldRule, name: string, value: unknown) => {
      const plain = plainValue(rule, value);
      fields.add(rule);
      if (plain !== undefined) written.set(name, plain);
    };
    for (const [key, value] of Object.entries(object)) {
      const role = roleOf(key);
      if (role === 'error') continue;
      const read = typeof role === 'string' || role.isReplaced ? [] : role.rules;
      // JSON.parse has lost one of two values. An array stays invalid until the user fixes it.
      if (key === duplicate) written.set(plainName(key, read[0]), [value]);
      else if (read.length === 0 || read.some(({ lookup }) => lookup !== undefined)) written.set(plainName(key), value);
      if (key !== duplicate)
        for (const rule of read) setField(rule, rule.lookup ? plainFieldName(rule) : plainName(key, rule), value);
      for (const rule of read) fields.add(rule);
    }
    for (const rule of rules) {
      if (rule.source?.name.includes('.'))
        setField(rule, plainFieldName(rule), valueAtPath(object, rule.source.name.split('.')));
      if (!fields.has(rule) && rule.default !== undefined) written.set(plainFieldName(rule), rule.default);
    }
    return Object.fromEntries(written);
  };
}

/** Returns the name of a column or key, changed only if it would be read as another field. */
function plainName(name: string, rule?: FieldRule): string {
  if (fieldForSpelling(name) === rule?.field && extraFieldRule(name) === undefined) return name;
  // A column that was not read is not read in parentheses either.
  return rule === undefined ? `(${name})` : plainFieldName(rule);
}

/**
 * Returns the value that is read as the same without options, or the value itself if it is invalid. A value that a second list
 * does not have is left out: it is not the value of the field.
 */
function plainValue(rule: FieldRule, value: unknown): unknown {
  const read = readValue(rule, value);
  if ('issue' in read) return rule.lookup === undefined ? value : undefined;
  return read.value ?? rule.default ?? (rule.lookup === undefined ? value : undefined);
}
