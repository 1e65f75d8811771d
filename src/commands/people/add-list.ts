import { join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { EXIT, UsageError } from '../../errors.ts';
import { checkErrorsPath } from '../../members/errors-file.ts';
import { Ledger, type RowState } from '../../members/journal/ledger.ts';
import { LIST_FORMATS } from '../../members/list/options.ts';
import { type ListCheck, type MemberList, openList } from '../../members/list.ts';
import { stateDirectory } from '../../places.ts';
import { choice, collect } from '../options.ts';
import { BULK_ADD_HELP } from './bulk-help.ts';
import { type BulkAddFlags, ON_INVALID, readBulkFlags } from './bulk-options.ts';
import { type CheckedList, reportList } from './report-list.ts';
import { prepareToSend, runList } from './run-list.ts';

/** Registers `people bulk-add` under the noun `people`. */
export function registerPeopleBulkAdd(parent: Command, context: () => Context, run = runPeopleBulkAdd): void {
  parent
    .command('bulk-add')
    .description('Add the people of a list to the organization. Every row is accounted for.')
    .argument('<file>', 'the list: csv, tsv, json or ndjson; - for standard input')
    .optionsGroup('The list:')
    .addOption(choice('--format <format>', 'how the list is written (default: by name and content)', LIST_FORMATS))
    .option('--map <field=column>', 'the column that holds a field (repeatable)', collect)
    .option('--default <field=value>', 'the value of a field where the list has none (repeatable)', collect)
    .option('--ignore-extra-columns', 'leave unknown columns unread instead of refusing them')
    .addOption(
      choice('--invalid <what>', 'send nothing where rows are invalid, or the others (default: abort)', ON_INVALID),
    )
    .option('--dry-run', 'check the list and send nothing')
    .optionsGroup('Sending:')
    .option('--batch-size <n>', 'entries in one request (default: 500)')
    .option('--concurrency <n>', 'requests under way at the same time (default: 4)')
    .option('--ignore-existing', 'exit 0 also when some are members already')
    .option('--settle <duration>', 'least pause before rows of unclear fate are sent once more (default: 10s)')
    .option('--no-confirm', 'leave rows of unclear fate unknown instead')
    .optionsGroup('Report and journal:')
    .option('--errors-file <file>', 'write the failed and invalid rows there, ready to be mended and added again')
    .option('--resume', 'continue the unfinished run of this list')
    .option('--restart', 'start the list over')
    .option('--journal <dir>', 'folder of the journals (default: in the state directory)')
    .addHelpText('after', BULK_ADD_HELP)
    .action((file: string, flags: BulkAddFlags) => run(file, flags, context()));
}

/** Reads and checks the whole list, sends it, and reports what became of every row. */
export async function runPeopleBulkAdd(file: string, flags: BulkAddFlags, context: Context): Promise<void> {
  const options = readBulkFlags(flags);
  if (file === '-' && context.flags.keyFile === '-')
    throw new UsageError('the list and the key cannot both come from standard input');
  if (!options.dryRun) await context.service();
  const list = await openList(
    { path: file, stdin: context.host.stdin, spoolDir: join(stateDirectory(context.host), 'spool') },
    options.list,
  );
  try {
    if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, list);
    const sending = options.dryRun ? undefined : await prepareToSend(options, context);
    const check = await checkList(list, context);
    if (sending === undefined || (check.invalid > 0 && options.invalid === 'abort')) {
      await reportUnsent({ file, flags, options, list, check }, context);
    } else {
      await runList({ file, flags, options, list, check, ...sending }, context);
    }
  } finally {
    await list.close();
  }
}

async function checkList(list: MemberList, context: Context): Promise<ListCheck> {
  const progress = await context.progress();
  try {
    return await list.check((rows) =>
      progress.update(() => `checking ${list.name}: ${rows.toLocaleString('en')} rows`),
    );
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
  const rows = check.invalid === 1 ? '1 row is' : `${check.invalid.toLocaleString('en')} rows are`;
  context.output.note(
    `nothing was sent: ${rows} invalid. Mend the list${options.dryRun ? '' : ', or add --invalid skip to send the others'}.`,
  );
  if (failure !== undefined) context.output.warn(failure.message);
  context.exitCode = EXIT.usage;
}
