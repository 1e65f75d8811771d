import type { Command } from 'commander';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../help-text.ts';

const HELP = `
userId and role are required; department, isActive and deviceMgmtLabelId may be left blank.

Examples:
  $ orgadm people template > members.csv
  $ orgadm people template --output json > members.json

Output: csv, or with -o json an array of entries. Both are taken by "orgadm people bulk-add" as they are.
`;

/** Registers `people template` under the noun `people`. */
export function registerPeopleTemplate(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command.description('Print a member list to start from.').action(() => runPeopleTemplate(context()));
}

/** Prints the template: csv unless JSON is asked for. */
export async function runPeopleTemplate({ output }: Context): Promise<void> {
  if (output.format === 'ndjson') throw new UsageError('--output ndjson: the template is written as csv or json');
  await output.write(renderMemberTemplate(output.format === 'json' ? 'json' : 'csv'));
}

const CSV = `userId,role,department,isActive,deviceMgmtLabelId
usr_0101,member,it,true,42
usr_0102,admin,hr,false,
`;

const JSON_TEXT = `[
  { "userId": "usr_0101", "role": "member", "department": "it", "isActive": true, "deviceMgmtLabelId": 42 },
  { "userId": "usr_0102", "role": "admin", "department": "hr", "isActive": false }
]
`;

/** A member list to start from: every field of an entry (interface 4.2) and two people. */
export function renderMemberTemplate(format: 'csv' | 'json'): string {
  return format === 'csv' ? CSV : JSON_TEXT;
}
