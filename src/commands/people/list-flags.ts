import path from 'node:path';
import { isField, MEMBER_FIELDS, type MemberField } from '../../import/entry.ts';
import { LIST_FORMATS, type LookupSource } from '../../import/list/list-options.ts';
import { UsageError } from '../../util/errors.ts';
import { choiceParser, parseCount } from '../define-command.ts';
import type { ListMapping } from './list-mapping.ts';

/** The flags of `people bulk-add` that say how the list is read, as Commander returns them. */
export interface ListFlags {
  format?: string;
  map?: string[];
  lookup?: string[];
  mapValue?: string[];
  default?: string[];
  omit?: string[];
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

/**
 * Returns how a list is read, as these flags say, in the form of a mapping file. Does not read the file of --mapping.
 *
 * @throws UsageError that names the flag
 */
export function mappingFromFlags(flags: ListFlags): ListMapping {
  const { format, delimiter, encoding, headerRow, columns, records, sheet, ignoreExtraColumns } = flags;
  const options = {
    format: format === undefined ? undefined : choiceParser(format, '--format', LIST_FORMATS),
    ...{ delimiter, encoding, records, sheet, ignoreExtraColumns },
    headerRow: headerRow === undefined ? undefined : parseCount(headerRow, '--header-row', 1),
    columns: columns === undefined ? undefined : readColumnNames(columns),
  };
  return {
    columns: readFieldPairs(flags.map, '--map', '<field>=<column>'),
    lookups: readLookups(flags.lookup),
    values: readValues(flags.mapValue),
    defaults: readFieldPairs(flags.default, '--default', '<field>=<value>'),
    omit: (flags.omit ?? []).map((field) => readField(field, '--omit')),
    extraFields: readExtraColumns(flags.extraField),
    options: Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

function readColumnNames(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new UsageError('--columns: a name is blank', 'Write - for a column to ignore: --columns userId,-,role');
}

function readFieldPairs(
  pairs: readonly string[] | undefined,
  flag: string,
  syntax: string,
): Partial<Record<MemberField, string>> {
  const read = new Map<MemberField, string>();
  for (const pair of pairs ?? []) {
    const [field, value] = splitFieldPair(pair, '=', flag, syntax);
    setOnce(read, readField(field, flag), value, flag);
  }
  return Object.fromEntries(read);
}

function readLookups(texts: readonly string[] | undefined): Partial<Record<MemberField, LookupSource>> {
  const read = new Map<MemberField, LookupSource>();
  for (const text of texts ?? []) {
    const syntax = '<field>=<file>:<from>=<to>';
    const [name, rest] = splitFieldPair(text, '=', '--lookup', syntax);
    const field = readField(name, '--lookup');
    const [, file = '', columns = ''] = /^([^:]+):(.+)$/s.exec(rest) ?? [];
    const [from, to, ...more] = columns.split('=').map((part) => part.trim());
    if (file.trim() === '' || !from || !to) throw notOfForm(text, '--lookup', syntax);
    if (more.length > 0 || columns.includes(':')) throw ambiguousLookup(text);
    if (read.has(field)) throw new UsageError(`--lookup: "${field}" is specified twice`);
    read.set(field, { file: path.resolve(file.trim()), from, to });
  }
  return Object.fromEntries(read);
}

function ambiguousLookup(text: string): UsageError {
  return new UsageError(
    `--lookup: "${text}" has more than one "=" or ":" in its names`,
    'Write such names in a file for --mapping: {"lookups": {"userId": {"file": "…", "from": "…", "to": "…"}}}',
  );
}

function readValues(texts: readonly string[] | undefined): Partial<Record<MemberField, Record<string, string>>> {
  const syntax = '<field>:<from>=<to>';
  const read: Partial<Record<MemberField, Record<string, string>>> = {};
  for (const text of texts ?? []) {
    const [name, rest] = splitFieldPair(text, ':', '--map-value', syntax, fieldWithEquals(text));
    const field = readField(name, '--map-value');
    const [from, to, ...more] = rest.split('=').map((part) => part.trim());
    if (!from || !to) throw notOfForm(text, '--map-value', syntax, fieldWithEquals(text));
    if (more.length > 0) throw hasTwoEquals(text);
    const values = read[field] ?? {};
    if (Object.keys(values).some((known) => known.toLowerCase() === from.toLowerCase()))
      throw new UsageError(`--map-value: "${field}:${from.toLowerCase()}" is specified twice`);
    read[field] = { ...values, [from]: to };
  }
  return read;
}

/** Suggests a colon after a field that "=" follows: `--map-value isActive=ACTIVE=true`. */
function fieldWithEquals(text: string): string | undefined {
  const [, field = '', rest = ''] = /^\s*(\w+)\s*=\s*(.+)$/s.exec(text) ?? [];
  return isField(field) && rest.includes('=') ? `Write ${field}:${rest}` : undefined;
}

/** The error for two "=": which of them ends the value of the list is open. */
function hasTwoEquals(text: string): UsageError {
  return new UsageError(
    `--map-value: "${text}" has more than one "="`,
    'Translate such a value in a file for --mapping: {"values": {"role": {"a=b": "member"}}}',
  );
}

function readExtraColumns(texts: readonly string[] | undefined): Record<string, string> {
  const read = new Map<string, string>();
  for (const text of texts ?? []) {
    const [field, column] = splitFieldPair(text, '=', '--extra-field', '<field>=<column>[:string|number|boolean]');
    setOnce(read, field, column, '--extra-field');
  }
  return Object.fromEntries(read);
}

function setOnce<K extends string>(map: Map<K, string>, key: K, value: string, flag: string): void {
  if (map.has(key)) throw new UsageError(`${flag}: "${key}" is specified twice`);
  map.set(key, value);
}

function splitFieldPair(
  pair: string,
  separator: string,
  flag: string,
  syntax: string,
  hint?: string,
): [first: string, rest: string] {
  const at = Math.max(0, pair.indexOf(separator));
  const first = pair.slice(0, at).trim();
  const rest = pair.slice(at + 1).trim();
  if (first === '' || rest === '') throw notOfForm(pair, flag, syntax, hint);
  return [first, rest];
}

function readField(name: string, flag: string): MemberField {
  if (isField(name)) return name;
  throw new UsageError(`${flag}: "${name}" is not a field`, `The fields are ${MEMBER_FIELDS.join(', ')}.`);
}

function notOfForm(text: string, flag: string, syntax: string, hint?: string): UsageError {
  return new UsageError(`${flag}: "${text}" is not of the form ${syntax}`, hint);
}
