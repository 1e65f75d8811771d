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
    extraFields: readExtraFields(flags.extraField, map),
    ignoreExtraColumns: flags.ignoreExtraColumns ?? false,
  };
}

/**
 * Checks that the flags fit the list.
 *
 * @throws UsageError for a flag that would be ignored
 */
export function checkListFlags(format: ListFormat, flags: ListFlags): void {
  const isCsv = format === 'csv' || format === 'tsv';
  const others = isCsv ? (['records'] as const) : (['delimiter', 'columns', 'headerRow'] as const);
  const ignored = others.find((name) => flags[name] !== undefined);
  if (ignored === undefined) return;
  const option = optionName(ignored);
  throw new UsageError(
    `${option} is for a ${isCsv ? 'JSON' : 'CSV'} list, and this list is ${format.toUpperCase()}`,
    `Remove ${option}.`,
  );
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
    return [value].flat().flatMap((word) => {
      if (typeof word !== 'string') return [];
      // As an argument of its own, a value that looks like an option would be rejected.
      return word.startsWith('-') && word !== '-' ? [`${option}=${word}`] : [option, word];
    });
  });
}

/** Returns the option of a flag: `--header-row` of `headerRow`. */
function optionName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** What distinguishes two ways of reading a list, as JSON in a fixed order. */
export function listIdentity(list: ListOptions): unknown[] {
  const sorted = <T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown) =>
    [...map].map(([key, value]) => [key, write(value)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const same = (value: unknown) => value;
  const source = ({ name, isInverted }: FieldSource) => `${isInverted ? '!' : ''}${name}`;
  const { format, map, defaults, ignoreExtraColumns, valueMap, extraFields } = list;
  const { delimiter, encoding, headerRow, columns, records, sheet } = list;
  // What is not set is left out, so that runs of earlier versions can be continued.
  const more = JSON.stringify({
    ...{ delimiter, encoding, headerRow, columns, records, sheet },
    ...(valueMap.size > 0 && { valueMap: sorted(valueMap, (values) => sorted(values, same)) }),
    ...(extraFields.length > 0 && {
      extraFields: extraFields.map((extra) => [extra.field, extra.kind, source(extra.source)]),
    }),
  });
  const basic = [format ?? null, sorted(map, source), sorted(defaults, same), ignoreExtraColumns];
  return more === '{}' ? basic : [...basic, JSON.parse(more)];
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

/** @param map the columns of fields: if an extra field used another one's, that would be missing from every entry */
function readExtraFields(
  texts: readonly string[] | undefined,
  map: ReadonlyMap<MemberField, FieldSource>,
): ExtraField[] {
  const extraFields = new Map<string, ExtraField>();
  for (const text of texts ?? []) {
    const { field, kind, source } = readExtraField(text);
    setOnce(extraFields, field, { field, kind, source }, '--extra-field', field);
    const own = fieldForSpelling(source.name);
    if (own === undefined || map.has(own)) continue;
    throw new UsageError(
      `--extra-field ${field}=${source.name}: this column is the field ${own}`,
      `To use it for both, add --map ${own}=${source.name}. Otherwise map ${own} to another column.`,
    );
  }
  return [...extraFields.values()];
}

function readExtraField(text: string): ExtraField {
  const [, field = '', column = '', kind = 'string'] = /^([^=]+)=(.+?)(?::(string|number|boolean))?$/.exec(text) ?? [];
  const name = field.trim();
  if (name === '' || column.trim() === '')
    throw notOfForm(text, '--extra-field', '<field>=<column>[:string|number|boolean]');
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
    const [field, value] = splitPair(pair, '=', flag, syntax);
    if (value === '!') throw notOfForm(pair, flag, syntax);
    if (flag === '--map' && value.startsWith('!') && field !== 'isActive') {
      throw new UsageError(`${flag}: only isActive can be inverted (got "${pair}")`);
    }
    setOnce(read, field, value, flag, field);
  }
  return read;
}

function readValueMap(texts: readonly string[] | undefined): Map<MemberField, Map<string, string>> {
  const syntax = '<field>:<from>=<to>';
  const read = new Map<MemberField, Map<string, string>>();
  for (const text of texts ?? []) {
    const [field, rest] = splitPair(text, ':', '--map-value', syntax);
    const [, from = '', to = ''] = /^(.*?)\s*=\s*([^=]+)$/s.exec(rest) ?? [];
    if (from === '') throw notOfForm(text, '--map-value', syntax);
    const values = read.get(field) ?? new Map<string, string>();
    setOnce(values, from.toLowerCase(), to, '--map-value', `${field}:${from.toLowerCase()}`);
    read.set(field, values);
  }
  return read;
}

function setOnce<K, V>(map: Map<K, V>, key: K, value: V, flag: string, shown: string): void {
  if (map.has(key)) throw new UsageError(`${flag}: "${shown}" is specified twice`);
  map.set(key, value);
}

function splitPair(pair: string, separator: string, flag: string, syntax: string): [field: MemberField, rest: string] {
  const at = Math.max(0, pair.indexOf(separator));
  const field = pair.slice(0, at).trim();
  const rest = pair.slice(at + 1).trim();
  if (field === '' || rest === '') throw notOfForm(pair, flag, syntax);
  if (isField(field)) return [field, rest];
  throw new UsageError(`${flag}: "${field}" is not a field`, `The fields are ${MEMBER_FIELDS.join(', ')}.`);
}

function notOfForm(text: string, flag: string, syntax: string): UsageError {
  return new UsageError(`${flag}: "${text}" is not of the form ${syntax}`);
}
