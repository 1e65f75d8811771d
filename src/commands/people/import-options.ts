import { join } from 'node:path';
import { stateDirectory } from '../../config/private-file.ts';
import type { RunMode } from '../../import/journal/open-run.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import type { ListFlags } from './list-flags.ts';

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
  /** Whether to send rows of unknown outcome again. */
  confirm: boolean;
  /** Whether existing members are no reason to exit with 3. */
  ignoreExisting?: boolean;
  yes?: boolean;
  resume?: boolean;
  restart?: boolean;
  retryFailed?: boolean;
  acceptNewKey?: boolean;
  /** The digest that `--dry-run` printed. orgadm rejects any other list. */
  expectDigest?: string;
  /** Directory of the journals; default: the one in the state directory. */
  journal?: string;
  /** Where to write the failed and invalid rows. */
  errorsFile?: string;
  /** Whether to report created rows too, with their member IDs. */
  allRows?: boolean;
  annotate?: boolean;
}

/** Returns how the run of the list is opened. */
export function runModeOf({ resume, restart }: ImportOptions): RunMode {
  return resume ? 'resume' : restart ? 'restart' : 'new';
}

/** Returns the directory of the journals. */
export function runsDirectory(journal: string | undefined, { host }: Pick<Context, 'host'>): string {
  return journal ?? join(stateDirectory(host), 'runs');
}

/** The options of `people bulk-add`, as Commander fills them. */
export interface BulkAddOptions extends ImportOptions, ListFlags {
  /** A file with options for reading the list. */
  mapping?: string;
  saveMapping?: string;
}

/** @throws UsageError for an option that has no effect without another one */
export function checkCombination({ saveMapping, dryRun, retryFailed, acceptNewKey, resume }: BulkAddOptions): void {
  if (saveMapping !== undefined && !dryRun) {
    throw new UsageError(
      '--save-mapping requires --dry-run',
      'Add --dry-run. To import with a saved mapping, use --mapping.',
    );
  }
  if (retryFailed && !resume)
    throw new UsageError(
      '--retry-failed requires --resume',
      'Add --resume, to send the failed rows of a finished run again.',
    );
  if (acceptNewKey && !resume) throw new UsageError('--accept-new-key requires --resume', 'A new run accepts any key.');
}

/** Commander's parser for --expect-digest. */
export function parseDigest(text: string): string {
  const digest = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UsageError(`--expect-digest: "${text}" is not a SHA-256 of 64 hex digits`, 'Use the digest of --dry-run.');
}
