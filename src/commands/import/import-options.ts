import type { FileOptions } from '../../import/table/table.ts';
import type { MappingOptions } from './mapping/mapping-options.ts';

/** How to treat invalid rows: send nothing at all, or send the others. */
export const INVALID_ACTIONS = ['abort', 'skip'] as const;
export type InvalidAction = (typeof INVALID_ACTIONS)[number];

/** How a list is imported: the options of `people bulk-add` that do not say how the list is read. */
export interface ImportOptions {
  invalid: InvalidAction;
  dryRun?: boolean;
  batchSize: number;
  concurrency: number;
  /** Milliseconds; the default depends on the service. */
  requestLifetime?: number | undefined;
  /** Rows to send at most that were never sent before. */
  limit?: number;
  /** Whether existing members are no reason to exit with 3. */
  ignoreExisting?: boolean;
  yes?: boolean;
  restart?: boolean;
  /** Where to write the failed and invalid rows, and those that make the service fail. */
  errorsFile?: string;
  /** Whether to report created rows too, with their member IDs. */
  allRows?: boolean;
  /** A file with options for reading the list. */
  mapping?: string;
}

/** The options of `people bulk-add`, as Commander fills them. */
export interface BulkAddOptions extends ImportOptions, MappingOptions, FileOptions {}
