/** The layout of a CSV list, or of a sheet. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  readonly hasBom: boolean;
  readonly delimiter: string;
  /** The names of the columns as in the list. */
  readonly header: readonly string[];
  /** The last column of an errors file, which holds the messages, from 0. */
  readonly errorColumn: number | undefined;
}

/** The layout of a JSON or NDJSON list. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  readonly hasBom: boolean;
  /** Whether all of it is one line: only numbers tell its rows apart. */
  readonly isOneLine: boolean;
}

/** The layout of a list: an errors file has the same. */
export type Layout = CsvLayout | JsonLayout;
