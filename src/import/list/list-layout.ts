import type { CsvColumns } from './csv-columns.ts';
import type { Delimiter } from './delimiter.ts';
import type { ListOptions } from './list-options.ts';

/** How a CSV list is written. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: Delimiter;
  readonly columns: CsvColumns;
  readonly options: ListOptions;
}

/** How a JSON or NDJSON list is written. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
  readonly options: ListOptions;
}

/** How a list is written and was read, as far as rows can be given back in its own manner. */
export type ListLayout = CsvLayout | JsonLayout;
