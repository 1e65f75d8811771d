import { createHash } from 'node:crypto';
import {
  type FieldKind,
  fieldForSpelling,
  isField,
  isForbiddenKey,
  MEMBER_FIELDS,
  type MemberField,
} from '../../import/entry.ts';
import {
  type ExtraField,
  type FieldSource,
  LIST_FORMATS,
  type ListFormat,
  type ListOptions,
} from '../../import/list/list-options.ts';
import { UsageError } from '../../util/errors.ts';
import { choiceParser, parseCount } from '../define-command.ts';

/** The flags of `people bulk-add` that say how the list is read, as Commander returns them. */
export interface ListFlags {
  format?: string;
  map?: string[];
  mapValue?: string[];
  default?: string[];
  columns?: string;
  headerRow?: string;
  delimiter?: string;
  encoding?: string;
  records?: string;
  sheet?: string;
  extraField?: string[];
  ignoreExtraColumns?: boolean;
  /** A file with more of them. */
  mapping?: string;
}

/** @throws UsageError that names the flag */
export function readListFlags(flags: ListFlags): ListOptions {
  if (flags.columns !== undefined && flags.headerRow !== undefined) {
    throw new UsageError('--columns cannot be used with --header-row', '--columns is for a list without a header.');
  }
  const map = new Map(
    [...readPairs(flags.map, '--map', '<field>=<column>')].map(([field, name]) => [field, readSource(name)]),
  );
  const extraFields = readExtraFields(flags.extraField ?? []);
  rejectMappedColumns(extraFields, map);
  return {
    format: flags.format === undefined ? undefined : choiceParser(flags.format, '--format', LIST_FORMATS),
    delimiter: flags.delimiter === undefined ? undefined : readDelimiter(flags.delimiter),
    encoding: flags.encoding,
    headerRow: flags.headerRow === undefined ? undefined : parseCount(flags.headerRow, '--header-row', 1),
    columns: flags.columns === undefined ? undefined : readColumns(flags.columns),
    records: flags.records === undefined ? undefined : readPath(flags.records),
    sheet: flags.sheet,
    map,
    valueMap: readValueMap(flags.mapValue),
    defaults: readPairs(flags.default, '--default', '<field>=<value>'),
    extraFields,
    ignoreExtraColumns: flags.ignoreExtraColumns ?? false,
  };
}

/** The options of each kind of list that have no effect on the others. */
const KIND_OPTIONS = [
  { isKind: isDelimited, kind: 'CSV', flags: ['delimiter', 'columns', 'headerRow'] },
  { isKind: (format: ListFormat) => !isDelimited(format), kind: 'JSON', flags: ['records'] },
] as const;

function isDelimited(format: ListFormat): boolean {
  return format === 'csv' || format === 'tsv';
}

/**
 * Checks that the flags fit the list.
 *
 * @throws UsageError for a flag that would be ignored
 */
export function checkListFlags(format: ListFormat, flags: ListFlags): void {
  for (const { isKind, kind, flags: names } of KIND_OPTIONS) {
    const ignored = isKind(format) ? undefined : names.find((name) => flags[name] !== undefined);
    if (ignored === undefined) continue;
    const option = optionName(ignored);
    throw new UsageError(
      `${option} is for a ${kind} list, and this list is ${format.toUpperCase()}`,
      `Remove ${option}.`,
    );
  }
}

/** The flags above, in the order in which commands name them. */
export const LIST_FLAGS = [
  'mapping',
  'format',
  'delimiter',
  'encoding',
  'headerRow',
  'columns',
  'records',
  'sheet',
  'map',
  'mapValue',
  'default',
  'extraField',
  'ignoreExtraColumns',
] as const satisfies readonly (keyof ListFlags)[];

/** Returns those of the flags that are named, as arguments of a command, in the order of their names. */
export function flagArguments<T extends object>(flags: T, names: readonly (keyof T & string)[]): string[] {
  return names.flatMap((name) => {
    const option = optionName(name);
    const value: unknown = flags[name];
    if (value === true) return [option];
    return [value].flat().flatMap((word) => (typeof word === 'string' ? optionWords(option, word) : []));
  });
}

/** Returns the option of a flag: `--header-row` of `headerRow`. */
function optionName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Joins a value that looks like an option to its flag: as a separate argument it would be rejected. */
function optionWords(name: string, value: string): string[] {
  return value.startsWith('-') && value !== '-' ? [`${name}=${value}`] : [name, value];
}

/** What distinguishes two ways of reading a list, as JSON in a fixed order. */
export function listIdentity(list: ListOptions): unknown[] {
  const sorted = <T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown) =>
    [...map].map(([key, value]) => [key, write(value)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const source = ({ name, isInverted }: FieldSource) => `${isInverted ? '!' : ''}${name}`;
  const basic = [
    list.format ?? null,
    sorted(list.map, source),
    sorted(list.defaults, (value) => value),
    list.ignoreExtraColumns,
  ];
  const more = {
    delimiter: list.delimiter,
    encoding: list.encoding,
    headerRow: list.headerRow,
    columns: list.columns,
    records: list.records,
    sheet: list.sheet,
    valueMap: list.valueMap.size > 0 ? sorted(list.valueMap, (values) => sorted(values, (to) => to)) : undefined,
    extraFields:
      list.extraFields.length > 0
        ? list.extraFields.map((extra) => [extra.field, extra.kind, source(extra.source)])
        : undefined,
  };
  // Undefined options are left out, so that runs of earlier versions can be continued.
  const text = JSON.stringify(more);
  return text === '{}' ? basic : [...basic, JSON.parse(text)];
}

/** Identifies what a list sends: SHA-256 of its bytes and of how they are read, as 64 hex digits. */
export function listDigest(bytesDigest: string, list: ListOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([bytesDigest, listIdentity(list)]))
    .digest('hex');
}

function readSource(text: string): FieldSource {
  const isInverted = text.startsWith('!');
  return { name: isInverted ? text.slice(1).trim() : text, isInverted };
}

const EXTRA_SYNTAX = '<field>=<column>[:string|number|boolean]';

function readExtraFields(texts: readonly string[]): ExtraField[] {
  const extraFields = texts.map(readExtraField);
  const names = new Set<string>();
  for (const { field } of extraFields) {
    if (names.has(field)) throw new UsageError(`--extra-field: "${field}" is specified twice`);
    names.add(field);
  }
  return extraFields;
}

/** Throws if an extra field uses the column of a field, which would then be missing from every entry. */
function rejectMappedColumns(extraFields: readonly ExtraField[], map: ReadonlyMap<MemberField, FieldSource>): void {
  for (const { field, source } of extraFields) {
    const own = fieldForSpelling(source.name);
    if (own === undefined || map.has(own)) continue;
    throw new UsageError(
      `--extra-field ${field}=${source.name}: this column is the field ${own}`,
      `To use it for both, add --map ${own}=${source.name}. Otherwise map ${own} to another column.`,
    );
  }
}

function readExtraField(text: string): ExtraField {
  const [, field = '', column = '', kind = 'string'] = /^([^=]+)=(.+?)(?::(string|number|boolean))?$/.exec(text) ?? [];
  const name = field.trim();
  if (name === '' || column.trim() === '') throw notOfForm(text, '--extra-field', EXTRA_SYNTAX);
  if (isField(name)) {
    throw new UsageError(`--extra-field: "${name}" is not an extra field`, `Read it with --map ${name}=<column>.`);
  }
  if (isForbiddenKey(name)) throw new UsageError(`--extra-field: "${name}" cannot be used as a name`);
  const source = readSource(column.trim());
  if (source.isInverted && kind !== 'boolean') {
    throw new UsageError(`--extra-field: only a boolean can be inverted (got "${text}")`);
  }
  return { field: name, kind: kind as FieldKind, source };
}

function readDelimiter(text: string): string {
  const delimiter = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[^"\r\n]$/.test(delimiter)) return delimiter;
  throw new UsageError(`--delimiter: "${text}" is not a delimiter`, 'Use a single character, or "tab".');
}

function readColumns(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new UsageError('--columns: a name is blank', 'Write - for a column that is not read: --columns userId,-,role');
}

function readPath(text: string): string[] {
  const keys = text.split('.');
  if (!keys.includes('')) return keys;
  throw new UsageError(
    `--records: "${text}" is not a path`,
    'Name the keys with dots between them: --records data.members',
  );
}

function readPairs(pairs: readonly string[] | undefined, flag: string, syntax: string): Map<MemberField, string> {
  const read = new Map<MemberField, string>();
  for (const pair of pairs ?? []) {
    const [field, value] = splitPair(pair, pair.indexOf('='), flag, syntax);
    if (value.replace(/^!/, '') === '') throw notOfForm(pair, flag, syntax);
    if (read.has(field)) throw new UsageError(`${flag}: "${field}" is specified twice`);
    if (flag === '--map' && value.startsWith('!') && field !== 'isActive') {
      throw new UsageError(`${flag}: only isActive can be inverted (got "${pair}")`);
    }
    read.set(field, value);
  }
  return read;
}

function readValueMap(texts: readonly string[] | undefined): Map<MemberField, Map<string, string>> {
  const syntax = '<field>:<from>=<to>';
  const read = new Map<MemberField, Map<string, string>>();
  for (const text of texts ?? []) {
    const [field, rest] = splitPair(text, text.indexOf(':'), '--map-value', syntax);
    const at = rest.lastIndexOf('=');
    const from = rest.slice(0, Math.max(0, at)).trim().toLowerCase();
    const to = rest.slice(at + 1).trim();
    if (at < 0 || from === '' || to === '') throw notOfForm(text, '--map-value', syntax);
    const values = read.get(field) ?? new Map<string, string>();
    if (values.has(from)) throw new UsageError(`--map-value: "${field}:${from}" is specified twice`);
    read.set(field, values.set(from, to));
  }
  return read;
}

function splitPair(pair: string, at: number, flag: string, syntax: string): [field: MemberField, rest: string] {
  const field = pair.slice(0, Math.max(0, at)).trim();
  const rest = pair.slice(at + 1).trim();
  if (at < 0 || field === '' || rest === '') throw notOfForm(pair, flag, syntax);
  if (isField(field)) return [field, rest];
  throw new UsageError(`${flag}: "${field}" is not a field`, `The fields are ${MEMBER_FIELDS.join(', ')}.`);
}

function notOfForm(text: string, flag: string, syntax: string): UsageError {
  return new UsageError(`${flag}: "${text}" is not of the form ${syntax}`);
}
