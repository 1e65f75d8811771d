import { quote, quoteAll } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { showHidden } from '../../util/hidden-characters.ts';
import { comparableText } from '../../util/visible-text.ts';
import { type GivenMapping, MAPPED_FIELDS, type Mapping } from '../mapping.ts';
import { isErrorsFile, MEMBER_FIELDS, type MemberField } from '../new-member.ts';
import type { Table } from '../table/table.ts';
import { readBoolean } from './read-field.ts';

/** A column that says who is active. */
export interface StatusColumn {
  readonly column: number;
  readonly name: string;
  /** The values of active people as the mapping has them; `''` is a blank cell. */
  readonly activeValues: readonly string[];
  /** The same as comparable texts. */
  readonly active: ReadonlySet<string>;
  /** The comparable values of all others; undefined if any other value means inactive. */
  readonly inactive: ReadonlySet<string> | undefined;
  /** Whether it has true and false, because it is the column `isActive`. */
  readonly isBoolean: boolean;
}

/** What the columns of a list are, as far as the mapping says it. Columns are numbered from 0. */
export interface Binding {
  readonly fields: Readonly<Partial<Record<MemberField, number>>>;
  /** Who is active: everyone, or the people for whom all of these columns say so; undefined if the mapping does not say it. */
  readonly active: 'all' | readonly StatusColumn[] | undefined;
  /** Columns that are not read, as the mapping says. */
  readonly ignored: readonly number[];
  /** Columns about which the mapping says nothing. */
  readonly others: readonly number[];
}

/**
 * Binds the columns of a list to the fields. A name in a mapping is the text of the column. Without a mapping file, a column
 * with the name of a field, in any case and with any separators, is that field.
 *
 * @throws UsageError for a column that the list does not have, or has twice
 */
export function bindColumns(table: Pick<Table, 'columns' | 'name' | 'format'>, given: GivenMapping): Binding {
  const { mapping, file, ignoresOthers } = given;
  const find = finder(table);
  const leftOut = MAPPED_FIELDS.filter((field) => mapping.columns?.[field] === null);
  const spelled = file === undefined ? spelledFields(table, mapping) : new Map<MemberField, number>();
  const fields: Partial<Record<MemberField, number>> = {};
  for (const field of MAPPED_FIELDS) {
    const wanted = mapping.columns?.[field];
    const column = wanted === undefined ? spelled.get(field) : wanted === null ? undefined : find(wanted, field);
    if (column !== undefined) fields[field] = column;
  }
  const active = bindStatuses(given, find);
  const isActive = spelled.get('isActive');
  if (active === undefined && isActive !== undefined) fields.isActive = isActive;
  rejectTwice(table, fields);
  rejectUseless(table, given, fields);
  const read = new Set([
    ...Object.values(fields),
    ...(Array.isArray(active) ? active : []).map(({ column }) => column),
  ]);
  const isIgnored = ignorer(table, mapping.ignored ?? []);
  // Its line and its error need no decision.
  const known = isErrorsFile(table.columns) ? MEMBER_FIELDS.length : table.columns.length;
  const ignored: number[] = [];
  const others: number[] = [];
  for (const [at, name] of table.columns.entries()) {
    if (read.has(at) || leftOut.some((field) => field === fieldOfColumn(name))) continue;
    if (at >= known) continue;
    if (ignoresOthers || isIgnored(name)) ignored.push(at);
    else others.push(at);
  }
  return { fields, active, ignored, others };
}

/** Returns the field that a column is by its name, in any case and with any separators: `User ID`, `user_id`. */
export function fieldOfColumn(name: string): MemberField | undefined {
  const spelling = comparableText(name).replace(/[ _-]/g, '');
  return MEMBER_FIELDS.find((field) => field.toLowerCase() === spelling);
}

/** Returns the columns that are fields by their names, but for the fields that the mapping gives another column. */
function spelledFields(table: Pick<Table, 'columns' | 'name'>, mapping: Mapping): Map<MemberField, number> {
  const found = new Map<MemberField, number>();
  const given: Partial<Record<MemberField, unknown>> = { ...mapping.columns, isActive: mapping.active };
  for (const [at, name] of table.columns.entries()) {
    const field = fieldOfColumn(name);
    if (field === undefined || given[field] !== undefined) continue;
    if (found.has(field)) throw twice(table, name, `Both are ${field}.`);
    found.set(field, at);
  }
  return found;
}

/** Returns a function that finds a column by its name, for `user`: the part of the mapping that names it. */
function finder(table: Pick<Table, 'columns' | 'name' | 'format'>): (name: string, user: string) => number {
  const names = table.columns.map(comparableText);
  return (name, user) => {
    const key = comparableText(name);
    const at = names.indexOf(key);
    if (at === -1) throw missing(table, name, user);
    if (names.indexOf(key, at + 1) !== -1) throw twice(table, name, `The mapping needs it for ${user}.`);
    return at;
  };
}

/** Columns that an error names. */
const MAX_NAMED = 20;

function missing({ name, columns, format }: Pick<Table, 'columns' | 'name' | 'format'>, wanted: string, user: string) {
  const shown = quoteAll(columns.slice(0, MAX_NAMED).map(showHidden));
  const more = columns.length > MAX_NAMED ? ' …' : '';
  return new UsageError(
    `${name} has no column ${quote(wanted)}, which the mapping names for ${user}`,
    `${columns.length === 1 ? 'Its only column is' : 'Its columns are'} ${shown}${more}.${delimiterQuestion({ columns, format })}`,
    'bad-columns',
  );
}

/** Asks whether the delimiter is right, if a list has one column. */
export function delimiterQuestion({ columns, format }: Pick<Table, 'columns' | 'format'>): string {
  if (columns.length !== 1 || format !== 'csv') return '';
  return ' If the list should have more than one column, name its delimiter with --delimiter.';
}

function twice({ name }: Pick<Table, 'name'>, column: string, why: string): UsageError {
  return new UsageError(
    `${name} has two columns ${quote(showHidden(column))}`,
    `${why} Rename one of them.`,
    'bad-columns',
  );
}

function bindStatuses(
  { mapping: { active, inactive } }: GivenMapping,
  find: (name: string, user: string) => number,
): Binding['active'] {
  if (active === undefined || active === 'all') return active;
  return Object.entries(active).map(([name, values]) => {
    const column = find(name, 'active');
    const isBoolean = fieldOfColumn(name) === 'isActive';
    const others = Object.entries(inactive ?? {}).find(([key]) => comparableText(key) === comparableText(name))?.[1];
    const toSet = (texts: readonly string[]) => new Set(texts.map((text) => statusKey(text, isBoolean, name)));
    return { column, name, activeValues: values, active: toSet(values), inactive: others && toSet(others), isBoolean };
  });
}

/** The column `isActive` has several words for true and false. */
function statusKey(text: string, isBoolean: boolean, name: string): string {
  if (!isBoolean) return comparableText(text);
  const value = readBoolean(text);
  if (value === undefined)
    throw new UsageError(`--active ${name}=${text}: the column ${name} is true or false`, `Use --active ${name}=true.`);
  return String(value);
}

/** Rejects a column that is two fields. */
function rejectTwice({ columns }: Pick<Table, 'columns'>, fields: Binding['fields']): void {
  const used = new Map<number, string>();
  for (const [field, column] of Object.entries(fields)) {
    const first = used.get(column);
    if (first !== undefined)
      throw new UsageError(
        `the column ${quote(columns[column] ?? '')} is mapped to ${first} and ${field}`,
        undefined,
        'bad-columns',
      );
    used.set(column, field);
  }
}

/** Rejects parts of a mapping that need a column which the list does not have. */
function rejectUseless({ name }: Pick<Table, 'name'>, { mapping }: GivenMapping, fields: Binding['fields']): void {
  const useless: [part: string, field: MemberField][] = [
    ...(mapping.lookup === undefined ? [] : [['a lookup', 'userId'] satisfies [string, MemberField]]),
    ...Object.keys(mapping.values ?? {}).map((field): [string, MemberField] => ['translations', field as MemberField]),
  ];
  const leftOut: Partial<Record<MemberField, string | null>> = mapping.columns ?? {};
  for (const [part, field] of useless)
    if (fields[field] === undefined && leftOut[field] !== null)
      throw new UsageError(
        `the mapping has ${part} for ${field}, but ${name} has no column for it`,
        `Name its column: --map ${field}=<column>`,
        'bad-columns',
      );
}

/** Returns a function that tells whether a column is ignored: by its name or, in JSON, by that of what it is in. */
function ignorer({ format }: Pick<Table, 'format'>, ignored: readonly string[]): (name: string) => boolean {
  const names = new Set(ignored.map(comparableText));
  if (names.size === 0) return () => false;
  const isNested = format === 'json' || format === 'ndjson';
  return (name) => {
    let key = comparableText(name);
    while (!names.has(key)) {
      const end = isNested ? key.lastIndexOf('.') : -1;
      if (end === -1) return false;
      key = key.slice(0, end);
    }
    return true;
  };
}
