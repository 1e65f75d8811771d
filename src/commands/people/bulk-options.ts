import type { RunMode } from '../../import/journal/open-run.ts';
import type { ListOptions } from '../../import/list/list-options.ts';
import type { ListValidation, MemberList } from '../../import/list/open-list.ts';
import { UsageError } from '../../util/errors.ts';
import { parseDuration } from '../../util/units.ts';
import { choiceParser, parseCount } from '../define-command.ts';
import type { ListFlags } from './list-flags.ts';
import { type ListMapping, listOptionsFrom } from './list-mapping.ts';

/** Rows in one request. */
const DEFAULT_BATCH_SIZE = 500;
/** Requests in flight at the same time. */
const DEFAULT_CONCURRENCY = 4;
const MAX_CONCURRENCY = 64;

/** The flags of `people bulk-add`, as Commander returns them. */
export interface BulkAddFlags extends ListFlags {
  batchSize?: string;
  concurrency?: string;
  limit?: string;
  ignoreExisting?: boolean;
  invalid?: string;
  errorsFile?: string;
  dryRun?: boolean;
  saveMapping?: string;
  resume?: boolean;
  restart?: boolean;
  retryFailed?: boolean;
  acceptNewKey?: boolean;
  allRows?: boolean;
  annotate?: boolean;
  expectDigest?: string;
  journal?: string;
  requestLifetime?: string;
  confirm?: boolean;
  yes?: boolean;
}

/** How to treat invalid rows: send nothing at all, or send the others. */
export const INVALID_ACTIONS = ['abort', 'skip'] as const;
export type InvalidAction = (typeof INVALID_ACTIONS)[number];

/** The options for sending a list. */
export interface SendingOptions {
  batchSize: number;
  concurrency: number;
  /** Milliseconds; undefined for the default, which depends on the service. */
  requestLifetimeMs: number | undefined;
  /** Whether existing members are no reason to exit with 3. */
  ignoreExisting: boolean;
}

/** The options for reporting the outcome of a run. */
export interface ReportOptions {
  /** Where to write the failed and invalid rows. */
  errorsFile: string | undefined;
  /** Whether to report created rows too, with their member IDs. */
  allRows: boolean;
  /** Whether to print a GitHub annotation for each row that was not added. */
  annotate: boolean;
}

/** The options of `people bulk-add`, validated. */
export interface BulkAddOptions extends SendingOptions, ReportOptions {
  /** How the list is read: the flags merged with the file of --mapping. */
  mapping: ListMapping;
  /** The same, for the reader. */
  list: ListOptions;
  invalid: InvalidAction;
  /** Rows to send at most that were never sent before. */
  limit: number | undefined;
  /** Whether to send rows of unknown outcome again. */
  confirm: boolean;
  dryRun: boolean;
  mode: RunMode;
  retryFailed: boolean;
  acceptNewKey: boolean;
  /** The digest that `--dry-run` printed. orgadm rejects any other list. */
  expectDigest: string | undefined;
  /** Directory of the journals; undefined for the one in the state directory. */
  journal: string | undefined;
  /** Whether to import without asking for confirmation. */
  yes: boolean;
}

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport {
  /** The list as the user named it; `-` for standard input. */
  file: string;
  options: BulkAddOptions;
  list: MemberList;
  check: ListValidation;
  /** Identifies what the list sends: 64 hex digits. */
  digest: string;
}

/**
 * Validates the flags.
 *
 * @param mapping how the list is read: the flags merged with the file of --mapping
 * @throws UsageError that names the flag
 */
export function readBulkFlags(flags: BulkAddFlags, mapping: ListMapping): BulkAddOptions {
  if (flags.saveMapping !== undefined && !flags.dryRun) {
    throw new UsageError(
      '--save-mapping requires --dry-run',
      'Add --dry-run. To import with a saved mapping, use --mapping.',
    );
  }
  if (flags.retryFailed && !flags.resume)
    throw new UsageError('--retry-failed requires --resume', 'It sends the failed rows of a finished run again.');
  if (flags.acceptNewKey && !flags.resume)
    throw new UsageError('--accept-new-key requires --resume', 'A new run accepts any key.');
  const { errorsFile, ignoreExisting = false, allRows = false, annotate = false, journal, yes = false } = flags;
  const { retryFailed = false, acceptNewKey = false, confirm = true, dryRun = false } = flags;
  return {
    ...{ errorsFile, ignoreExisting, allRows, annotate, journal, yes, retryFailed, acceptNewKey, confirm, dryRun },
    mapping,
    list: listOptionsFrom(mapping),
    invalid: choiceParser(flags.invalid ?? 'abort', '--invalid', INVALID_ACTIONS),
    batchSize: readOptionalCount(flags.batchSize, '--batch-size') ?? DEFAULT_BATCH_SIZE,
    concurrency: readConcurrency(flags.concurrency),
    limit: readOptionalCount(flags.limit, '--limit'),
    requestLifetimeMs: readLifetime(flags.requestLifetime),
    mode: flags.resume ? 'resume' : flags.restart ? 'restart' : 'new',
    expectDigest: readDigest(flags.expectDigest),
  };
}

function readOptionalCount(text: string | undefined, name: string): number | undefined {
  return text === undefined ? undefined : parseCount(text, name, 1);
}

function readConcurrency(text: string | undefined): number {
  const concurrency = readOptionalCount(text, '--concurrency') ?? DEFAULT_CONCURRENCY;
  if (concurrency <= MAX_CONCURRENCY) return concurrency;
  throw new UsageError(`--concurrency must be at most ${MAX_CONCURRENCY} (got ${concurrency})`);
}

function readLifetime(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDuration(text, '--request-lifetime');
}

function readDigest(text: string | undefined): string | undefined {
  const digest = text?.trim().toLowerCase();
  if (digest === undefined || /^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UsageError(`--expect-digest: "${text}" is not a SHA-256 of 64 hex digits`, 'Use the digest of --dry-run.');
}
