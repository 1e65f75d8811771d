import type { Command } from 'commander';
import { LIST_FORMATS } from '../../import/list/list-options.ts';
import type { Context } from '../command-context.ts';
import { choiceOption, collectValues } from '../option-parsers.ts';
import { type BulkAddFlags, ON_INVALID } from './bulk-options.ts';

/** Registers `people bulk-add` under the noun `people`. */
export function registerPeopleBulkAdd(command: Command, context: () => Context): void {
  command
    .description('Add the people of a list to the organization. Every row is accounted for.')
    .argument('<file>', 'the list: csv, tsv, json or ndjson; - for standard input')
    .optionsGroup('The list:')
    .addOption(
      choiceOption('--format <format>', 'how the list is written (default: by name and content)', LIST_FORMATS),
    )
    .option('--map <field=column>', 'the column that holds a field (repeatable)', collectValues)
    .option('--default <field=value>', 'the value of a field where the list has none (repeatable)', collectValues)
    .option('--ignore-extra-columns', 'leave unknown columns unread instead of refusing them')
    .addOption(
      choiceOption(
        '--invalid <what>',
        'send nothing where rows are invalid, or the others (default: abort)',
        ON_INVALID,
      ),
    )
    .option('--dry-run', 'check the list and send nothing')
    .optionsGroup('Sending:')
    .option('--batch-size <n>', 'entries in one request (default: 500)')
    .option('--concurrency <n>', 'requests under way at the same time (default: 4)')
    .option('--ignore-existing', 'exit 0 also when some are members already')
    .option('--quiet-period <duration>', 'shortest pause before rows of unknown outcome are sent again (default: 10s)')
    .option(
      '--request-lifetime <duration>',
      'how long the service may keep processing a request whose connection is lost (default: 2m)',
    )
    .option('--no-confirm', 'leave rows of unknown outcome as they are')
    .option('--allow-parallel', 'run next to another import into the same service with the same key')
    .optionsGroup('Report and journal:')
    .option('--errors-file <file>', 'write the failed and invalid rows there, ready to be fixed and added again')
    .option('--resume', 'continue the unfinished run of this list')
    .option('--restart', 'start the list over')
    .option('--journal <dir>', 'folder of the journals (default: in the state directory)')
    .addHelpText('after', BULK_ADD_HELP)
    .action(async (file: string, flags: BulkAddFlags) => {
      const { importList } = await import('./import-list.ts');
      await importList(file, flags, context());
    });
}

/** What `people bulk-add --help` says below its options. */
const BULK_ADD_HELP = `
The list has the columns (or keys) userId and role, and may have department,
isActive and deviceMgmtLabelId. It is read and checked whole before anything is
sent. Each row ends in one state:
  created    added now
  existing   a member already
  recovered  a member now, possibly through a request whose response was lost
  failed     rejected by the service; its message is shown
  invalid    failed validation here, never sent
  unknown    sent, outcome unknown: --resume checks again
  unsent     not sent: --resume continues; a table only counts these rows

Examples:
  $ orgadm people bulk-add examples/members.csv --sandbox
  $ orgadm people bulk-add examples/members.csv --dry-run
  $ orgadm people bulk-add examples/members.csv --errors-file errors.csv \\
      --ignore-existing --sandbox
  $ orgadm people bulk-add examples/export.csv --map userId=Account \\
      --map department=Dept --default role=employee --ignore-extra-columns --sandbox
  $ orgadm people template -o json | orgadm people bulk-add - --json --dry-run
  $ orgadm people bulk-add examples/members.csv --resume --sandbox

JSON output: {"summary","rows","duplicates","authType","authenticatedUser"}. The
summary counts "total", each state and "duplicates", and says why the run "stopped"
early, or null. The rows are {"line","entry","userId","state","error"}, all but the
created ones. Users who have, or may have, two active memberships are duplicates:
{"line","entry","userId","memberIds","certain"}.
ndjson: one such row as it is settled, created ones with their "member"; the last
line is {"summary","duplicates","authType","authenticatedUser"}.

Exit code 0 when every row was created or recovered, 3 when the run ended but some
rows were not added, or people may have been added twice.
`;
