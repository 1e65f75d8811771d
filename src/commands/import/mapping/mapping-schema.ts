import * as z from 'zod/mini';
import { type FieldSource, LIST_FORMATS, type ListOptions } from '../../../import/mapping.ts';
import { FIELD_KINDS, type MemberField } from '../../../import/new-member.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText } from '../../../util/visible-text.ts';

const memberField = z.enum(Object.keys(FIELD_KINDS) as MemberField[]);
const filledText = z.string().check(z.minLength(1));

/**
 * How a list is read, as one JSON object: what --mapping reads, --save-mapping writes, and the journal of a run keeps. The
 * flags of `people bulk-add` are converted into it (`mappingFromFlags`).
 */
export const mappingSchema = z.strictObject({
  $schema: z.optional(z.string()),
  columns: z
    .optional(z.partialRecord(memberField, z.union([filledText, z.array(filledText).check(z.minLength(2))])))
    .check(
      z.describe(
        'column, #number, key, or dotted path of each field; "!" in front inverts a boolean (--map). For isActive, several columns that must all say so',
      ),
    ),
  lookups: z
    .optional(z.partialRecord(memberField, z.strictObject({ file: filledText, from: filledText, to: filledText })))
    .check(
      z.describe(
        'a second list that translates the values of a field, from one of its columns to another (--lookup); a relative path starts at the folder of this file',
      ),
    ),
  values: z
    .optional(z.partialRecord(memberField, z.record(filledText, z.string())))
    .check(z.describe('translated values of each field, "" for a blank one; * is any other value (--map-value)')),
  defaults: z
    .optional(z.partialRecord(memberField, filledText))
    .check(z.describe('values for fields that are missing or blank (--default)')),
  omit: z
    .optional(z.array(memberField))
    .check(z.describe('fields to ignore, although a column or key has their name (--omit)')),
  ignored: z
    .optional(z.array(filledText))
    .check(z.describe('columns or keys to ignore; any other that is not a field is an error')),
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
      }),
    )
    .check(z.describe('the options of the same names')),
});

/** A mapping as the journal of a run keeps it. A file names what it ignores, so that a new column is not overlooked. */
export const recordedMappingSchema = z.extend(mappingSchema, { ignoreExtraColumns: z.optional(z.boolean()) });

/** The options for reading a list. Paths are absolute. */
export type ListMapping = Omit<z.infer<typeof recordedMappingSchema>, '$schema'>;

/** The columns of each field. */
export type FieldColumns = NonNullable<ListMapping['columns']>;

/** Returns the columns that a mapping names for a field: several only for isActive. */
export function columnsOf({ columns = {} }: Pick<ListMapping, 'columns'>, field: MemberField): readonly string[] {
  return [columns[field] ?? []].flat();
}

/** Translated values of each field. */
export type FieldValues = NonNullable<ListMapping['values']>;

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
    ignored: [...new Set([...(base.ignored ?? []), ...(over.ignored ?? [])])],
    ignoreExtraColumns: over.ignoreExtraColumns ?? base.ignoreExtraColumns ?? false,
    options: { ...base.options, ...over.options },
  };
}

function mergeValues(base: FieldValues = {}, over: FieldValues = {}): FieldValues {
  const merged: FieldValues = { ...base };
  for (const [field, values] of entriesOf(over)) {
    const replaced = new Set(Object.keys(values).map(comparableText));
    const kept = Object.entries(base[field] ?? {}).filter(([from]) => !replaced.has(comparableText(from)));
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
  if (options.columns !== undefined && options.headerRow !== undefined) {
    throw new UsageError('--columns cannot be used with --header-row', '--columns is for a list without a header.');
  }
  rejectOmittedId(omit, mapping);
  rejectStatusOptions(mapping);
  const map = new Map(
    entriesOf(columns).map(([field]) => [
      field,
      columnsOf(mapping, field).map((source) => readFieldSource(field, source)),
    ]),
  );
  return {
    ...options,
    delimiter: options.delimiter === undefined ? undefined : readDelimiter(options.delimiter),
    records: options.records === undefined ? undefined : readRecordsPath(options.records),
    map,
    lookups: new Map(entriesOf(lookups)),
    valueMap: new Map(entriesOf(values).map(([field, byText]) => [field, readTranslations(field, byText)])),
    defaults: new Map(entriesOf(defaults)),
    omit: new Set(omit),
    ignored: new Set(mapping.ignored?.map(comparableText)),
    ignoreExtraColumns: mapping.ignoreExtraColumns ?? false,
  };
}

/** Rejects options that contradict the columns that say who is active. */
function rejectStatusOptions(mapping: ListMapping): void {
  const [first, ...others] = columnsOf(mapping, 'isActive');
  const isTranslated = mapping.values?.isActive !== undefined;
  if (first === undefined) return;
  if (others.length > 0) {
    const conflict = isTranslated
      ? '--map-value isActive:…'
      : mapping.defaults?.isActive === undefined
        ? undefined
        : '--default isActive=…';
    if (conflict === undefined) return;
    throw new UsageError(
      `several --map isActive=… cannot be used with ${conflict}`,
      'Each of these columns must say true or false in every row. Otherwise, add one column to the list that says who is active.',
    );
  }
  // Translated values are not inverted, so a mapping with both reads as the opposite of what it does.
  if (!first.startsWith('!') || !isTranslated) return;
  throw new UsageError(
    `--map isActive=${first} cannot be used with --map-value isActive:…`,
    'Remove the "!", and translate each value to whether the person is active.',
  );
}

function rejectOmittedId(omit: readonly MemberField[], mapping: ListMapping): void {
  if (omit.includes('userId'))
    throw new UsageError('--omit userId: every row needs an ID', 'Map it to another column: --map userId=<column>');
  const both = omit.find((field) => columnsOf(mapping, field).length > 0);
  if (both === undefined) return;
  throw new UsageError(
    `--omit ${both} cannot be used with --map ${both}=${columnsOf(mapping, both)[0]}`,
    'Remove one of them.',
  );
}

/** The members of an object that may lack some of its keys. */
export function entriesOf<K extends string, V>(record: Partial<Record<K, V>>): [K, V][] {
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
    const key = comparableText(from);
    if (translations.has(key)) throw new UsageError(`--map-value: "${field}:${key}" is specified twice`);
    translations.set(key, to);
  }
  return translations;
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
