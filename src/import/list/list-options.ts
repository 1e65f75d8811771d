import type { FieldKind, MemberField } from '../entry.ts';

/** How a list is written. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** Where a field is read from. */
export interface FieldSource {
  /** A column, a column number (`#3`), a JSON key or a dotted path. */
  readonly name: string;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
}

/** A field that the interface does not name, for a service that knows it. */
export interface ExtraField {
  readonly field: string;
  readonly kind: FieldKind;
  readonly source: FieldSource;
}

/** How a list is to be read. What is undefined is detected. */
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
  /** Where fields are read from, if their names do not show it. */
  readonly map: ReadonlyMap<MemberField, FieldSource>;
  /** Translations of a field's values: lower-case text to text; `*` matches all others. */
  readonly valueMap: ReadonlyMap<MemberField, ReadonlyMap<string, string>>;
  /** Values of fields that the list does not have, or has blank. */
  readonly defaults: ReadonlyMap<MemberField, string>;
  readonly extraFields: readonly ExtraField[];
  /** Whether unknown columns and keys are ignored instead of rejected. */
  readonly ignoreExtraColumns: boolean;
}

/** Reads the list as it is. */
export const NO_LIST_OPTIONS: ListOptions = {
  map: new Map(),
  valueMap: new Map(),
  defaults: new Map(),
  extraFields: [],
  ignoreExtraColumns: false,
};

/** How a CSV list is written. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  readonly hasBom: boolean;
  readonly delimiter: string;
  readonly columns: CsvColumns;
  readonly options: ListOptions;
}

/** How a JSON or NDJSON list is written. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  readonly hasBom: boolean;
  readonly options: ListOptions;
}

/** How a list is written and was read, so that its rows can be written in the same way. */
export type ListLayout = CsvLayout | JsonLayout;

/** A field and the column that holds it, from 0. */
export interface FieldColumn {
  readonly field: string;
  readonly column: number;
}

/** Which column of a CSV list holds what. */
export interface CsvColumns {
  /** The header's cells as in the list. */
  readonly header: readonly string[];
  readonly fields: readonly FieldColumn[];
  /** Columns with a name that are not read. */
  readonly ignored: readonly number[];
  /** Columns without a name, which must be blank in every row. */
  readonly unnamed: readonly number[];
  /** The last column of an errors file, which holds what was wrong. */
  readonly errorColumn: number | undefined;
}

/** What the fields of a list are read from, and which of its columns or keys are not read. */
export interface MappingInEffect {
  readonly fields: readonly MappedField[];
  /** Names of columns or keys. */
  readonly ignored: readonly string[];
}

/** A field as it is read. */
export interface MappedField {
  readonly field: string;
  /** The column or key; null if the list has none. */
  readonly source: string | null;
  readonly inverted: boolean;
  /** Translated values: from the text in the list (`*` for every other text) to the text that is read. */
  readonly values: Readonly<Record<string, string>>;
  readonly default: string | null;
}
