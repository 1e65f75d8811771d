import type { Delimiter } from './delimiter.ts';

/** How a CSV list is written. */
export interface CsvLayout {
  readonly format: 'csv' | 'tsv';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
  readonly delimiter: Delimiter;
  /** The header's cells as they are. */
  readonly header: readonly string[];
  /** The trailing column (0-based) in which our own errors file told what was wrong. */
  readonly errorColumn: number | undefined;
}

/** How a JSON or NDJSON list is written. */
export interface JsonLayout {
  readonly format: 'json' | 'ndjson';
  /** Whether it began with a byte order mark. */
  readonly bom: boolean;
}

/** How a list is written, as far as rows can be given back in its own manner. */
export type ListLayout = CsvLayout | JsonLayout;
