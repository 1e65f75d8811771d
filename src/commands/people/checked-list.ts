import { checkErrorsPath } from '../../import/errors-file.ts';
import {
  ColumnsError,
  type ListOptions,
  type ListValidation,
  type MemberList,
  openList,
} from '../../import/list/open-list.ts';
import { UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { typedCommand } from '../typed-command.ts';
import type { ImportOptions } from './import-options.ts';
import { listDigest } from './list-digest.ts';
import { type ListMapping, listOptionsFrom } from './list-mapping.ts';

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport {
  /** The list as the user named it; `-` for standard input. */
  file: string;
  /** For a list that only the user can pipe in again: the command that continues its run. */
  pipedInto: string | undefined;
  /** How the list is read: the options merged with the file of --mapping. */
  mapping: ListMapping;
  options: ImportOptions;
  list: MemberList;
  check: ListValidation;
  /** Identifies what the list sends: 64 hex digits. */
  digest: string;
}

/**
 * Reads a list and validates every row of it.
 *
 * @param file the list as the user named it; `-` for standard input
 * @throws UsageError for a list that cannot be read at all, and for an errors file that cannot be written
 */
export async function readCheckedList(
  file: string,
  mapping: ListMapping,
  options: ImportOptions,
  context: Context,
): Promise<CheckedImport> {
  const listOptions = listOptionsFrom(mapping);
  // A missing key or base URL is reported before the list is read.
  if (!options.dryRun) await context.service();
  const list = await openListFile(file, listOptions, context);
  if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
  const check = await validateList(list, context).catch((error: unknown) => {
    throw withSuggestedCommand(error, context);
  });
  const { wire } = await context.settings();
  const digest = listDigest(check.digest, mapping, wire.member.deviceMgmtLabelId);
  const pipedInto = file !== '-' && list.file !== undefined ? undefined : resumingCommand(context.argv);
  return { file, pipedInto, mapping, options, list, check, digest };
}

/** Returns the command as the user typed it, so that it continues the run of the same list. */
function resumingCommand(argv: readonly string[]): string {
  return typedCommand(argv, argv.includes('--resume') ? [] : ['--resume']);
}

/** @param file the list as the user named it; `-` for standard input */
export function openListFile(file: string, options: ListOptions, { host }: Context): Promise<MemberList> {
  return openList({ path: file, stdin: host.stdin }, options, host.clock.now());
}

/** Validates every row, and shows the progress. */
export async function validateList(list: MemberList, context: Context): Promise<ListValidation> {
  const { host, output } = context;
  const progress = await context.progress();
  const release = host.onSignal((signal) => {
    progress.stop();
    output.note('nothing was sent');
    host.exitNow(SIGNAL_EXIT[signal]);
  });
  try {
    return await list.validate((rows) => progress.update(() => `validating ${list.name}: ${formatCount(rows)} rows`));
  } finally {
    release();
    progress.stop();
  }
}

/** Adds the command to run next to an error about columns, with the options that it can infer. */
function withSuggestedCommand(error: unknown, { argv }: Context): unknown {
  if (!(error instanceof ColumnsError) || error.suggestedOptions.length === 0) return error;
  const command = typedCommand(argv, error.suggestedOptions);
  return new UsageError(error.message, [error.hint, `Try: ${command}`].filter(Boolean).join('\n'), error.code);
}
