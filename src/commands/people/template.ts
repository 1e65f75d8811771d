import { renderCsv } from '../../output/csv.ts';
import { listOf, printRecords, type RecordViews } from '../../output/print-records.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

const HELP: HelpText = {
  examples: ['orgadm people template > members.csv', 'orgadm people template -o json > members.json'],
  notes: [
    'userId and role are required. You can leave the other fields blank.',
    'Output: CSV, or JSON or NDJSON with -o. orgadm people bulk-add reads all three.',
  ],
};

/** Registers `people template` under the noun `people`. */
export default function registerPeopleTemplate(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command.description('Print an example member list.').action(async () => {
    await printRecords(await templateViews(), context().output);
  });
}

const EXAMPLE_ENTRIES = [
  { userId: 'usr_0101', role: 'member', department: 'it', isActive: true },
  { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
];

/** Returns an example member list with two people. On a terminal it is csv too, because people write it to a file. */
async function templateViews(): Promise<RecordViews> {
  const list = listOf(EXAMPLE_ENTRIES, ['userId', 'role', 'department', 'isActive']);
  const csv = await renderCsv(list.csv());
  return { ...list, people: () => [{ code: csv.trimEnd().split('\n') }] };
}
