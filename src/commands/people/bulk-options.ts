import type { RunMode } from '../../import/journal/open-run.ts';
import type { ListOptions } from '../../import/list/list-options.ts';
import type { ListValidation, MemberList } from '../../import/list/open-list.ts';
import {
  DEFAULT_BATCH_SIZE,
  DEFAULT_CONCURRENCY,
  DEFAULT_QUIET_PERIOD,
  DEFAULT_REQUEST_LIFETIME,
  RATE_LIMITED_BATCH_SIZE,
} from '../../import/send/send-limits.ts';
import { UsageError } from '../../util/errors.ts';
import { parseDuration } from '../../util/units.ts';
import { choiceParser, parseCount } from '../define-command.ts';
import { type ListFlags, listIdentity, readListFlags } from './list-flags.ts';

/** What to do about invalid rows: send nothing, or send the others. */
export const ON_INVALID = ['abort', 'skip'] as const;

/** The flags of `people bulk-add`, as Commander returns them. */
export interface BulkAddFlags extends ListFlags {
  batchSize?: string;
  concurrency?: string;
  ignoreExisting?: boolean;
  invalid?: string;
  errorsFile?: string;
  dryRun?: boolean;
  saveMapping?: string;
  resume?: boolean;
  restart?: boolean;
  retryFailed?: boolean;
  allRows?: boolean;
  expectDigest?: string;
  journal?: string;
  quietPeriod?: string;
  requestLifetime?: string;
  confirm?: boolean;
  allowParallel?: boolean;
  yes?: boolean;
}

/** The same, validated. */
export interface BulkAddOptions {
  list: ListOptions;
  /** What to do about invalid rows: send nothing at all, or send the others. */
  invalid: 'abort' | 'skip';
  batchSize: number;
  /** Entries in one request at most, under a rate limit. */
  maxBatchSize: number;
  concurrency: number;
  quietPeriodMs: number;
  /** Undefined for the default, which depends on the service. */
  requestLifetimeMs: number | undefined;
  confirm: boolean;
  /** Whether another import into the same service with the same key may run at the same time. */
  allowParallel: boolean;
  ignoreExisting: boolean;
  errorsFile: string | undefined;
  dryRun: boolean;
  mode: RunMode;
  /** Whether to send the failed rows of a finished run once more. */
  retryFailed: boolean;
  /** Whether the report includes created rows, with their member ids. */
  allRows: boolean;
  /** What `--dry-run` printed for the list to send; any other list is rejected. */
  expectDigest: string | undefined;
  journal: string | undefined;
  /** Whether to import without asking. */
  yes: boolean;
}

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport {
  /** The list as the user named it. */
  file: string;
  flags: BulkAddFlags;
  options: BulkAddOptions;
  list: MemberList;
  check: ListValidation;
}

/** @throws UsageError that names the flag */
export function readBulkFlags(flags: BulkAddFlags): BulkAddOptions {
  if (flags.saveMapping !== undefined && !flags.dryRun) {
    throw new UsageError(
      '--save-mapping requires --dry-run',
      'Add --dry-run. An import reads a mapping with --mapping.',
    );
  }
  if (flags.resume && flags.restart) throw new UsageError('--resume cannot be used with --restart');
  if (flags.dryRun && (flags.resume || flags.restart)) {
    throw new UsageError(`--dry-run cannot be used with --${flags.resume ? 'resume' : 'restart'}`);
  }
  if (flags.retryFailed && !flags.resume)
    throw new UsageError('--retry-failed requires --resume', 'It sends the failed rows of a finished run once more.');
  const batchSize = parseCount(flags.batchSize ?? String(DEFAULT_BATCH_SIZE), '--batch-size', 1);
  return {
    list: readListFlags(flags),
    invalid: choiceParser(flags.invalid ?? 'abort', '--invalid', ON_INVALID),
    batchSize,
    maxBatchSize: flags.batchSize === undefined ? RATE_LIMITED_BATCH_SIZE : batchSize,
    concurrency: readConcurrency(flags.concurrency ?? String(DEFAULT_CONCURRENCY)),
    quietPeriodMs: parseDuration(flags.quietPeriod ?? DEFAULT_QUIET_PERIOD, '--quiet-period'),
    requestLifetimeMs:
      flags.requestLifetime === undefined ? undefined : parseDuration(flags.requestLifetime, '--request-lifetime'),
    confirm: flags.confirm ?? true,
    allowParallel: flags.allowParallel ?? false,
    ignoreExisting: flags.ignoreExisting ?? false,
    errorsFile: flags.errorsFile,
    dryRun: flags.dryRun ?? false,
    mode: flags.resume ? 'resume' : flags.restart ? 'restart' : 'new',
    retryFailed: flags.retryFailed ?? false,
    allRows: flags.allRows ?? false,
    expectDigest: flags.expectDigest === undefined ? undefined : readDigest(flags.expectDigest),
    journal: flags.journal,
    yes: flags.yes ?? false,
  };
}

/**
 * How long the service may keep processing a request whose connection is lost, in milliseconds. The embedded sandbox is
 * known to be done within the quiet period.
 */
export function requestLifetime(options: BulkAddOptions, isSandbox: boolean): number {
  if (options.requestLifetimeMs !== undefined) return options.requestLifetimeMs;
  return isSandbox ? options.quietPeriodMs : parseDuration(DEFAULT_REQUEST_LIFETIME, 'the default');
}

/** The settings that change what is sent, in a fixed order: a run with others is another run. */
export function entrySettings({ list, invalid }: BulkAddOptions, labelName: string): unknown {
  const [format, map, defaults, ignoreExtraColumns, ...more] = listIdentity(list);
  return [format, map, defaults, ignoreExtraColumns, invalid, labelName, ...more];
}

function readDigest(text: string): string {
  const digest = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UsageError(`--expect-digest: "${text}" is not a SHA-256 of 64 hex digits`, 'Use the digest of --dry-run.');
}

function readConcurrency(text: string): number {
  const concurrency = parseCount(text, '--concurrency', 1);
  if (concurrency > 64) throw new UsageError(`--concurrency must be at most 64 (got ${concurrency})`);
  return concurrency;
}
