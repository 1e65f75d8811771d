import { createHash } from 'node:crypto';
import path from 'node:path';
import * as z from 'zod/mini';
import {
  FIELD_KINDS,
  type FieldKind,
  fieldForSpelling,
  isField,
  isForbiddenKey,
  type MemberField,
} from '../../import/entry.ts';
import { type ExtraField, type FieldSource, LIST_FORMATS, type ListOptions } from '../../import/list/list-options.ts';
import { isPlaceholder } from '../../import/list/suggest/placeholders.ts';
import { UsageError } from '../../util/errors.ts';

const memberField = z.enum(Object.keys(FIELD_KINDS) as MemberField[]);
const filledText = z.string().check(z.minLength(1));

/**
 * How a list is read, as one JSON object: what --mapping reads, --save-mapping writes, and the journal of a run keeps. The
 * flags of `people bulk-add` are converted into it (`mappingFromFlags`).
 */
export const mappingSchema = z.strictObject({
  $schema: z.optional(z.string()),
  columns: z
    .optional(z.partialRecord(memberField, filledText))
    .check(z.describe('column, #number, key, or dotted path of each field; "!" in front inverts a boolean (--map)')),
  lookups: z
    .optional(z.partialRecord(memberField, z.strictObject({ file: filledText, from: filledText, to: filledText })))
    .check(
      z.describe(
        'a second list that translates the values of a field, from one of its columns to another (--lookup); a relative path starts at the folder of this file',
      ),
    ),
  values: z
    .optional(z.partialRecord(memberField, z.record(filledText, filledText)))
    .check(z.describe('translated values of each field; * is any other value (--map-value)')),
  defaults: z
    .optional(z.partialRecord(memberField, filledText))
    .check(z.describe('values for fields that are missing or blank (--default)')),
  omit: z
    .optional(z.array(memberField))
    .check(z.describe('fields to ignore, although a column or key has their name (--omit)')),
  extraFields: z
    .optional(z.record(filledText, filledText))
    .check(z.describe('column of each further field, with :number or :boolean after it (--extra-field)')),
  options: z
    .optional(
      z.strictObject({
        format: z.optional(z.enum(LIST_FORMATS)),
        delimiter: z.optional(filledText),
        encoding: z.optional(filledText),
        headerRow: z.optional(z.int().check(z.minimum(1))),
        columns: z.optional(z.array(filledText)),
        records: z.optional(filledText),
        sheet: z.optional(filledText),
        ignoreExtraColumns: z.optional(z.boolean()),
      }),
    )
    .check(z.describe('the options of the same names')),
});

/** The options for reading a list. Paths are absolute. */
export type ListMapping = Omit<z.infer<typeof mappingSchema>, '$schema'>;

type FieldValues = NonNullable<ListMapping['values']>;

/** Merges two mappings field by field; `over` wins. */
export function mergeMappings(base: ListMapping, over: ListMapping): ListMapping {
  const omitted = new Set(over.omit);
  const isKept = ([field]: readonly [MemberField, unknown]) => !omitted.has(field);
  const restored = Object.keys(over.columns ?? {});
  return {
    columns: { ...Object.fromEntries(entriesOf(base.columns ?? {}).filter(isKept)), ...over.columns },
    lookups: { ...Object.fromEntries(entriesOf(base.lookups ?? {}).filter(isKept)), ...over.lookups },
    values: mergeValues(base.values, over.values),
    defaults: { ...base.defaults, ...over.defaults },
    omit: [...new Set([...(base.omit ?? []).filter((field) => !restored.includes(field)), ...omitted])],
    extraFields: { ...base.extraFields, ...over.extraFields },
    options: { ...base.options, ...over.options },
  };
}

function mergeValues(base: FieldValues = {}, over: FieldValues = {}): FieldValues {
  const merged: FieldValues = { ...base };
  for (const [field, values] of entriesOf(over)) {
    const replaced = new Set(Object.keys(values).map((from) => from.toLowerCase()));
    const kept = Object.entries(base[field] ?? {}).filter(([from]) => !replaced.has(from.toLowerCase()));
    merged[field] = { ...Object.fromEntries(kept), ...values };
  }
  return merged;
}

/**
 * Returns the options that a mapping describes.
 *
 * @throws UsageError for a value that no list can have; it names the flag
 */
export function listOptionsFrom(mapping: ListMapping): ListOptions {
  const { columns = {}, lookups = {}, values = {}, defaults = {}, omit = [], options = {} } = mapping;
  rejectPlaceholders(mapping);
  if (options.columns !== undefined && options.headerRow !== undefined) {
    throw new UsageError('--columns cannot be used with --header-row', '--columns is for a list without a header.');
  }
  rejectOmittedId(omit, columns);
  const map = new Map(entriesOf(columns).map(([field, source]) => [field, readFieldSource(field, source)]));
  return {
    ...options,
    delimiter: options.delimiter === undefined ? undefined : readDelimiter(options.delimiter),
    records: options.records === undefined ? undefined : readRecordsPath(options.records),
    map,
    lookups: new Map(entriesOf(lookups)),
    valueMap: new Map(entriesOf(values).map(([field, byText]) => [field, readTranslations(field, byText)])),
    defaults: new Map(entriesOf(defaults)),
    omit: new Set(omit),
    extraFields: readExtraFields(mapping.extraFields ?? {}, map),
    ignoreExtraColumns: options.ignoreExtraColumns ?? false,
  };
}

/** Returns what distinguishes two ways of reading a list, as JSON values in a fixed order. */
export function listIdentity(mapping: ListMapping): unknown {
  const { columns, lookups, values, defaults, omit, extraFields, options } = mapping;
  const translations = entriesOf(values ?? {}).map(([field, byText]) => [
    field,
    Object.fromEntries(Object.entries(byText).map(([from, to]) => [from.toLowerCase(), to])),
  ]);
  // The content of a second list counts towards the digest of the bytes, wherever its file is.
  const secondLists = entriesOf(lookups ?? {}).map(([field, { from, to }]) => [field, { from, to }]);
  return canonical({
    columns,
    lookups: Object.fromEntries(secondLists),
    values: Object.fromEntries(translations),
    defaults,
    omit: omit?.toSorted(),
    extraFields,
    options,
  });
}

/**
 * Identifies what a list sends: SHA-256 of its bytes and of how they are read, as 64 hex digits.
 *
 * @param bytesDigest that of `ListValidation`
 * @param labelName what the service calls `deviceMgmtLabelId`
 */
export function listDigest(bytesDigest: string, mapping: ListMapping, labelName: string): string {
  return createHash('sha256')
    .update(JSON.stringify([bytesDigest, listIdentity(mapping), labelName]))
    .digest('hex');
}

/** Sorts the keys of objects, and leaves out those without a value: undefined, false, or an empty object or array. */
function canonical(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([key, inner]): [string, unknown] => [key, canonical(inner)]);
  const filled = members.filter(([, inner]) => inner !== undefined && inner !== false && !isEmpty(inner));
  return Object.fromEntries(filled.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Rejects a suggested command that was pasted without a decision. */
function rejectPlaceholders({
  columns = {},
  lookups = {},
  values = {},
  defaults = {},
  extraFields = {},
}: ListMapping): void {
  const reject = (option: string, value: string) => {
    if (!isPlaceholder(value)) return;
    throw new UsageError(`${option}: ${value} is a placeholder`, `Replace ${value}.`);
  };
  for (const [field, name] of entriesOf(columns)) reject(`--map ${field}=${name}`, name);
  for (const [field, source] of entriesOf(lookups))
    for (const value of Object.values(source)) reject(`--lookup ${field}`, path.basename(value));
  for (const [field, byText] of entriesOf(values))
    for (const [from, to] of Object.entries(byText))
      for (const value of [from, to]) reject(`--map-value ${field}:${from}=${to}`, value);
  for (const [field, value] of entriesOf(defaults)) reject(`--default ${field}=${value}`, value);
  for (const [field, column] of Object.entries(extraFields)) reject(`--extra-field ${field}=${column}`, column);
}

function rejectOmittedId(omit: readonly MemberField[], columns: NonNullable<ListMapping['columns']>): void {
  if (omit.includes('userId'))
    throw new UsageError('--omit userId: every row needs an ID', 'Map it to another column: --map userId=<column>');
  const both = omit.find((field) => columns[field] !== undefined);
  if (both === undefined) return;
  throw new UsageError(`--omit ${both} cannot be used with --map ${both}=${columns[both]}`, 'Remove one of them.');
}

/** The members of an object that may lack some of its keys. */
function entriesOf<K extends string, V>(record: Partial<Record<K, V>>): [K, V][] {
  return (Object.entries(record) as [K, V | undefined][]).filter((entry): entry is [K, V] => entry[1] !== undefined);
}

function readFieldSource(field: MemberField, source: string): FieldSource {
  const read = readSource(source);
  if (read.isInverted && field !== 'isActive')
    throw new UsageError(`--map: only isActive can be inverted (got "${field}=${source}")`);
  if (read.name === '') throw new UsageError(`--map: "${field}=${source}" is not of the form <field>=<column>`);
  return read;
}

function readSource(source: string): FieldSource {
  const isInverted = source.startsWith('!');
  return { name: isInverted ? source.slice(1).trim() : source, isInverted };
}

function readTranslations(field: MemberField, byText: Readonly<Record<string, string>>): Map<string, string> {
  const translations = new Map<string, string>();
  for (const [from, to] of Object.entries(byText)) {
    const key = from.toLowerCase();
    if (translations.has(key)) throw new UsageError(`--map-value: "${field}:${key}" is specified twice`);
    translations.set(key, to);
  }
  return translations;
}

/** @param map the columns of fields: if an extra field used another one's, that would be missing from every entry */
function readExtraFields(
  extraFields: Readonly<Record<string, string>>,
  map: ReadonlyMap<MemberField, FieldSource>,
): ExtraField[] {
  return Object.entries(extraFields).map(([field, text]) => {
    const extra = readExtraField(field, text);
    const own = fieldForSpelling(extra.source.name);
    if (own === undefined || map.has(own)) return extra;
    throw new UsageError(
      `--extra-field ${field}=${extra.source.name}: this column is the field ${own}`,
      `To use it for both, add --map ${own}=${extra.source.name}. Otherwise map ${own} to another column.`,
    );
  });
}

function readExtraField(field: string, text: string): ExtraField {
  if (isField(field))
    throw new UsageError(`--extra-field: "${field}" is not an extra field`, `Read it with --map ${field}=<column>.`);
  if (isForbiddenKey(field)) throw new UsageError(`--extra-field: "${field}" cannot be used as a name`);
  const [, column = '', kind = 'string'] = /^(.+?)(?::(string|number|boolean))?$/s.exec(text) ?? [];
  const source = readSource(column.trim());
  if (source.isInverted && kind !== 'boolean')
    throw new UsageError(`--extra-field: only a boolean can be inverted (got "${field}=${text}")`);
  return { field, kind: kind as FieldKind, source };
}

function readDelimiter(text: string): string {
  const delimiter = text === 'tab' || text === '\\t' ? '\t' : text;
  if (/^[^"\r\n]$/.test(delimiter)) return delimiter;
  throw new UsageError(`--delimiter: "${text}" is not a delimiter`, 'Use a single character, or "tab".');
}

function readRecordsPath(text: string): string[] {
  const keys = text.split('.');
  if (!keys.includes('')) return keys;
  throw new UsageError(
    `--records: "${text}" is not a path`,
    'Name the keys with dots between them: --records data.members',
  );
}
