import { join } from 'node:path';
import { stateDirectory } from '../../config/paths.ts';
import { checkErrorsPath } from '../../import/errors-file.ts';
import { type RowState, RowStates } from '../../import/journal/row-states.ts';
import { type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { formatCount } from '../../util/format-count.ts';
import type { Context } from '../command-context.ts';
import { type BulkAddFlags, type BulkAddOptions, readBulkFlags } from './bulk-options.ts';
import { type CheckedImport, reportImport } from './print-report.ts';
import type { PreparedImport } from './run-import.ts';
/** Reads and checks the whole list, sends it, and reports what became of every row. */
export async function importList(file: string, flags: BulkAddFlags, context: Context): Promise<void> {
  const options = readBulkFlags(flags);
  if (file === '-' && context.flags.keyFile === '-')
    throw new UsageError('the list and the key cannot both come from standard input');
  const sending = options.dryRun ? undefined : await prepareImport(options, context);
  const list = await openList(
    { path: file, stdin: context.host.stdin, spoolDir: join(stateDirectory(context.host), 'spool') },
    options.list,
  );
  try {
    if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
    const check = await checkList(list, context);
    if (sending === undefined || (check.invalid > 0 && options.invalid === 'abort')) {
      await reportNothingSent({ file, flags, options, list, check }, context);
    } else {
      const { runImport } = await import('./run-import.ts');
      await runImport({ file, flags, options, list, check, ...sending }, context);
    }
  } finally {
    await list.close();
  }
}

async function checkList(list: MemberList, context: Context): Promise<ListValidation> {
  const progress = await context.progress();
  try {
    return await list.validate((rows) => progress.update(() => `checking ${list.name}: ${formatCount(rows)} rows`));
  } finally {
    progress.stop();
  }
}

/** The report of a list of which nothing is sent: a dry run, or one that is refused as invalid. */
async function reportNothingSent(checked: CheckedImport, context: Context): Promise<void> {
  const { options, list, check } = checked;
  const rowStates = new RowStates(check.total);
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) rowStates.finalize(entry, 'invalid');
  const isRejected = check.invalid > 0;
  const source = { rows: () => list.rows(), rowStates, messageFor: async () => undefined };
  // Of a list that is refused, the rows that are fine need no line each: they are counted.
  const stopped = isRejected
    ? { code: 'invalid-list', message: 'the list is invalid' }
    : { code: 'dry-run', message: 'dry run' };
  const wanted = (state: RowState) => state === 'invalid' || (isRejected && context.output.format !== 'table');
  const failure = await reportImport(checked, source, { stopped, wanted }, context);
  if (!isRejected) {
    context.output.note('dry run: the list is fine, nothing was sent');
    if (failure !== undefined) throw failure;
    return;
  }
  const rows = check.invalid === 1 ? '1 row is' : `${formatCount(check.invalid)} rows are`;
  context.output.note(
    `nothing was sent: ${rows} invalid. Fix the list${options.dryRun ? '' : ', or add --invalid skip to send the others'}.`,
  );
  if (failure !== undefined) context.output.warn(failure.message);
  context.exitCode = EXIT.usage;
}

/**
 * Prepares what does not need the list. A directory that cannot be used is reported by `runImport`.
 *
 * @throws what `context.service` throws
 */
async function prepareImport({ journal }: BulkAddOptions, context: Context): Promise<PreparedImport> {
  await context.service();
  const state = stateDirectory(context.host);
  return { root: journal ?? join(state, 'runs'), locks: join(state, 'locks') };
}
