import { setImmediate as nextTurn } from 'node:timers/promises';
import { quoteAll } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import type { ListLayout } from '../list-layout.ts';
import type { ListRow } from '../list-row.ts';
import type { ListOptions, MappedField, MappingInEffect } from '../mapping.ts';
import type { MemberField } from '../new-member.ts';
import { type FieldRead, isErrorKey, missingSource } from './bind-keys.ts';
import { readTable } from './csv/read-table.ts';
import { createFieldRules } from './field-rules.ts';
import type { FieldRule } from './field-value.ts';
import { readJson } from './json/json-records.ts';
import type { LoadedLookup } from './lookup-table.ts';
import { RowReader } from './row-reader.ts';
import { type ListText, withListName } from './source/list-text.ts';
import type { RecordPass, RecordsEnd, SourceRecord } from './source/source-record.ts';

/** A list in memory, and the second lists that reading its rows needs. */
export interface ListReader {
  readonly text: ListText;
  /** The second lists, by the field whose values they translate. */
  readonly lookups: ReadonlyMap<MemberField, LoadedLookup>;
}

/** Results of a pass over a list. */
export interface PassResult {
  readonly layout: ListLayout;
  readonly mapping: MappingInEffect;
  /** Rows in the list. */
  readonly rows: number;
  /** The columns or keys of the fields that are read. */
  readonly sources: ReadonlyMap<MemberField, string>;
  /** Whether a column says who is active only by a name such as `active`. */
  readonly hasLooseStatus: boolean;
  /** Why columns or keys do not fit the options, as lines of a message. */
  readonly problems: readonly string[];
  /** The columns of a table that fields are read from. */
  readonly reads: readonly FieldRead[];
  /** Columns that no field is read from and that the options do not ignore. */
  readonly unknown: readonly string[];
  /** Whether a column has a name that is not a field's, whether it is read or not. */
  readonly hasNonFields: boolean;
  /** Sentences about rows and options that may be a mistake: rows that lack cells, translations that no row has used. */
  readonly doubts: readonly string[];
  /** The value next to a JSON list that says that the list continues elsewhere; undefined if none does. */
  readonly more: string | undefined;
}

/** Whether the records of a list are rows of a table, and not values of JSON. */
export function isTable({ format }: Pick<ListText, 'format'>): boolean {
  return format === 'csv' || format === 'tsv';
}

/** Reads the records of a list, in chunks. Throws UsageError for a list that cannot be read. */
export function readRecords(text: ListText, options: ListOptions): RecordPass {
  return isTable(text) ? readTable(text, options) : readJson(text, options);
}

/**
 * Makes one pass over a list: yields its rows in chunks, and returns the results. Lets other work run between two chunks.
 *
 * @param isFirstPass whether to find the columns that no field is read from
 * @param mayBeIds whether all fields may be user IDs, as in a second list
 * @throws UsageError with the list's name for a list that cannot be read
 */
export async function* readRows(
  { text, lookups }: ListReader,
  options: ListOptions,
  { isFirstPass }: { isFirstPass: boolean },
): AsyncGenerator<ListRow[], PassResult> {
  const rules = createFieldRules(options, lookups);
  const reader = new RowReader(rules, options, {
    isTable: isTable(text),
    isSheet: text.sheet !== undefined,
    isFirstPass,
  });
  const end = yield* mapRecords(text, options, (record) => reader.read(record));
  if (end.header !== undefined) reader.bind(end.header);
  return resultOf(text, rules, options, reader, end);
}

/**
 * Yields a value for each record of a list, in chunks.
 *
 * @throws UsageError with the list's name for a list that cannot be read
 */
export async function* mapRecords<T>(
  text: ListText,
  options: ListOptions,
  read: (record: SourceRecord) => T,
): AsyncGenerator<T[], RecordsEnd> {
  try {
    const pass = readRecords(text, options);
    for (let next = pass.next(); ; next = pass.next()) {
      if (next.done) return next.value;
      yield next.value.map(read);
      await nextTurn();
    }
  } catch (error) {
    throw error instanceof UsageError ? withListName(text.name, error) : error;
  }
}

function resultOf(
  text: ListText,
  rules: readonly FieldRule[],
  options: ListOptions,
  reader: RowReader,
  { header, more }: RecordsEnd,
): PassResult {
  const { rows, hasNonFields, hasLooseStatus } = reader;
  const sources = new Map([...reader.sources].map(([{ field }, name]) => [field, name]));
  const others = reader.others();
  const names = [...reader.sources.values(), ...others.map(({ name }) => name)];
  const unused = rules.filter((rule) => rule.source !== undefined && !reader.sources.has(rule));
  // A list without rows has no keys.
  const missing = header !== undefined || rows === 0 ? [] : unused.map((rule) => missingSource(rule, names, false));
  const useless = rows === 0 ? [] : describeUselessLookups(sources, options);
  return {
    layout: layoutOf(text, header),
    mapping: {
      fields: describeFields(rules, options, reader.sources),
      sheet: text.sheet?.name,
      ignored: others.filter(({ isIgnored }) => isIgnored).map(({ name }) => name),
    },
    rows,
    sources,
    reads: header === undefined ? [] : reader.bind(header).reads,
    hasLooseStatus,
    problems: [...reader.problems, ...missing, ...useless],
    unknown: others.filter(({ isIgnored }) => !isIgnored).map(({ name }) => name),
    hasNonFields,
    doubts: [...(rows === 0 ? [] : describeUnusedTranslations(rules)), ...[reader.shape.warning() ?? []].flat()],
    more,
  };
}

function describeUnusedTranslations(rules: readonly FieldRule[]): string[] {
  return rules.flatMap(({ field, translations, translated }) => {
    const others = translations?.get('*');
    if (translations === undefined || others === undefined) return [];
    const unused = [...translations].filter(([from, to]) => from !== '*' && to !== others && !translated.has(from));
    if (unused.length === 0) return [];
    return `--map-value ${field}: no row has ${quoteAll(unused.map(([from]) => from))}, and * translates all other values`;
  });
}

function layoutOf(
  { format, encoding, delimiter, isOneLine }: ListText,
  header: readonly string[] | undefined,
): ListLayout {
  if (header === undefined)
    return { format: format === 'ndjson' ? 'ndjson' : 'json', hasBom: encoding.hasBom, isOneLine };
  const last = header.length - 1;
  return {
    format: format === 'tsv' ? 'tsv' : 'csv',
    hasBom: encoding.hasBom || encoding.name !== 'utf-8',
    delimiter,
    header,
    errorColumn: isErrorKey(header, last, true) ? last : undefined,
  };
}

function describeFields(
  rules: readonly FieldRule[],
  options: ListOptions,
  sources: ReadonlyMap<FieldRule, string>,
): MappedField[] {
  return rules.flatMap((rule) => {
    const { field, isInverted, lookup } = rule;
    const source = sources.get(rule) ?? null;
    const fallback = options.defaults.get(field) ?? null;
    if (source === null && fallback === null) return [];
    return { field, source, inverted: isInverted, lookup: lookup?.result() ?? null, default: fallback };
  });
}

/** Returns problems with second lists for fields that the list does not have. */
function describeUselessLookups(sources: ReadonlyMap<string, string>, { lookups }: ListOptions): string[] {
  return [...lookups.keys()]
    .filter((field) => !sources.has(field))
    .map((field) => `--lookup ${field}: the list has no ${field} (name its column with --map ${field}=<column>)`);
}
