import { isField, MEMBER_FIELDS, type MemberField } from '../../import/entry.ts';
import type { RunMode } from '../../import/journal/open-run.ts';
import { LIST_FORMATS } from '../../import/list/list-options.ts';
import type { ListOptions } from '../../import/list/open-list.ts';
import {
  DEFAULT_BATCH_SIZE,
  DEFAULT_CONCURRENCY,
  DEFAULT_QUIET_PERIOD,
  DEFAULT_REQUEST_LIFETIME,
  RATE_LIMITED_BATCH_SIZE,
} from '../../import/send/send-limits.ts';
import { parseDuration } from '../../util/duration.ts';
import { UsageError } from '../../util/errors.ts';
import { choiceParser, parseCount } from '../option-parsers.ts';

/** What can be done about invalid rows: nothing is sent, or the others are. */
export const ON_INVALID = ['abort', 'skip'] as const;

/** The flags of `people bulk-add`, as Commander hands them over. */
export interface BulkAddFlags {
  format?: string;
  map?: string[];
  default?: string[];
  ignoreExtraColumns?: boolean;
  batchSize?: string;
  concurrency?: string;
  ignoreExisting?: boolean;
  invalid?: string;
  errorsFile?: string;
  dryRun?: boolean;
  resume?: boolean;
  restart?: boolean;
  journal?: string;
  quietPeriod?: string;
  requestLifetime?: string;
  confirm?: boolean;
  allowParallel?: boolean;
}

/** The same, checked. */
export interface BulkAddOptions {
  list: ListOptions;
  /** What to do about invalid rows: send nothing at all, or send the others. */
  invalid: 'abort' | 'skip';
  batchSize: number;
  /** Entries in one request at most, under a rate limit. */
  maxBatchSize: number;
  concurrency: number;
  quietPeriodMs: number;
  /** Undefined where the default holds: it depends on the service. */
  requestLifetimeMs: number | undefined;
  confirm: boolean;
  /** Whether another import into the same service with the same key may run at the same time. */
  allowParallel: boolean;
  ignoreExisting: boolean;
  errorsFile: string | undefined;
  dryRun: boolean;
  mode: RunMode;
  journal: string | undefined;
}

/** @throws UsageError that names the flag */
export function readBulkFlags(flags: BulkAddFlags): BulkAddOptions {
  if (flags.resume && flags.restart) throw new UsageError('--resume and --restart exclude each other');
  if (flags.dryRun && (flags.resume || flags.restart)) {
    throw new UsageError(`--dry-run and --${flags.resume ? 'resume' : 'restart'} exclude each other`);
  }
  const batchSize = parseCount(flags.batchSize ?? String(DEFAULT_BATCH_SIZE), '--batch-size', 1);
  return {
    list: {
      ...(flags.format === undefined ? {} : { format: choiceParser(flags.format, '--format', LIST_FORMATS) }),
      map: readPairs(flags.map, '--map', '<field>=<column>'),
      defaults: readPairs(flags.default, '--default', '<field>=<value>'),
      ignoreExtraColumns: flags.ignoreExtraColumns ?? false,
    },
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
    journal: flags.journal,
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
  const sorted = (map: ReadonlyMap<MemberField, string>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return [list.format ?? null, sorted(list.map), sorted(list.defaults), list.ignoreExtraColumns, invalid, labelName];
}

function readConcurrency(text: string): number {
  const concurrency = parseCount(text, '--concurrency', 1);
  if (concurrency > 64) throw new UsageError(`--concurrency must be at most 64 (got ${concurrency})`);
  return concurrency;
}

function readPairs(pairs: readonly string[] | undefined, flag: string, syntax: string): Map<MemberField, string> {
  const read = new Map<MemberField, string>();
  for (const pair of pairs ?? []) {
    const at = pair.indexOf('=');
    const field = pair.slice(0, Math.max(0, at)).trim();
    const value = pair.slice(at + 1).trim();
    if (at < 0 || field === '' || value === '') throw new UsageError(`${flag}: "${pair}" is not of the form ${syntax}`);
    if (!isField(field))
      throw new UsageError(`${flag}: "${field}" is not a field`, `The fields are ${MEMBER_FIELDS.join(', ')}.`);
    if (read.has(field)) throw new UsageError(`${flag}: "${field}" is given twice`);
    read.set(field, value);
  }
  return read;
}
