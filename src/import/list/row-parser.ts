import type { MemberField } from '../entry.ts';
import type { ListEncoding } from './encoding.ts';
import type { DefaultValues, FieldRule } from './field-rules.ts';
import type { JsonShape } from './json/json-elements.ts';
import type { ListFormat, ListLayout, ListOptions, MappedField, MappingInEffect } from './list-options.ts';
import type { ListRow } from './list-row.ts';

/** One pass from a list's text to its validated rows. */
export interface RowParser {
  /** Yields the rows that `text` completes. Throws `UsageError` for what is not of the list's format. */
  push(text: string): Iterable<ListRow[]>;
  /** Yields the rows that the end of the list completes. Throws `UsageError` for a list that is empty or breaks off. */
  end(): Iterable<ListRow[]>;
  /** What is known when the pass is over. */
  summary(): ParserSummary;
}

export interface ParserSummary {
  /** How the list is written. */
  readonly layout: ListLayout;
  readonly mapping: MappingInEffect;
  /** Warnings about a list that can be read. */
  readonly warnings: readonly string[];
  /** Options that would make more rows valid, see `ColumnsError`. */
  readonly suggestedOptions: readonly string[];
}

/** Everything that a pass needs to know beforehand. */
export interface ParserOptions {
  readonly format: ListFormat;
  /** Whether it is a converted workbook, see `ConvertedSource`. */
  readonly isSheet: boolean;
  readonly encoding: ListEncoding;
  /** The delimiter of a CSV list. */
  readonly delimiter: string;
  /** Physical lines before the header of a CSV list. */
  readonly skipLines: number;
  /** Where the elements of a JSON list are. */
  readonly shape: JsonShape;
  readonly options: ListOptions;
  readonly rules: readonly FieldRule[];
  readonly defaults: DefaultValues;
}

/** Describes the fields that are read or set, by their rules. `sourceOf` returns the column or key of a field; undefined if there is none. */
export function describeMapping(
  { options, rules }: Pick<ParserOptions, 'options' | 'rules'>,
  sourceOf: (field: string) => string | undefined,
  ignored: readonly string[],
): MappingInEffect {
  const fields: MappedField[] = [];
  for (const { field, isInverted, translations } of rules) {
    const source = sourceOf(field) ?? null;
    const fallback = options.defaults.get(field as MemberField) ?? null;
    if (source === null && fallback === null) continue;
    const values = Object.fromEntries(translations ?? []);
    fields.push({ field, source, inverted: isInverted, values, default: fallback });
  }
  return { fields, ignored };
}
