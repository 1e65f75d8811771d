import { Option } from 'commander';
import { LIST_FORMATS } from '../../import/table/table.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { choiceOption, choiceParser, countParser, RepeatableOption } from '../define-command.ts';
import { checkImport, pendingImport } from '../import/checked-list.ts';
import { type BulkAddOptions, INVALID_ACTIONS } from '../import/import-options.ts';
import {
  parseActive,
  parseColumnNames,
  parseDefault,
  parseDelimiter,
  parseLookup,
  parseMap,
  parseMapValue,
} from '../import/mapping/mapping-options.ts';
import { readMapping } from '../import/mapping/read-mapping.ts';
import { addSendingOptions, limitOption } from '../import/sending-options.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

/** Registers `people bulk-add` under the noun `people`. */
export default function registerPeopleBulkAdd(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .description('Import members from a file and report the outcome of every row.')
    .argument('<file>', 'the list: CSV, JSON, NDJSON, or XLSX; - for standard input')
    .optionsGroup('List options')
    .addOption(
      new RepeatableOption(
        '--map <field=column>',
        'read a field from this column (a blank one leaves the field out)',
        parseMap,
      ),
    )
    .addOption(
      new RepeatableOption(
        '--active <column=value>',
        'people with this value are active, the others inactive; with several columns, all must hold. Everyone: --active all',
        parseActive,
      ),
    )
    .addOption(
      new RepeatableOption(
        '--map-value <field:from=to>',
        'translate a role or a department; <from> ignores case, and a blank <to> removes it',
        parseMapValue,
      ),
    )
    .option(
      '--lookup <file:column=column>',
      'find user IDs in a second list, from one of its columns to another',
      parseLookup,
    )
    .addOption(
      new RepeatableOption('--default <field=value>', 'role or department of people who have none', parseDefault),
    )
    .option('--ignore-extra-columns', 'ignore columns that are not fields')
    .option('--mapping <file>', 'read these options from a JSON file; an option replaces its entry')
    .addOption(
      choiceOption(
        '--invalid <action>',
        'if rows are invalid, send nothing or skip them (default: abort)',
        INVALID_ACTIONS,
      )
        .argParser((text) => choiceParser(text, '--invalid', INVALID_ACTIONS))
        .default('abort'),
    )
    .addOption(new Option('--dry-run', 'check the list and show what orgadm would send').conflicts('restart'))
    .optionsGroup('File options')
    .addOption(
      choiceOption('--format <format>', 'format of the list (default: by its name)', LIST_FORMATS).argParser((text) =>
        choiceParser(text, '--format', LIST_FORMATS),
      ),
    )
    .addOption(
      new Option('--columns <names>', 'names of the columns of a list without a header')
        .argParser(parseColumnNames)
        .conflicts('headerRow'),
    )
    .option(
      '--header-row <line>',
      'line of the header, if title lines come before it',
      countParser({ option: '--header-row', least: 1, example: 3 }),
    )
    .option(
      '--delimiter <character>',
      'delimiter of a CSV list, or "tab" (default: the most frequent one in the header)',
      parseDelimiter,
    )
    .option('--encoding <name>', 'encoding of the list, such as windows-1252 (default: UTF-8)')
    .option('--records <path>', 'path to the array in a JSON document, such as data.members')
    .option('--sheet <name>', 'sheet of a workbook (default: the only visible one that has rows)')
    .optionsGroup('Sending options')
    .addOption(limitOption())
    .option('--ignore-existing', 'exit 0 even if people are already members')
    .option('--restart', 'import the entire list again, in a new run')
    .option('--yes', 'import without confirmation');
  addSendingOptions(command)
    .optionsGroup('Report options')
    .option('--errors-file <file>', 'save the failed and invalid rows, and any that break the service')
    .option('--all-rows', 'list every row in the report, created and existing ones included')
    .action((file: string, options: BulkAddOptions) => importList(file, options, context()));
}

/** The help of `people bulk-add` below its options. */
const HELP: HelpText = {
  examples: [
    'orgadm people template > members.csv',
    'orgadm people bulk-add members.csv --limit 1 --sandbox',
    'orgadm people bulk-add members.csv --errors-file rejected.csv --ignore-existing --sandbox',
    "printf 'Account,Dept\\nusr_0031,it\\n' > export.csv",
    'orgadm people bulk-add export.csv --map userId=Account --map department=Dept --default role=employee --dry-run',
  ],
  notes: [
    'A list has the columns userId and role, and may have department, isActive, and deviceMgmtLabelId. If it has ' +
      'others, map or ignore them, and say who is active. orgadm checks the entire list before it sends anything.',
    'Each row ends as created, existing, recovered (now a member, but a response was lost), failed, invalid, ' +
      'unknown, or unsent. The exit code is 3 if some rows were not added or not stored as sent. ' +
      'To continue an import, run the same command again: it never sends a row again that was added.',
    'JSON output: the report, with "summary", "rows", "mapping", and "totals", among others.',
  ],
};

/** Checks the entire list, sends it, and reports the outcome of every row. */
async function importList(file: string, options: BulkAddOptions, context: Context): Promise<void> {
  const given = await readMapping(options);
  if (file === '-' && context.flags.keyFile === '-')
    throw new UsageError('the list and the key cannot both come from standard input');
  const checked = await checkImport(file, given, options, context);
  if (checked === undefined) return;
  const { rows, invalid } = checked.check.totals;
  if (options.dryRun || invalid === rows || (invalid > 0 && options.invalid === 'abort')) {
    const { reportValidation } = await import('./validation-report.ts');
    await reportValidation(checked, context);
    return;
  }
  const pending = await pendingImport(checked, context);
  const { runImport } = await import('../import/import.ts');
  await runImport(pending, context);
}
