import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { checkList, decisionsOf, errorOf } from '../lists.ts';

const COLUMNS = { columns: { userId: 'Email' } };

function lookup(content: string, name = 'ids.csv') {
  const file = join(temporaryFolder().path, name);
  writeFileSync(file, content);
  return { mapping: { ...COLUMNS, lookup: { file, from: 'email', to: 'ID' } } };
}

const CSV =
  'id,email,x\nusr_1, mei@EXAMPLE.com ,\nusr_2,ben@example.com,\nusr_2,ben@example.com,\nusr_3,two@example.com,\nusr_4,TWO@example.com,\n,zoe@example.com,\nusr_9,,\n1.08E+20,ann@example.com,\nusr 5,eva@example.com,\nusr_6,zed@example.com,\n,zed@example.com,\n';
const JSON_LIST = '[{"ID": 1, "email": "mei@example.com"}, {"ID": 9007199254740993, "email": "ben@example.com"}]';

it.each<[value: string, found: string, content?: string, name?: string]>([
  ['Mei@example.com', 'usr_1'],
  ['ben@example.com', 'usr_2'],
  ['zoe@example.com', 'is not in ids.csv, or has no ID there'],
  ['zed@example.com', 'usr_6'],
  ['nobody@example.com', 'is not in ids.csv, or has no ID there'],
  ['two@example.com', 'has several different IDs in ids.csv'],
  ['ann@example.com', 'has "1.08E+20" in ids.csv, which '],
  ['eva@example.com', 'userId: "usr 5" '],
  ['', 'userId '],
  ['mei@example.com', '1', JSON_LIST, 'ids.json'],
  ['ben@example.com', 'in ids.json cannot be read: ID: "9007199254740992" ', JSON_LIST, 'ids.json'],
])('finds the one ID next to %j, or the row is invalid: %s', async (value, found, content = CSV, name = 'ids.csv') => {
  const { rows } = await checkList(`Email,role\n${value},m\n`, lookup(content, name));
  const [{ member, issues } = { member: undefined, issues: [] }] = rows;
  const message = issues[0]?.message.replace(/\S+(ids\.\w+)/, '$1');
  expect(member?.userId ?? message).toContain(found);
});

it.each([
  ['ids.csv', 'id,mail\n1,x\n', '--lookup: …ids.csv has no column "email"\nIts columns are "id", "mail".'],
  ['ids.csv', 'id,email,email\n1,x,x\n', '--lookup: …ids.csv has two columns "email"'],
  ['ids.csv', 'id,email\n1,x\n2,a,b\n', '--lookup: …ids.csv: line 3 '],
  ['ids.csv', 'id,email\n1,x\u200b\n', 'line 2 cannot be read: email: "x<U+200B>" '],
  ['ids.csv', 'id,email\n1,"x\n', '--lookup: …ids.csv: line 2, column 2: '],
  ['ids.json', '{"users": []}', 'Save the second list as CSV UTF-8 with a header, or as a JSON array of objects.'],
])('names the second list if it cannot be read: %s %j', async (name, content, part) => {
  const error = await errorOf('Email,role\nmei@example.com,m\n', lookup(content, name));
  expect(error.replace(/(--lookup: )\S*\//, '$1…')).toContain(part);
});

it('notices that all user IDs are addresses, unless a second list has the IDs', async () => {
  expect(await decisionsOf('Email,role\na@x.com,m\nb@x.com,m\n', { mapping: COLUMNS })).toEqual(['addresses']);
  expect(await decisionsOf('Email,role\na@x.com,m\nb,m\n', { mapping: COLUMNS })).toEqual([]);
  expect(await decisionsOf('Email,role\nben@example.com,m\n', lookup(CSV))).toEqual([]);
});
