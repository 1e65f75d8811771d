import { resolve } from 'node:path';
import * as z from 'zod/mini';
import type { GlobalFlags } from '../../config/setting-sources.ts';
import { quoteForShell } from '../../util/shell-quote.ts';
import type { BulkAddFlags } from './bulk-options.ts';
import { flagArguments, LIST_FLAGS } from './list-flags.ts';

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

const IGNORE_EXTRA = '--ignore-extra-columns';

/**
 * Returns the command line of these flags with more options for reading the list. It reaches the same service, and a dry
 * run stays one. Without --expect-digest: the digest depends on the added options.
 */
export function suggestedCommand(
  file: string,
  flags: BulkAddFlags,
  global: GlobalFlags,
  options: readonly string[],
): string {
  const ignore = flags.ignoreExtraColumns && !options.includes(IGNORE_EXTRA) ? [IGNORE_EXTRA] : [];
  return commandLine(file, [
    ...flagArguments({ ...flags, ignoreExtraColumns: false }, LIST_FLAGS),
    ...options,
    ...ignore,
    ...flagArguments(flags, ['invalid', 'errorsFile', 'allRows', 'journal', ...SEND_FLAGS]),
    ...flagArguments(global, GLOBAL_FLAGS),
    ...flagArguments(flags, ['dryRun', 'saveMapping', 'resume', 'restart', 'retryFailed', 'yes']),
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

/** Flags of a single command line, not of the run. */
const SINGLE_RUN_FLAGS = ['dryRun', 'resume', 'restart', 'retryFailed', 'expectDigest', 'saveMapping', 'yes'];

/** Returns the options as a journal keeps them: no flag has the key as its value. */
export function recordOptions(file: string, flags: BulkAddFlags, global: GlobalFlags): RecordedOptions {
  const lasting = Object.fromEntries(Object.entries(flags).filter(([name]) => !SINGLE_RUN_FLAGS.includes(name)));
  const ofRun = Object.fromEntries(GLOBAL_FLAGS.map((name) => [name, global[name]]));
  return {
    file: absolute(file),
    flags: {
      ...lasting,
      ...absolutePaths({ errorsFile: flags.errorsFile, journal: flags.journal, mapping: flags.mapping }),
    },
    global: { ...ofRun, ...absolutePaths({ keyFile: global.keyFile, caCert: global.caCert }) },
  };
}

function absolutePaths(paths: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]) => (path === undefined ? [] : [[name, absolute(path)]])),
  );
}

function absolute(path: string): string {
  return path === '-' ? path : resolve(path);
}

const flagsSchema = z.record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]));
const optionsSchema = z.object({ file: z.string(), flags: flagsSchema, global: flagsSchema });

/** Checks what a journal holds as options. Returns undefined for anything else. */
export function parseRecordedOptions(value: unknown): RecordedOptions | undefined {
  const checked = z.safeParse(optionsSchema, value);
  return checked.success ? checked.data : undefined;
}
