import type { Command } from 'commander';
import type { OutputFormat } from '../../output/output.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

const HELP = `
userId and role are required; the other fields may be left blank.

Examples:
  $ orgadm people template > members.csv
  $ orgadm people template --full -o json > members.json

Output: csv, or json or ndjson with -o. "orgadm people bulk-add" reads all three formats.
`;

/** Registers `people template` under the noun `people`. */
export function registerPeopleTemplate(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Print an example member list.')
    .option('--full', 'include all fields, also deviceMgmtLabelId')
    .action(async ({ full = false }: { full?: boolean }) => {
      const { output } = context();
      await output.writeRendered(renderMemberTemplate(output.format, full));
    });
}

const ENTRIES = [
  { userId: 'usr_0101', role: 'member', department: 'it', isActive: true, deviceMgmtLabelId: 42 },
  { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
];
const FIELDS = ['userId', 'role', 'department', 'isActive', 'deviceMgmtLabelId'] as const;

/**
 * Returns an example member list with two people: as CSV, unless the format is JSON or NDJSON.
 *
 * @param full whether it has every field of an entry (interface 4.2), not only those that most services use
 */
function renderMemberTemplate(format: OutputFormat, full: boolean): string {
  const fields = full ? FIELDS : FIELDS.slice(0, 4);
  if (format !== 'json' && format !== 'ndjson') {
    const rows = ENTRIES.map((entry: Record<string, unknown>) => fields.map((field) => String(entry[field] ?? '')));
    return [fields, ...rows].map((cells) => `${cells.join(',')}\n`).join('');
  }
  const lines = ENTRIES.map((entry) => JSON.stringify(entry, [...fields]));
  return format === 'ndjson' ? `${lines.join('\n')}\n` : `[\n  ${lines.join(',\n  ')}\n]\n`;
}
