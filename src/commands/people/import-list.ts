import { join } from 'node:path';
import type { Context } from '../../cli/context.ts';
import { stateDirectory } from '../../config/paths.ts';
import { checkErrorsPath } from '../../import/errors-file.ts';
import { Ledger, type RowState } from '../../import/journal/row-states.ts';
import { type ListCheck, type MemberList, openList } from '../../import/list/open-list.ts';
import { EXIT, UsageError } from '../../util/errors.ts';
import { grouped } from '../../util/format-count.ts';
import { type BulkAddFlags, readBulkFlags } from './bulk-options.ts';
import { prepareToSend } from './prepare-import.ts';
import { type CheckedList, reportList } from './report-list.ts';

/** Reads and checks the whole list, sends it, and reports what became of every row. */
export async function addList(file: string, flags: BulkAddFlags, context: Context): Promise<void> {
  const options = readBulkFlags(flags);
  if (file === '-' && context.flags.keyFile === '-')
    throw new UsageError('the list and the key cannot both come from standard input');
  const sending = options.dryRun ? undefined : await prepareToSend(options, context);
  const list = await openList(
    { path: file, stdin: context.host.stdin, spoolDir: join(stateDirectory(context.host), 'spool') },
    options.list,
  );
  try {
    if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
    const check = await checkList(list, context);
    if (sending === undefined || (check.invalid > 0 && options.invalid === 'abort')) {
      await reportUnsent({ file, flags, options, list, check }, context);
    } else {
      const { runList } = await import('./run-import.ts');
      await runList({ file, flags, options, list, check, ...sending }, context);
    }
  } finally {
    await list.close();
  }
}

async function checkList(list: MemberList, context: Context): Promise<ListCheck> {
  const progress = await context.progress();
  try {
    return await list.check((rows) => progress.update(() => `checking ${list.name}: ${grouped(rows)} rows`));
  } finally {
    progress.stop();
  }
}

/** The report of a list of which nothing is sent: a dry run, or one that is refused as invalid. */
async function reportUnsent(checked: CheckedList, context: Context): Promise<void> {
  const { options, list, check } = checked;
  const ledger = new Ledger(check.total);
  for (let entry = 1; entry <= check.total; entry++) if (check.isInvalid(entry)) ledger.settle(entry, 'invalid');
  const refused = check.invalid > 0;
  const source = { rows: () => list.rows(), ledger, wordsOf: async () => undefined };
  // Of a list that is refused, the rows that are fine need no line each: they are counted.
  const stopped = refused ? 'the list is invalid' : 'dry run';
  const wanted = (state: RowState) => state === 'invalid' || (refused && context.output.format !== 'table');
  const failure = await reportList(checked, source, { stopped, wanted }, context);
  if (!refused) {
    context.output.note('dry run: the list is fine, nothing was sent');
    if (failure !== undefined) throw failure;
    return;
  }
  const rows = check.invalid === 1 ? '1 row is' : `${grouped(check.invalid)} rows are`;
  context.output.note(
    `nothing was sent: ${rows} invalid. Mend the list${options.dryRun ? '' : ', or add --invalid skip to send the others'}.`,
  );
  if (failure !== undefined) context.output.warn(failure.message);
  context.exitCode = EXIT.usage;
}
