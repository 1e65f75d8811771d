import type { Command } from 'commander';
import { encodeCsvRow } from '../../output/csv.ts';
import { renderCell } from '../../output/json.ts';
import { listOf, printRecords, type RecordViews } from '../../output/print-records.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
userId and role are required. You can leave the other fields blank.

Examples:
  $ orgadm people template > members.csv
  $ orgadm people template --full -o json > members.json

Output: csv, or json or ndjson with -o. orgadm people bulk-add reads all three formats.
`;

/** Registers `people template` under the noun `people`. */
export function registerPeopleTemplate(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Print an example member list.')
    .option('--full', 'include all fields, even deviceMgmtLabelId')
    .action(async ({ full = false }: { full?: boolean }) => {
      await printRecords(templateViews(full), context().output);
    });
}

const EXAMPLE_ENTRIES = [
  { userId: 'usr_0101', role: 'member', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
  { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
];
const FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/**
 * Returns an example member list with two people. On a terminal it is csv too, because people write it to a file.
 *
 * @param full whether it has every field of an entry (interface 4.2), not only those that most services use
 */
function templateViews(full: boolean): RecordViews {
  const fields = full ? FIELDS : FIELDS.slice(0, 4);
  const entries = EXAMPLE_ENTRIES.map((entry: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(fields.filter((field) => field in entry).map((field) => [field, entry[field]])),
  );
  const list = listOf(entries, fields);
  const people = () => [
    { code: list.csv().map((cells) => encodeCsvRow(cells.map(renderCell)).trimEnd()), language: 'csv' },
  ];
  return { ...list, people };
}
