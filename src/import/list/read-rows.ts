import { quoteAll } from '../../output/sanitize.ts';
import { formatCount } from '../../util/units.ts';
import { comparableText } from '../../util/visible-text.ts';
import type { ListRow } from '../list-row.ts';
import type { Mapping } from '../mapping.ts';
import type { MemberField } from '../new-member.ts';
import { missingFields } from './columns/bind-keys.ts';
import type { FieldRead } from './columns/binder.ts';
import type { FoundColumns } from './columns/decisions.ts';
import { findStatusCodes, type StatusCodes } from './columns/status-codes.ts';
import { bindFields, hasColumn } from './fields/bind-fields.ts';
import type { BoundField } from './fields/field-value.ts';
import type { LoadedLookup } from './fields/lookup-table.ts';
import { binderOf, mapRecords } from './read-records.ts';
import { RowReader } from './rows/row-reader.ts';
import type { RecordsEnd } from './source/source-record.ts';
import type { SourceText } from './source/text.ts';

/** A list in memory, and the second lists that reading its rows needs. */
export interface LoadedList {
  readonly text: SourceText;
  /** The second lists, by the field whose values they translate. */
  readonly lookups: ReadonlyMap<MemberField, LoadedLookup>;
}

/** Results of a pass over a list. */
export interface PassResult extends FoundColumns {
  /** The names of the columns of a table; undefined for JSON. */
  readonly header: readonly string[] | undefined;
  /** The physical line of the header of a table, 1-based; undefined if it has none. */
  readonly headerLine: number | undefined;
  /** The columns of a table that fields are read from. */
  readonly reads: readonly FieldRead[];
  /** Why columns or keys do not fit the mapping, as lines of a message. */
  readonly problems: readonly string[];
  /** Sentences about rows and options that may be a mistake: rows that lack cells, translations that no row has used. */
  readonly doubts: readonly string[];
  /** The value next to a JSON list that says that the list continues elsewhere; undefined if none does. */
  readonly more: string | undefined;
  /** Letters and digits of the status, of which only some are booleans; undefined if there are none. */
  readonly statusCodes: StatusCodes | undefined;
}

/**
 * Makes one pass over a list: yields its rows in chunks, and returns the results. Lets other work run between two chunks.
 *
 * @throws UsageError with the list's name for a list that cannot be read
 */
export async function* readRows(
  { text, lookups }: LoadedList,
  mapping: Mapping,
): AsyncGenerator<ListRow[], PassResult> {
  const fields = bindFields(mapping, lookups);
  const reader = new RowReader(fields, mapping, binderOf(text), { isSheet: text.sheet !== undefined });
  const end = yield* mapRecords(text, mapping.options ?? {}, (record) => reader.read(record));
  if (end.header !== undefined) reader.bind(end.header);
  const result = resultOf({ text, lookups }, fields, reader, end);
  // Texts that were read before keep the text of the list alive.
  for (const { known } of fields) known?.clear();
  return result;
}

function resultOf(
  { text, lookups }: LoadedList,
  fields: readonly BoundField[],
  reader: RowReader,
  { header, headerLine, rowAbove, more }: RecordsEnd,
): PassResult {
  const { rows, unread } = reader;
  const binder = binderOf(text);
  const [unknown, ignored] = [unread.names({ areIgnored: false }), unread.names({ areIgnored: true })];
  const names = [...fields.flatMap(({ column }) => column ?? []), ...unknown, ...ignored];
  const useless = [...lookups.keys()].filter((name) => !hasColumn(name, fields)).map(uselessLookup);
  // A list without rows may have no keys.
  const missing = rows === 0 ? [] : [...missingFields(fields, names, binder), ...useless];
  return {
    header,
    headerLine,
    fields,
    reads: header === undefined ? [] : reader.bind(header).reads,
    unknown,
    ignored,
    hasLooseStatus: reader.hasLooseStatus,
    hasNonFields: reader.readsNonFields || unread.hasNonFields,
    problems: [...reader.problems, ...missing],
    doubts: [
      ...(rows === 0 ? [] : describeUnusedTranslations(fields)),
      ...fields.flatMap(describeUntranslatedRoles),
      ...[reader.shape.warning() ?? []].flat(),
      ...(rowAbove === undefined ? [] : [describeRowAbove(rowAbove)]),
      ...reader.chosen.warnings(),
    ],
    more,
    statusCodes: findStatusCodes(fields),
  };
}

function describeUnusedTranslations(fields: readonly BoundField[]): string[] {
  return fields.flatMap(({ name, translations, translated }) => {
    const others = translations?.get('*');
    if (translations === undefined || others === undefined) return [];
    const unused = [...translations].filter(([from, to]) => from !== '*' && to !== others && !translated.has(from));
    if (unused.length === 0) return [];
    return `--map-value ${name}: no row has ${quoteAll(unused.map(([from]) => from))}, and * translates all other values`;
  });
}

/**
 * Warns of roles that no translation has, as a source or as a target: a new role in the export of next month, which orgadm sends
 * as it is, may give rights that nobody meant to give.
 */
function describeUntranslatedRoles({ name, translations, untranslated }: BoundField): string[] {
  const targets = new Set(Array.from(translations?.values() ?? [], comparableText));
  const others = [...untranslated].filter((text) => !targets.has(comparableText(text)));
  if (name !== 'role' || others.length === 0) return [];
  return [`--map-value role does not name ${quoteAll(others)}: orgadm sends other roles as they are`];
}

/** Warns of a row above the header that may be a person: the mapping file may be that of a list with lines of titles. */
function describeRowAbove({ cells, line }: NonNullable<RecordsEnd['rowAbove']>): string {
  return `line ${formatCount(line)} is above the header that --header-row names, but has as many cells: ${quoteAll(cells)}. Check that it is not a person`;
}

/** Returns the problem with a second list for a field that the list does not have. */
function uselessLookup(name: MemberField): string {
  return `--lookup ${name}: the list has no ${name} (name its column with --map ${name}=<column>)`;
}
