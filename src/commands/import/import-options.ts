import { UsageError } from '../../util/errors.ts';
import type { MappingFlags } from './mapping/mapping-flags.ts';

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
export interface BulkAddOptions extends ImportOptions, MappingFlags {
  saveMapping?: string;
}

/** @throws UsageError for an option that has no effect without another one */
export function checkCombination({ saveMapping, dryRun }: BulkAddOptions): void {
  if (saveMapping !== undefined && !dryRun) {
    throw new UsageError(
      '--save-mapping requires --dry-run',
      'Add --dry-run. To import with a saved mapping, use --mapping.',
    );
  }
}
