import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { escapeFormulas } from '../output/csv.ts';
import { cleanLine, escapeJson } from '../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { commitByRename } from '../util/files.ts';
import { ERROR_COLUMN, fieldForSpelling } from './entry.ts';
import { createFieldRules, extraFieldName, type FieldRule, plainText } from './list/field-rules.ts';
import { type MemberSpan, objectMembers } from './list/json/json-elements.ts';
import { createKeyRoles, type KeyRole } from './list/json/json-row-parser.ts';
import { type CsvLayout, formatByName, type JsonLayout, type ListLayout } from './list/list-options.ts';
import type { RawRow } from './list/list-row.ts';
import type { ListRow, MemberList } from './list/open-list.ts';

/** A row that has to be fixed, and what is wrong with it. */
export interface RejectedRow {
  row: ListRow;
  error: string;
}

const BUFFER_CHARACTERS = 64 * 1024;

/**
 * Checks before anything is sent that the errors file can be written to `file`: it must not be the list itself, nor have
 * a name under which it would be read in another format, and its folder must be writable.
 *
 * @throws UsageError for such a name
 * @throws OrgadmError if nothing can be written
 */
export async function checkErrorsPath(file: string, list: Pick<MemberList, 'file' | 'format'>): Promise<void> {
  const rejected = (reason: string, hint?: string) => new UsageError(`--errors-file ${file}: ${reason}`, hint);
  const { format } = list;
  const there = await stat(file, { bigint: true }).catch(() => undefined);
  if (there !== undefined && there.dev === list.file?.dev && there.ino === list.file.ino)
    throw rejected('that is the list itself', 'Choose another file: the list must not be overwritten.');
  if (there !== undefined && !there.isFile()) throw rejected('that is not a file');
  if (/\.(?:xlsx|xlsm|xls|ods|gz)$/i.test(file))
    throw rejected(`the rows are written as ${format}`, `Name a file that ends in .${format}.`);
  const named = formatByName(file);
  if (named !== undefined && named !== format && !(named === 'csv' && format === 'tsv')) {
    throw rejected(
      `the rows are written as the list is, in ${format}`,
      `Name a file that ends in .${format}, so that it can be read again.`,
    );
  }
  try {
    const { handle, temporary } = await openTemporary(await targetOf(file));
    await handle.close();
    await rm(temporary);
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

/**
 * Writes an errors file (0600) in the format of its list: delimiter, byte order mark, columns, and what is wrong with each
 * row in a last column or key `error`. It replaces an earlier file only when it is complete. Without rows no file is
 * created, but an earlier one is replaced by an empty list, so that it does not show the rows of an earlier run.
 *
 * @returns the number of rows in it
 * @throws OrgadmError if it cannot be written; an earlier file is left as it was
 */
export async function writeErrorsFile(
  file: string,
  layout: ListLayout,
  rows: AsyncIterable<RejectedRow>,
): Promise<number> {
  try {
    const target = await targetOf(file);
    const { handle, temporary } = await openTemporary(target);
    try {
      const count = await writeRows(handle, layout, rows);
      if (count === 0 && (await stat(target).catch(() => undefined)) === undefined) return 0;
      await handle.sync();
      await commitByRename(temporary, target);
      return count;
    } finally {
      await handle.close();
      await rm(temporary, { force: true });
    }
  } catch (error) {
    throw error instanceof OrgadmError ? error : cannotWrite(file, error);
  }
}

async function writeRows(handle: FileHandle, layout: ListLayout, rows: AsyncIterable<RejectedRow>): Promise<number> {
  const writer = 'columns' in layout ? createCsvRowWriter(layout) : createJsonRowWriter(layout);
  let text = writer.begin;
  let count = 0;
  for await (const { row, error } of rows) {
    text += writer.row(row.raw, error, count++);
    if (text.length < BUFFER_CHARACTERS) continue;
    await handle.writeFile(text);
    text = '';
  }
  await handle.writeFile(text + writer.end(count));
  return count;
}

/** Creates a file in the folder of the target. */
async function openTemporary(target: string): Promise<{ handle: FileHandle; temporary: string }> {
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  return { handle: await open(temporary, 'wx', 0o600), temporary };
}

/** Returns where a link points, so that it stays a link. */
function targetOf(file: string): Promise<string> {
  return realpath(file).catch(() => path.resolve(file));
}

function cannotWrite(file: string, cause: unknown): OrgadmError {
  const message = `--errors-file ${file}: cannot be written: ${describeFsError(cause)}`;
  const hint = 'Choose a file in a writable folder with enough free space.';
  return new OrgadmError('errors-file-failed', EXIT.usage, message, { hint, cause });
}

/**
 * Writes rows as they are in their list, each with what is wrong with it. The output can be read without the options of the
 * list: their effects are applied to the rows.
 */
interface RowWriter {
  /** What comes before the rows. */
  begin: string;
  /** @param index number of rows before this one */
  row(raw: RawRow, error: string, index: number): string;
  /** Returns what comes after the rows. */
  end(count: number): string;
}

const DETECTED_DELIMITERS = [',', ';', '\t', '|'];

/**
 * Writes rows in the columns of their list, and what is wrong with them in a last one. Mapped columns get their field's
 * own name, values are translated, and defaults fill what is blank. Cells that a spreadsheet would evaluate are escaped:
 * by the column `error`, `CsvRowParser` recognizes that they are.
 */
function createCsvRowWriter(layout: CsvLayout): RowWriter {
  const { hasBom, columns, options } = layout;
  const { header, errorColumn } = columns;
  const delimiter = DETECTED_DELIMITERS.includes(layout.delimiter) ? layout.delimiter : ',';
  const width = errorColumn ?? header.length;
  const rules = new Map(createFieldRules(options).map((rule) => [rule.field, rule]));
  const ruleAt = new Map<number, FieldRule>();
  /** Fields without a column of their own: read from a column that is another field too, or set by --default. */
  const added: { field: string; cell: (cells: readonly string[]) => string }[] = [];
  const fill = (rule: FieldRule, cell: string) => {
    const text = plainText(rule, cell);
    return text.trim() === '' ? (options.defaults.get(rule.field as never) ?? text) : text;
  };
  for (const { field, column } of columns.fields) {
    const rule = rules.get(field);
    if (rule === undefined) continue;
    if (ruleAt.has(column)) added.push({ field: fieldName(rule), cell: (cells) => fill(rule, cells[column] ?? '') });
    else ruleAt.set(column, rule);
  }
  for (const [field, value] of options.defaults)
    if (!columns.fields.some((read) => read.field === field)) added.push({ field, cell: () => value });

  const record = (cells: readonly string[]) => {
    const kept = cells.filter((_, column) => column !== errorColumn);
    // Blank cells beyond the header would move the error out of its column.
    while (kept.length > width && kept.at(-1)?.trim() === '') kept.pop();
    while (kept.length < width) kept.push('');
    return kept;
  };
  const line = (cells: readonly string[]) =>
    `${cells.map((cell) => quoteCell(escapeFormulas(cell, delimiter))).join(delimiter)}\n`;
  const names = header.map((name, column) => plainName(name, ruleAt.get(column)));
  return {
    begin: (hasBom ? '\ufeff' : '') + line([...record(names), ...added.map(({ field }) => field), ERROR_COLUMN]),
    row: (raw, error) => {
      const cells = 'cells' in raw ? raw.cells : [];
      const kept = record(cells).map((cell, column) => {
        const rule = ruleAt.get(column);
        return rule === undefined ? cell : fill(rule, cell);
      });
      return line([...kept, ...added.map(({ cell }) => cell(cells)), cleanLine(error)]);
    },
    end: () => '',
  };
}

/** Returns a column's name, changed only if it would be read as another field. */
function plainName(name: string, rule: FieldRule | undefined): string {
  if (fieldForSpelling(name) === rule?.field) return name;
  // A column without a field was ignored, and in parentheses its name does not match a field.
  return rule === undefined ? `(${name})` : fieldName(rule);
}

/** Returns the name under which a field is read without options. */
function fieldName(rule: FieldRule): string {
  return rule.isExtra ? extraFieldName(rule) : rule.field;
}

/** Quotes a cell that contains any of the delimiters that a list may have. */
function quoteCell(cell: string): string {
  return /[",;|\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Writes the texts of entries as they are, and what is wrong with them under a last key. With options, mapped keys become
 * their field's own name, values are translated, and defaults fill what is blank.
 */
function createJsonRowWriter({ format, hasBom, options }: JsonLayout): RowWriter {
  const rules = createFieldRules(options);
  const roleOf = createKeyRoles(rules);
  const bom = hasBom ? '\ufeff' : '';
  const isPlain = options.map.size + options.valueMap.size + options.defaults.size + options.extraFields.length === 0;
  const row = (text: string, error: string) => {
    const members = objectMembers(text).map((span) => ({ ...span, role: roleOf(span.key) }));
    const errorMember = `"${ERROR_COLUMN}": ${escapeJson(JSON.stringify(error))}`;
    return isPlain ? withError(text, members, errorMember) : rewritten(text, members, rules, options, errorMember);
  };
  const textOf = (raw: RawRow) => ('text' in raw ? raw.text : '{}');
  // Line ends of valid JSON are white space.
  const oneLine = (text: string) => text.trim().replace(/\s*[\r\n]\s*/g, ' ');
  if (format === 'ndjson')
    return { begin: bom, row: (raw, error) => `${row(oneLine(textOf(raw)), error)}\n`, end: () => '' };
  return {
    begin: `${bom}[`,
    row: (raw, error, index) => (index === 0 ? '\n' : ',\n') + row(textOf(raw), error),
    end: (count) => (count === 0 ? ']\n' : '\n]\n'),
  };
}

type MemberText = MemberSpan & { role: KeyRole };

/** The object in `text`, with its keys, numbers and spacing as they are, and the error as its last key. */
function withError(text: string, members: readonly MemberText[], errorMember: string): string {
  const kept = members.filter(({ role }) => role !== 'error');
  const last = kept.at(-1);
  if (last === undefined) return `{${errorMember}}`;
  if (kept.length === members.length) return `${text.slice(0, last.end)}, ${errorMember}${text.slice(last.end)}`;
  return `{${kept.map(({ start, end }) => text.slice(start, end)).join(', ')}, ${errorMember}}`;
}

/** The same with every field under its own name, translated, and with defaults for those that are blank. */
function rewritten(
  text: string,
  members: readonly MemberText[],
  rules: readonly FieldRule[],
  { defaults }: JsonLayout['options'],
  errorMember: string,
): string {
  const missing = new Map<string, string>(defaults);
  const kept: string[] = [];
  const keep = (rule: FieldRule, value: string, member: string) => {
    if (missing.has(rule.field) && isBlank(value)) return;
    missing.delete(rule.field);
    const plain = plainJson(rule, value);
    kept.push(plain === value ? member : `${JSON.stringify(fieldName(rule))}:${plain}`);
  };
  for (const { key, role, start, end, value: valueStart } of members) {
    const value = text.slice(valueStart, end);
    const member = text.slice(start, end);
    if (role === 'error') continue;
    if (typeof role === 'string') kept.push(member);
    else if (role.isReplaced) kept.push(`${JSON.stringify(`(${key})`)}:${value}`);
    else {
      for (const rule of role.rules) {
        const isKnown = fieldForSpelling(key) === rule.field;
        keep(rule, value, isKnown ? member : `${JSON.stringify(fieldName(rule))}:${value}`);
      }
    }
  }
  for (const rule of rules) {
    const value = rule.source?.name.includes('.') ? valueText(text, rule.source.name.split('.')) : undefined;
    if (value !== undefined) keep(rule, value, `${JSON.stringify(fieldName(rule))}:${value}`);
  }
  for (const [field, value] of missing) kept.push(`${JSON.stringify(field)}: ${escapeJson(JSON.stringify(value))}`);
  return `{${[...kept, errorMember].join(', ')}}`;
}

/** Returns the text of the value at a path, see `valueAt`; undefined if there is none. */
function valueText(text: string, path: readonly string[]): string | undefined {
  if (path.length === 0) return text.trim();
  const members = new Map<string, string>();
  if (/^\s*\{/.test(text))
    for (const { key, value, end } of objectMembers(text)) members.set(key, text.slice(value, end));
  if (/^\s*\[/.test(text))
    for (const [index, element] of (JSON.parse(text) as unknown[]).entries())
      members.set(String(index), JSON.stringify(element));
  for (let count = path.length; count > 0; count--) {
    const value = members.get(path.slice(0, count).join('.'));
    const found = value === undefined ? undefined : valueText(value, path.slice(count));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the JSON of a value that is read as the same one without --map and --map-value. */
function plainJson(rule: FieldRule, json: string): string {
  if (!rule.isInverted && rule.translations === undefined) return json;
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object') return json;
  const text = String(value);
  const plain = plainText(rule, text);
  return plain === text ? json : escapeJson(JSON.stringify(plain));
}

/** Whether a value counts as absent: null, or blank text. */
function isBlank(value: string): boolean {
  const text = value.trim();
  return text === 'null' || (text.startsWith('"') && String(JSON.parse(text)).trim() === '');
}
