import { expect, it } from 'vitest';
import { addsMembers, membersOf } from '../helpers/people-service.ts';
import { reportOf } from '../helpers/report.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/* What is sent is what a person sees, or the row is invalid. */

const cli = createCommandRunner();
const MEMBER = { userId: 'u1', role: 'm' };

/** Imports a CSV list of one person with this text in a column. */
async function importValue(field: string, text: string) {
  const person: Record<string, string> = { ...MEMBER, [field]: `"${text}"` };
  const stdin = `${Object.keys(person).join(',')}\n${Object.values(person).join(',')}\n`;
  const { service, run } = await cli.scripted(addsMembers());
  const { rows } = reportOf(await run(['people', 'bulk-add', '-', '--json'], { stdin }));
  return { sent: service.requests.flatMap(membersOf), errors: rows.map(({ error }) => error) };
}

it.each<[field: string, text: string, sent?: string | number | boolean]>([
  ...['usr_1', '00123', '1E5', '12.50', '2024-01-02', 'ʤ監é', '=1+1', "o'brien", '-', 'a:b/c'].map(
    (id): [string, string] => ['userId', id],
  ),
  ['userId', ' usr_1\u00a0', 'usr_1'],
  ['userId', 'e\u0301', 'é'],
  ['role', 'Ärzte'],
  ['role', ' Job\u00a0 Title ', 'Job Title'],
  ['department', '2nd'],
  ['department', 'می\u200cخواهم'],
  ['isActive', 'TRUE', true],
  ['isActive', 'Yes', true],
  ['isActive', '1', true],
  ['isActive', 'false', false],
  ['isActive', 'no', false],
  ['isActive', '0', false],
  ['deviceMgmtLabelId', '-07', -7],
  ['deviceMgmtLabelId', '-0', 0],
  ['deviceMgmtLabelId', '9007199254740991', 9007199254740991],
])('the value of %s is sent as a person sees it: %j', async (field, text, sent = text) => {
  expect(await importValue(field, text)).toEqual({ sent: [{ ...MEMBER, [field]: sent }], errors: [] });
});

it.each([
  ['userId', '', 'userId is missing'],
  ['userId', 'usr 1', 'userId: "usr 1" contains a space'],
  ['userId', 'usr\u200b1', 'userId: "usr<U+200B>1" contains a hidden character'],
  ['userId', 'usr\u200c1', 'userId: "usr<U+200C>1" '],
  ['userId', 'usr\u00001', 'userId: "usr<U+0000>1" '],
  ['userId', 'usr\ufffd1', 'userId: "usr\ufffd1" has lost a character in another encoding'],
  ['userId', '1001.0', 'userId: "1001.0" is a number that a spreadsheet has changed'],
  ['userId', '1.08E+20', 'userId: "1.08E+20" '],
  ['userId', '-1,08e-20', 'userId: "-1,08e-20" '],
  ['role', ' ', 'role '],
  ['role', '- none', 'role: "- none" does not begin with a letter or a digit'],
  ['department', '#N/A', 'department: "#N/A" '],
  ['department', 'i\u200bt', 'department: "i<U+200B>t" '],
  ['isActive', 'active', 'isActive: "active" is not a boolean'],
  ['deviceMgmtLabelId', '1.5', 'deviceMgmtLabelId: "1.5" is not an integer'],
  ['deviceMgmtLabelId', '9007199254740992', 'deviceMgmtLabelId: "9007199254740992" '],
])('the value of %s is invalid: %j', async (field, text, message) => {
  expect(await importValue(field, text)).toEqual({ sent: [], errors: [expect.stringContaining(message)] });
});
