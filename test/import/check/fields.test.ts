import { expect, it } from 'vitest';
import { checkList, membersOf, messagesOf } from '../lists.ts';

const MEMBER = { userId: 'u1', role: 'm' };

/** A CSV list of one person with this text in a column. */
const listWith = (field: string, text: string) => {
  const person: Record<string, string> = { ...MEMBER, [field]: `"${text}"` };
  return `${Object.keys(person).join(',')}\n${Object.values(person).join(',')}\n`;
};

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
  expect(await membersOf(listWith(field, text))).toEqual([{ ...MEMBER, [field]: sent }]);
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
  expect(await messagesOf(listWith(field, text))).toEqual([expect.stringContaining(`2: ${message}`)]);
});

it.each(['department', 'isActive', 'deviceMgmtLabelId'])('a blank %s is not sent', async (field) => {
  expect(await membersOf(listWith(field, ' '))).toEqual([MEMBER]);
});

it('accepts the form of a changed number in JSON, where no spreadsheet was', async () => {
  expect(await messagesOf('[{"userId": "1001.0", "role": "member"}]')).toEqual([]);
});

it('rejects a user ID that is there twice, with the place of the first', async () => {
  expect(await messagesOf('userId,role\nu1,m\n\nu1,m\nU1,m\n')).toEqual(['4: duplicate userId (first on line 2)']);
  expect(await messagesOf('[{"userId":1,"role":"m"},{"userId":"1","role":"m"}]')).toEqual([
    '2: duplicate userId (first in row 1)',
  ]);
});

it('cleans a role or a department, then translates it, and then fills it, ignoring case', async () => {
  const mapping = {
    values: { role: { 'job  title\u00a0x': 'admin' }, department: { 'N/A': '', Platform: 'it' } },
    default: { role: 'employee', department: 'hr' },
  };
  const list = 'userId,role,department\nu1, Job Title X,platform\nu2,,n/a\nu3,boss,\n';
  expect(await membersOf(list, { mapping })).toEqual([
    { userId: 'u1', role: 'admin', department: 'it' },
    { userId: 'u2', role: 'employee', department: 'hr' },
    { userId: 'u3', role: 'boss', department: 'hr' },
  ]);
});

it('keeps the fields of an invalid row as they would be sent, or as they were', async () => {
  const list = 'userId,role,department,isActive,deviceMgmtLabelId\nu 1,m,-,yes,x\n';
  const [row] = (await checkList(list)).rows;
  expect(row?.fields).toEqual({ userId: 'u 1', role: 'm', department: '-', isActive: true, deviceMgmtLabelId: 'x' });
  expect(row?.issues.map(({ field }) => field)).toEqual(['userId', 'department', 'deviceMgmtLabelId']);
});

it('rejects a CSV row that ends before the user ID, the role, or a status, and reads other missing cells as blank', async () => {
  const given = { mapping: { active: { Status: ['ACTIVE'] } } };
  const list = 'userId,role,Status,department\nu1,m,ACTIVE\nu2,m\n';
  expect(await messagesOf(list, given)).toEqual(['3: the row ends after 2 of 4 cells, before "Status"']);
  expect(await messagesOf('[{"userId":"u1","role":"m","Status":"ACTIVE"},{"userId":"u2","role":"m"}]', given)).toEqual(
    [],
  );
});

it('rejects a row with a problem of its own, without counting its user ID', async () => {
  expect(await messagesOf('userId,role\nu1,m,x\nu1,m\n')).toEqual([expect.stringMatching(/^2: the row /)]);
});
