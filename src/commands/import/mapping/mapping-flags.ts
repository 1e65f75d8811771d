import path from 'node:path';
import { isPlaceholder } from '../../../import/list/columns/placeholders.ts';
import { entriesOf, type FileOptions, type Mapping } from '../../../import/mapping.ts';
import { isField, MEMBER_FIELDS, type MemberField } from '../../../import/new-member.ts';
import { UsageError } from '../../../util/errors.ts';
import { suggest } from '../../../util/suggest.ts';
import { comparableText } from '../../../util/visible-text.ts';

/** The options of `people bulk-add` that say how the list is read, as Commander fills them with the parsers below. */
export interface MappingFlags extends FileOptions {
  map?: Mapping['columns'];
  lookup?: Mapping['lookups'];
  mapValue?: Mapping['values'];
  default?: Mapping['defaults'];
  omit?: Mapping['omit'];
  ignoreExtraColumns?: boolean;
}

/** Returns the mapping that these options describe. */
export function mappingFromFlags(flags: MappingFlags): Mapping {
  const { format, delimiter, encoding, headerRow, columns, records, sheet } = flags;
  const options = { format, delimiter, encoding, headerRow, columns, records, sheet };
  return {
    columns: flags.map ?? {},
    lookups: flags.lookup ?? {},
    values: flags.mapValue ?? {},
    defaults: flags.default ?? {},
    omit: flags.omit ?? [],
    ignoreExtraColumns: flags.ignoreExtraColumns ?? false,
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

/** How an option with a value of several parts is written, for errors. */
interface PairSyntax {
  option: string;
  form: string;
  /** A value to type. */
  example: string;
}

const MAP: PairSyntax = {
  option: '--map',
  form: '<field>=<column>',
  example: 'role="Job title"',
};

const LOOKUP: PairSyntax = {
  option: '--lookup',
  form: '<field>=<file>:<from>=<to>',
  example: 'userId=ids.csv:email=id',
};

const MAP_VALUE: PairSyntax = {
  option: '--map-value',
  form: '<field>:<from>=<to>',
  example: 'isActive:Suspended=false',
};

type FieldColumns = NonNullable<Mapping['columns']>;
type FieldValues = NonNullable<Mapping['values']>;
type FieldTexts = NonNullable<Mapping['defaults']>;
type FieldLookups = NonNullable<Mapping['lookups']>;

/** Commander's parser for --map. Only isActive may have several columns. */
export function parseMap(text: string, previous: FieldColumns = {}): FieldColumns {
  const [name, column] = splitNamedValue(text, '=', MAP);
  const field = readField(name, MAP.option);
  const known = [previous[field] ?? []].flat();
  if (field !== 'isActive' || known.length === 0) return addOnce(previous, field, column, MAP);
  if (known.includes(column)) throw new UsageError(`--map: "isActive=${column}" is specified twice`);
  return { ...previous, isActive: [...known, column] };
}

/** Commander's parser for --default. */
export const parseDefault = fieldPairParser({
  option: '--default',
  form: '<field>=<value>',
  example: 'role=member',
});

function fieldPairParser(syntax: PairSyntax): (text: string, previous?: FieldTexts) => FieldTexts {
  return (text, previous = {}) => {
    const [name, value] = splitNamedValue(text, '=', syntax);
    return addOnce(previous, readField(name, syntax.option), value, syntax);
  };
}

/** Commander's parser for --omit. */
export function parseOmit(text: string, previous: readonly MemberField[] = []): MemberField[] {
  return [...previous, readField(text, '--omit')];
}

/** Commander's parser for --lookup. */
export function parseLookup(text: string, previous: FieldLookups = {}): FieldLookups {
  const [name, rest] = splitNamedValue(text, '=', LOOKUP);
  const field = readField(name, LOOKUP.option);
  const [, file = '', columns = ''] = /^([^:]+):(.+)$/s.exec(rest) ?? [];
  const [from, to, ...more] = columns.split('=').map((part) => part.trim());
  if (file.trim() === '' || !from || !to) throw notOfForm(text, LOOKUP);
  rejectPlaceholder(LOOKUP.option, text, [file.trim(), from, to]);
  if (more.length > 0 || columns.includes(':')) {
    throw new UsageError(
      `--lookup: "${text}" has more than one "=" or ":" in its names`,
      'Write such names in a file for --mapping: {"lookups": {"userId": {"file": "…", "from": "…", "to": "…"}}}',
    );
  }
  return addOnce(previous, field, { file: path.resolve(file.trim()), from, to }, LOOKUP);
}

/** Commander's parser for --map-value. */
export function parseMapValue(text: string, previous: FieldValues = {}): FieldValues {
  const [name, rest] = splitNamedValue(text, ':', MAP_VALUE);
  const field = readField(name, MAP_VALUE.option);
  const [from, to, ...more] = rest.split('=').map((part) => part.trim());
  if (!from || to === undefined) throw notOfForm(text, MAP_VALUE);
  rejectPlaceholder(MAP_VALUE.option, text, [from, to]);
  // Either of them could end the value of the list.
  if (more.length > 0) {
    throw new UsageError(
      `--map-value: "${text}" has more than one "="`,
      'Translate such a value in a file for --mapping: {"values": {"role": {"a=b": "member"}}}',
    );
  }
  const values = previous[field] ?? {};
  if (Object.keys(values).some((known) => comparableText(known) === comparableText(from)))
    throw new UsageError(`--map-value: "${field}:${comparableText(from)}" is specified twice`);
  return { ...previous, [field]: { ...values, [from]: to } };
}

/** Commander's parser for --columns. */
export function parseColumnNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  rejectPlaceholder('--columns', text, names);
  if (!names.includes('')) return names;
  throw new UsageError('--columns: a name is blank', 'Write - for a column to ignore: --columns userId,-,role');
}

function addOnce<T extends object>(previous: T, key: keyof T & string, value: T[keyof T], { option }: PairSyntax): T {
  if (Object.hasOwn(previous, key)) throw new UsageError(`${option}: "${key}" is specified twice`);
  return { ...previous, [key]: value };
}

function splitNamedValue(text: string, separator: string, syntax: PairSyntax): [first: string, rest: string] {
  const at = Math.max(0, text.indexOf(separator));
  const first = text.slice(0, at).trim();
  const rest = text.slice(at + 1).trim();
  if (first === '' || rest === '') throw notOfForm(text, syntax);
  rejectPlaceholder(syntax.option, text, [rest]);
  return [first, rest];
}

/** Rejects a suggested command that was pasted without a decision. */
function rejectPlaceholder(option: string, text: string, values: readonly string[]): void {
  const found = values.find(isPlaceholder);
  if (found !== undefined) throw new UsageError(`${option} ${text}: ${found} is a placeholder`, `Replace ${found}.`);
}

function readField(name: string, option: string): MemberField {
  if (isField(name)) return name;
  const near = suggest(name, MEMBER_FIELDS);
  const hint = near === undefined ? `The fields are ${MEMBER_FIELDS.join(', ')}.` : `Did you mean ${near}?`;
  throw new UsageError(`${option}: "${name}" is not a field`, hint);
}

function notOfForm(text: string, { option, form, example }: PairSyntax): UsageError {
  return new UsageError(`${option}: "${text}" is not of the form ${form}`, `For example: ${option} ${example}`);
}

/**
 * Returns the options of `people bulk-add` that say which columns are which fields, as words of a command line. They do not
 * include those about the file, such as --sheet.
 */
export function fieldOptions({ columns, lookups, values, defaults, omit, ...mapping }: Mapping): string[] {
  const ignores =
    mapping.ignoreExtraColumns || (mapping.ignored ?? []).length > 0 || mapping.options?.columns?.includes('-');
  const pairs: [option: string, value: string][] = [
    ...entriesOf(columns).flatMap(([field, sources]) =>
      [sources].flat().map((source): [string, string] => ['--map', `${field}=${source}`]),
    ),
    ...entriesOf(lookups).map(([field, { file, from, to }]): [string, string] => [
      '--lookup',
      `${field}=${shortPath(file)}:${from}=${to}`,
    ]),
    ...entriesOf(values).flatMap(([field, byText]) =>
      Object.entries(byText).map(([from, to]): [string, string] => ['--map-value', `${field}:${from}=${to}`]),
    ),
    ...entriesOf(defaults).map(([field, value]): [string, string] => ['--default', `${field}=${value}`]),
    ...(omit ?? []).map((field): [string, string] => ['--omit', field]),
  ];
  return [...pairs.flat(), ...(ignores ? ['--ignore-extra-columns'] : [])];
}

/** Whether `fieldOptions` can write a mapping: "=" and ":" separate the parts of some options, and `<team>` is a placeholder. */
export function fitsOptions({ columns, lookups, values, defaults }: Mapping): boolean {
  const names = entriesOf(lookups).flatMap(([, { file, from, to }]) => [shortPath(file), from, to]);
  const texts = entriesOf(values).flatMap(([, byText]) => Object.entries(byText).flat());
  const sources = entriesOf(columns).flatMap(([, source]) => source);
  if ([...sources, ...names, ...texts, ...Object.values(defaults ?? {})].some(isPlaceholder)) return false;
  return !names.some((name) => /[=:]/.test(name)) && !texts.some((text) => text.includes('='));
}

/** Returns a path relative to the working directory, if it is in it. */
function shortPath(file: string): string {
  const short = path.relative('', file);
  return short.startsWith('..') ? file : short;
}
