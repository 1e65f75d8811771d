import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { GlobalFlags } from '../../config/settings.ts';
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
import { quoteForShell } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { parseDuration } from '../../util/units.ts';
import { parseCount } from '../define-command.ts';
import { flagArguments, LIST_FLAGS, type ListFlags } from './list-flags.ts';
import { type ListMapping, listIdentity, listOptionsFrom } from './list-mapping.ts';

/** The flags of `people bulk-add`, as Commander returns them. */
export interface BulkAddFlags extends ListFlags {
  batchSize?: string;
  concurrency?: string;
  ignoreExisting?: boolean;
  /** What to do about invalid rows: send nothing at all, or send the others. */
  invalid?: 'abort' | 'skip';
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

type PlainFlag = 'ignoreExisting' | 'errorsFile' | 'retryFailed' | 'allRows' | 'journal' | 'allowParallel' | 'yes';

/** The same, validated. */
export interface BulkAddOptions extends Pick<BulkAddFlags, PlainFlag> {
  /** How the list is read: the flags merged with the file of --mapping. */
  mapping: ListMapping;
  /** The same, for the reader. */
  list: ListOptions;
  invalid: 'abort' | 'skip';
  batchSize: number;
  /** Entries in one request at most, under a rate limit. */
  maxBatchSize: number;
  concurrency: number;
  quietPeriodMs: number;
  /** Undefined for the default, which depends on the service. */
  requestLifetimeMs: number | undefined;
  confirm: boolean;
  dryRun: boolean;
  mode: RunMode;
  /** What `--dry-run` printed for the list to send; any other list is rejected. */
  expectDigest: string | undefined;
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
      'Add --dry-run. An import reads a mapping with --mapping.',
    );
  }
  if (flags.retryFailed && !flags.resume)
    throw new UsageError('--retry-failed requires --resume', 'It sends the failed rows of a finished run once more.');
  const batchSize = parseCount(flags.batchSize ?? String(DEFAULT_BATCH_SIZE), '--batch-size', 1);
  const { ignoreExisting, errorsFile, retryFailed, allRows, journal, allowParallel, yes } = flags;
  return {
    ...{ ignoreExisting, errorsFile, retryFailed, allRows, journal, allowParallel, yes },
    mapping,
    list: listOptionsFrom(mapping),
    invalid: flags.invalid ?? 'abort',
    batchSize,
    maxBatchSize: flags.batchSize === undefined ? RATE_LIMITED_BATCH_SIZE : batchSize,
    concurrency: readConcurrency(flags.concurrency ?? String(DEFAULT_CONCURRENCY)),
    quietPeriodMs: parseDuration(flags.quietPeriod ?? DEFAULT_QUIET_PERIOD, '--quiet-period'),
    requestLifetimeMs:
      flags.requestLifetime === undefined ? undefined : parseDuration(flags.requestLifetime, '--request-lifetime'),
    confirm: flags.confirm ?? true,
    dryRun: flags.dryRun ?? false,
    mode: flags.resume ? 'resume' : flags.restart ? 'restart' : 'new',
    expectDigest: flags.expectDigest === undefined ? undefined : readDigest(flags.expectDigest),
  };
}

/**
 * How long the service may keep processing a request whose connection is lost, in milliseconds. The embedded sandbox is
 * known to be done within the quiet period.
 */
export function requestLifetime(options: BulkAddOptions, isSandbox: boolean): number {
  const byDefault = isSandbox ? options.quietPeriodMs : parseDuration(DEFAULT_REQUEST_LIFETIME, 'the default');
  return options.requestLifetimeMs ?? byDefault;
}

/** The settings that change what is sent, in a fixed order: a run with others is another run. */
export function entrySettings({ mapping, invalid }: BulkAddOptions, labelName: string): unknown {
  return [listIdentity(mapping), invalid, labelName];
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

/** The flags of the program that matter to a run; the others are about its output. */
const GLOBAL_FLAGS = [
  'profile',
  'baseUrl',
  'sandbox',
  'fault',
  'variant',
  'keyFile',
  'timeout',
  'retries',
  'caCert',
  'allowHttp',
] as const satisfies readonly (keyof GlobalFlags)[];

/** Flags about sending, in the order in which commands name them. */
const SEND_FLAGS = [
  'ignoreExisting',
  'batchSize',
  'concurrency',
  'quietPeriod',
  'requestLifetime',
  'allowParallel',
] as const satisfies readonly (keyof BulkAddFlags)[];

/**
 * Returns the command line that continues a run, or prints the report of a finished one again: the options that identify
 * it, and those that its user chose. Without --no-confirm: a user who continues wants to know the outcome.
 */
export function resumeCommand(file: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine(file, [
    ...flagArguments(flags, [...LIST_FLAGS, 'invalid', 'errorsFile', 'allRows', 'journal', ...SEND_FLAGS]),
    ...flagArguments(global, GLOBAL_FLAGS),
    '--resume',
  ]);
}

/** Returns the command line that imports the errors file once its rows are fixed. It needs no options for reading. */
export function retryCommand(errorsFile: string, flags: BulkAddFlags, global: GlobalFlags): string {
  return commandLine(errorsFile, [...flagArguments(flags, SEND_FLAGS), ...flagArguments(global, GLOBAL_FLAGS)]);
}

/** Characters of an id in a command, which accepts the start of an id. */
const SHORT_ID = 12;

export function shortId(runId: string): string {
  return runId.slice(0, SHORT_ID);
}

/** Returns the command line that prints the report of a run. */
export function showCommand(runId: string, journal: string | undefined): string {
  return ['orgadm', 'runs', 'show', shortId(runId), ...flagArguments({ journal }, ['journal'])]
    .map(quoteForShell)
    .join(' ');
}

function commandLine(file: string, args: readonly string[]): string {
  // A file that starts with `-` would be read as an option.
  const word = file.startsWith('-') && file !== '-' ? `./${file}` : file;
  return ['orgadm', 'people', 'bulk-add', word, ...args].map(quoteForShell).join(' ');
}

/** What a journal keeps of the command line that started a run. Paths are absolute. */
export interface RecordedOptions {
  /** The list; `-` for standard input. */
  file: string;
  flags: BulkAddFlags;
  global: GlobalFlags;
}

const PATH_FLAGS = ['errorsFile', 'journal', 'mapping', 'keyFile', 'caCert'];

/** Flags of a single command line, not of the run. */
const SINGLE_RUN_FLAGS = ['dryRun', 'resume', 'restart', 'retryFailed', 'expectDigest', 'saveMapping', 'yes'];

/** Returns the options as a journal keeps them: no flag has the key as its value. */
export function recordOptions(file: string, flags: BulkAddFlags, global: GlobalFlags): RecordedOptions {
  const isPath = (name: string, value: unknown) => PATH_FLAGS.includes(name) && value !== undefined && value !== '-';
  const keep = <T extends object>(values: T, isKept: (name: string) => boolean): T =>
    Object.fromEntries(
      Object.entries(values)
        .filter(([name]) => isKept(name))
        .map(([name, value]) => [name, isPath(name, value) ? resolve(value) : value]),
    ) as T;
  return {
    file: file === '-' ? file : resolve(file),
    flags: keep(flags, (name) => !SINGLE_RUN_FLAGS.includes(name)),
    global: keep(global, (name) => GLOBAL_FLAGS.some((known) => known === name)),
  };
}

const flagsSchema = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));
const optionsSchema = z.object({ file: z.string(), flags: flagsSchema, global: flagsSchema });

/** Checks what a journal holds as options. Returns undefined for anything else. */
export function parseRecordedOptions(value: unknown): RecordedOptions | undefined {
  const checked = z.safeParse(optionsSchema, value);
  return checked.success ? checked.data : undefined;
}
