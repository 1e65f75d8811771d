import { MAPPED_FIELDS, type Mapping, TRANSLATED_FIELDS } from '../../../import/mapping.ts';
import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText } from '../../../util/visible-text.ts';

/** The options of `people bulk-add` that are shorthand for parts of a mapping, as Commander fills them with the parsers below. */
export interface MappingOptions {
  map?: Mapping['columns'];
  active?: Mapping['active'];
  mapValue?: Mapping['values'];
  lookup?: Mapping['lookup'];
  default?: Mapping['default'];
  ignoreExtraColumns?: boolean;
  /** The file of `--mapping`. */
  mapping?: string;
}

/** How an option with a value of several parts is written, and how a mapping file writes the same. */
interface Syntax {
  readonly option: string;
  readonly form: string;
  /** A value to type. */
  readonly example: string;
  /** The same in a mapping file, which can have any name. */
  readonly inFile: string;
}

const MAP: Syntax = {
  option: '--map',
  form: '<field>=<column>',
  example: 'role="Job title"',
  inFile: '{"columns": {"role": "Job title"}}',
};
const ACTIVE: Syntax = {
  option: '--active',
  form: '<column>=<value>, or all',
  example: 'Status=ACTIVE',
  inFile: '{"active": {"Status": ["ACTIVE"]}}',
};
const MAP_VALUE: Syntax = {
  option: '--map-value',
  form: '<field>:<from>=<to>',
  example: 'role:Manager=admin',
  inFile: '{"values": {"role": {"Manager": "admin"}}}',
};
const LOOKUP: Syntax = {
  option: '--lookup',
  form: '<file>:<column>=<column>',
  example: 'directory.csv:email=id',
  inFile: '{"lookup": {"file": "directory.csv", "from": "email", "to": "id"}}',
};
const DEFAULT: Syntax = {
  option: '--default',
  form: '<field>=<value>',
  example: 'role=employee',
  inFile: '{"default": {"role": "employee"}}',
};

/** Commander's parser for `--map`. A blank column leaves the field out. */
export function parseMap(text: string, previous: Mapping['columns'] = {}): Mapping['columns'] {
  const [name, column] = splitPair(text, MAP);
  const field = fieldOf(name, MAPPED_FIELDS, MAP);
  return addOnce(previous, field, column === '' ? null : column, MAP);
}

/** Commander's parser for `--active`. */
export function parseActive(text: string, previous: Mapping['active']): Mapping['active'] {
  if (text.trim() === 'all') {
    if (previous === undefined) return 'all';
    throw new UsageError('--active all cannot be used with another --active', 'Remove one of them.');
  }
  if (previous === 'all') return parseActive('all', {});
  const [name, value] = splitPair(text, ACTIVE);
  const isSame = ([known]: [string, unknown]) => comparableText(known) === comparableText(name);
  const [column, values] = Object.entries(previous ?? {}).find(isSame) ?? [name, []];
  return { ...previous, [column]: [...values, value] };
}

/** Commander's parser for `--map-value`. A blank target leaves the value out. */
export function parseMapValue(text: string, previous: Mapping['values'] = {}): Mapping['values'] {
  const [, name, pair] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (name === undefined || pair === undefined) throw notOfForm(text, MAP_VALUE);
  if (pair.includes(':')) throw ambiguous(text, ':', MAP_VALUE);
  const [from, to] = splitPair(pair, MAP_VALUE, text);
  const field = fieldOf(name.trim(), TRANSLATED_FIELDS, MAP_VALUE);
  return { ...previous, [field]: addOnce(previous[field] ?? {}, from, to, MAP_VALUE) };
}

/** Commander's parser for `--lookup`. */
export function parseLookup(text: string, previous: Mapping['lookup']): Mapping['lookup'] {
  if (previous !== undefined) throw new UsageError('--lookup is specified twice', 'Remove one of them.');
  const [, file = '', pair = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (file.trim() === '') throw notOfForm(text, LOOKUP);
  if (pair.includes(':')) throw ambiguous(text, ':', LOOKUP);
  const [from, to] = splitPair(pair, LOOKUP, text);
  if (to === '') throw notOfForm(text, LOOKUP);
  return { file: file.trim(), from, to };
}

/** Commander's parser for `--default`. */
export function parseDefault(text: string, previous: Mapping['default'] = {}): Mapping['default'] {
  const [name, value] = splitPair(text, DEFAULT);
  if (value === '') throw notOfForm(text, DEFAULT);
  return addOnce(previous, fieldOf(name, TRANSLATED_FIELDS, DEFAULT), value, DEFAULT);
}

/** Commander's parser for `--columns`. */
export function parseColumnNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new UsageError('--columns: a name is blank', 'For example: --columns userId,role,note');
}

/** Commander's parser for `--delimiter`. */
export function parseDelimiter(text: string): string {
  if (/^(?:[^"\r\n]|tab)$/.test(text)) return text;
  throw new UsageError(`--delimiter: ${quote(text)} is not a delimiter`, 'Use a single character, or "tab".');
}

/** @param whole the value of the option, if `text` is a part of it */
function splitPair(text: string, syntax: Syntax, whole = text): [first: string, second: string] {
  const parts = text.split('=').map((part) => part.trim());
  const [first, second, ...more] = parts;
  if (!first || second === undefined) throw notOfForm(whole, syntax);
  // Either of them could end the first part.
  if (more.length > 0) throw ambiguous(whole, '=', syntax);
  return [first, second];
}

function addOnce<T extends object>(previous: T, key: keyof T & string, value: T[keyof T], { option }: Syntax): T {
  const isKnown = Object.keys(previous).some((known) => comparableText(known) === comparableText(key));
  if (isKnown) throw new UsageError(`${option}: ${quote(key)} is specified twice`, 'Remove one of them.');
  return { ...previous, [key]: value };
}

function fieldOf<Field extends string>(name: string, fields: readonly Field[], { option }: Syntax): Field {
  const found = fields.find((field) => field === name);
  if (found !== undefined) return found;
  if (name === 'isActive')
    throw new UsageError(
      `${option} does not take isActive`,
      'Say who is active: --active <column>=<value>, or --active all',
    );
  throw new UsageError(`${option}: ${quote(name)} is not a field that it takes`, `It takes ${fields.join(', ')}.`);
}

function notOfForm(text: string, { option, form, example }: Syntax): UsageError {
  return new UsageError(`${option}: ${quote(text)} is not of the form ${form}`, `For example: ${option} ${example}`);
}

function ambiguous(text: string, separator: string, { option, inFile }: Syntax): UsageError {
  return new UsageError(
    `${option}: ${quote(text)} has more than one "${separator}"`,
    `Write it in a file, and name the file with --mapping: ${inFile}`,
  );
}
