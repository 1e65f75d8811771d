import type { MemberField } from '../entry.ts';
import type { FieldRule } from './field-rule.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListOptions, MappedField, MappingInEffect } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import type { ListText } from './list-text.ts';
import type { UnreadColumn } from './status/unread-columns.ts';

/** Bytes that are read at a time, and the rest of a record that begins in them. */
export const CHUNK_BYTES = 64 * 1024;

/** The list and the settings of a pass over it. */
export interface PassSetup extends ListText {
  readonly options: ListOptions;
  readonly rules: readonly FieldRule[];
  /** Whether to collect the values of unread columns, as the first pass over a list does. */
  readonly observesUnread: boolean;
  /** The current time: earlier days are in the past. */
  readonly nowMs: number;
}

/** Results of a pass over a list. */
export interface PassResult {
  readonly layout: ListLayout;
  readonly mapping: MappingInEffect;
  /** Rows in the list. */
  readonly rows: number;
  /** Columns, or paths of keys, that no field is read from. */
  readonly unread: readonly UnreadColumn[];
  /** Fields that are read or set. */
  readonly present: ReadonlySet<string>;
  /** Whether the list is an errors file, whose unread columns were those of its list. */
  readonly isErrorsFile: boolean;
  /** The value next to a JSON list that says that the list continues elsewhere; undefined if none does. */
  readonly more: string | undefined;
  /** Why the columns or keys do not fit the fields; undefined if they do. */
  readonly misfit: Misfit | undefined;
}

/** Why the columns or keys of a list do not fit the fields. */
export interface Misfit {
  readonly lines: readonly string[];
  /** Whether options can make the list fit, see `suggestMapping`. */
  readonly isSuggestible: boolean;
  readonly missing: readonly MemberField[];
}

/** One pass over a list: yields its rows in chunks, and returns the results. */
export type ListPass = Generator<ListRow[], PassResult>;

/**
 * Describes the fields that are read or set.
 *
 * @param sources the names of their columns or keys
 */
export function describeFields(
  rules: readonly FieldRule[],
  options: ListOptions,
  sources: ReadonlyMap<string, string>,
): MappedField[] {
  return rules.flatMap(({ field, isInverted, lookup }) => {
    const source = sources.get(field) ?? null;
    const fallback = options.defaults.get(field as MemberField) ?? null;
    if (source === null && fallback === null) return [];
    return { field, source, inverted: isInverted, lookup: lookup?.result() ?? null, default: fallback };
  });
}

/**
 * Returns the fields that are read or set.
 *
 * @param sources their columns or keys
 */
export function presentFields(rules: readonly FieldRule[], sources: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...sources.keys(), ...rules.filter((rule) => rule.default !== undefined).map(({ field }) => field)]);
}

/** Returns the required fields that are neither read nor set, nor named by --map. */
export function missingFields(present: ReadonlySet<string>, { map }: ListOptions): MemberField[] {
  return (['userId', 'role'] as const).filter((field) => !present.has(field) && !map.has(field));
}

/** Renders the option that names the column or key of a field: `--map isActive=!Suspended`. */
export function renderSourceOption({ field, source, isInverted, isExtra }: FieldRule): string {
  return `${isExtra ? '--extra-field' : '--map'} ${field}=${isInverted ? '!' : ''}${source?.name}`;
}

/** Returns problems with second lists for fields that the list does not have. */
export function describeUselessLookups(present: ReadonlyMap<string, unknown>, { lookups }: ListOptions): string[] {
  return [...lookups.keys()]
    .filter((field) => !present.has(field))
    .map((field) => `--lookup ${field}: the list has no ${field} (name its column with --map ${field}=<column>)`);
}
