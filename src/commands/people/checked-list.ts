import { checkErrorsPath } from '../../import/errors-file.ts';
import { ColumnsError, type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import { UsageError } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import { formatCount } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { typedCommand } from '../typed-command.ts';
import type { BulkAddOptions, CheckedImport } from './bulk-options.ts';
import { listDigest } from './list-mapping.ts';

/**
 * Reads a list and validates every row of it.
 *
 * @param file the list as the user named it; `-` for standard input
 * @throws UsageError for a list that cannot be read at all, and for an errors file that cannot be written
 */
export async function readCheckedList(file: string, options: BulkAddOptions, context: Context): Promise<CheckedImport> {
  const list = await openList({ path: file, stdin: context.host.stdin }, options.list, context.host.clock.now());
  if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
  const check = await validateList(list, context).catch((error: unknown) => {
    throw withSuggestedCommand(error, context);
  });
  const { wire } = await context.settings();
  const digest = listDigest(check.digest, options.mapping, wire.member.deviceMgmtLabelId);
  return { file, options, list, check, digest };
}

async function validateList(list: MemberList, context: Context): Promise<ListValidation> {
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
