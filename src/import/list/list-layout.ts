import type { FieldRule } from './field-rule.ts';

/** Format and columns of a CSV list. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  readonly hasBom: boolean;
  readonly delimiter: string;
  readonly columns: CsvColumns;
  readonly rules: readonly FieldRule[];
}

/** Format and fields of a JSON or NDJSON list. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  readonly hasBom: boolean;
  /** Whether all of it is one line: only numbers tell its rows apart. */
  readonly isOneLine: boolean;
  readonly rules: readonly FieldRule[];
}

/** The layout of a list: an errors file has the same. */
export type ListLayout = CsvLayout | JsonLayout;

/** A field and the column that holds it, from 0. */
export interface FieldColumn {
  readonly field: string;
  readonly column: number;
}

/** The columns of a CSV list. */
export interface CsvColumns {
  /** The header's cells as in the list. */
  readonly header: readonly string[];
  readonly fields: readonly FieldColumn[];
  /** Columns with a name that are not read. */
  readonly ignored: readonly number[];
  /** Columns without a name, which must be blank in every row. */
  readonly unnamed: readonly number[];
  /** The last column of an errors file, which holds the messages. */
  readonly errorColumn: number | undefined;
}
