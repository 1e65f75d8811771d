import type { MemberField, NewMember } from './new-member.ts';

/** The format of a list. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** The column or key of a field. */
export interface FieldSource {
  /** A column, a column number (`#3`), a JSON key or a dotted path. */
  readonly name: string;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
}

/** A second list that translates the values of a field. */
export interface LookupSource {
  /** The path of the second list. */
  readonly file: string;
  /** The column, key or dotted path in it that has the values of the first list. */
  readonly from: string;
  /** The column, key or dotted path in it that has the values to send. */
  readonly to: string;
}

/** Options for reading a list. orgadm detects what is undefined. */
export interface ListOptions {
  readonly format?: ListFormat | undefined;
  /** A single character. */
  readonly delimiter?: string | undefined;
  /** A name that `TextDecoder` knows. */
  readonly encoding?: string | undefined;
  /** The physical line of the header, from 1; the lines before it are skipped. */
  readonly headerRow?: number | undefined;
  /** The names of the columns of a list without a header; `-` for one that is not read. */
  readonly columns?: readonly string[] | undefined;
  /** The keys that lead to the array of a JSON list. */
  readonly records?: readonly string[] | undefined;
  /** The sheet of a spreadsheet. */
  readonly sheet?: string | undefined;
  /** Columns or keys of fields that have other names in the list; several only for isActive, if all of them must say so. */
  readonly map: ReadonlyMap<MemberField, readonly FieldSource[]>;
  /** Second lists that translate the values of fields, before `valueMap` does. */
  readonly lookups: ReadonlyMap<MemberField, LookupSource>;
  /** Translations of a field's values: comparable text to text, or to nothing; `*` matches all others. */
  readonly valueMap: ReadonlyMap<MemberField, ReadonlyMap<string, string>>;
  /** Values of fields that the list does not have, or has blank. */
  readonly defaults: ReadonlyMap<MemberField, string>;
  /** Fields that are not read, although a column or key spells their name. */
  readonly omit: ReadonlySet<MemberField>;
  /** Comparable names of columns and keys that are ignored. */
  readonly ignored: ReadonlySet<string>;
  /** Whether all columns and keys that are not read are ignored. */
  readonly ignoreExtraColumns: boolean;
}

/** The options of a list of which orgadm detects everything. */
export const NO_LIST_OPTIONS: ListOptions = {
  map: new Map(),
  lookups: new Map(),
  valueMap: new Map(),
  defaults: new Map(),
  omit: new Set(),
  ignored: new Set(),
  ignoreExtraColumns: false,
};

/** The columns or keys of all fields of a list, and those that orgadm ignores. */
export interface MappingInEffect {
  readonly fields: readonly MappedField[];
  /** The sheet of a workbook; undefined for other lists. */
  readonly sheet: string | undefined;
  /** Names of columns or keys. */
  readonly ignored: readonly string[];
}

/** Totals of the valid rows of a list, which show whether a column was read the wrong way around. */
export interface ListTotals {
  readonly active: number;
  readonly inactive: number;
  /** People for whom the member does not say it. */
  readonly unset: number;
  /** People by role. */
  readonly roles: ReadonlyMap<string, number>;
}

/** The first and the last two valid members of a list: footers and totals are at its end. */
export interface ListSample {
  readonly first: NewMember[];
  /** Without those that are among the first. */
  readonly last: NewMember[];
}

/** A field as it is read. */
export interface MappedField {
  readonly field: string;
  /** The column or key; null if the list has none. */
  readonly source: string | null;
  readonly inverted: boolean;
  /** The second list that translates the values, and how many of them it has; null if there is none. */
  readonly lookup: LookupCounts | null;
  readonly default: string | null;
}

/** The number of values that a second list has translated. */
export interface LookupCounts extends LookupSource {
  readonly found: number;
  readonly missing: number;
}
