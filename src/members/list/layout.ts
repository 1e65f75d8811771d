import type { Delimiter } from './delimiter.ts';

/** How a list is written, as far as rows can be given back in its own manner. */
export type ListLayout = { /** Whether it began with a byte order mark. */ readonly bom: boolean } & (
  | {
      readonly format: 'csv' | 'tsv';
      readonly delimiter: Delimiter;
      readonly header: readonly string[];
      /** The trailing column (0-based) in which our own errors file told what was wrong. */
      readonly errorColumn: number | undefined;
    }
  | { readonly format: 'json' | 'ndjson' }
);
