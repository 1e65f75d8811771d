import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { checkList, errorOf, messagesOf } from './lists.ts';

const LIST = 'Email,role\nMei@example.com,m\nben@example.com,m\nzoe@example.com,m\ntwo@example.com,m\n,m\n';

function lookup(content: string, name = 'ids.csv') {
  const file = join(temporaryFolder().path, name);
  writeFileSync(file, content);
  return { mapping: { columns: { userId: 'Email' }, lookup: { file, from: 'email', to: 'ID' } } };
}

it('finds the one ID next to a value, ignoring case', async () => {
  const ids =
    'id,email,x\nusr_1, mei@EXAMPLE.com ,\nusr_2,ben@example.com,\nusr_2,ben@example.com,\nusr_3,two@example.com,\nusr_4,TWO@example.com,\n,zoe@example.com,\nusr_9,,\n';
  const { rows } = await checkList(LIST, lookup(ids));
  expect(
    rows.map(
      ({ member, issues }) => member?.userId ?? issues.map(({ message }) => message.replace(/\S+ids\.csv/, 'ids.csv')),
    ),
  ).toEqual([
    'usr_1',
    'usr_2',
    ['userId: "zoe@example.com" is not in ids.csv, or has no ID there'],
    ['userId: "two@example.com" has several different IDs in ids.csv'],
    ['userId is missing'],
  ]);
});

it('reads a second list in any format, by the same rules', async () => {
  const json = '[{"ID": 1, "email": "mei@example.com"}, {"ID": 9007199254740993, "email": "ben@example.com"}]';
  const messages = await messagesOf(LIST, lookup(json, 'ids.json'));
  expect(messages).toEqual([
    expect.stringMatching(
      /^3: userId: the ID of "ben@example\.com" in .*ids\.json cannot be read: ID: "9007199254740992" is a number/,
    ),
    ...[4, 5].map((line) => expect.stringContaining(`${line}: `)),
    '6: userId is missing',
  ]);
});

it('rejects IDs that a spreadsheet has changed, and those with a space', async () => {
  const messages = await messagesOf(LIST, lookup('ID,email\n1.08E+20,mei@example.com\nusr 2,ben@example.com\n'));
  expect(messages[0]).toContain('2: userId: "mei@example.com" has "1.08E+20" in');
  expect(messages[1]).toBe('3: userId: "usr 2" contains a space');
});

it.each([
  ['ids.csv', 'id,mail\n1,x\n', '--lookup: …ids.csv has no column "email"\nIts columns are "id", "mail".'],
  ['ids.csv', 'id,email,email\n1,x,x\n', '--lookup: …ids.csv has two columns "email"'],
  ['ids.csv', 'id,email\n1,x\n2,a,b\n', '--lookup: …ids.csv: line 3 has 3 cells, but the header has 2'],
  ['ids.csv', 'id,email\n1,x\u200b\n', 'line 2 cannot be read: email: "x<U+200B>" contains a hidden character'],
  ['ids.csv', 'id,email\n1,"x\n', 'is never closed'],
  ['ids.json', '{"users": []}', 'Save the second list as CSV UTF-8 with a header, or as a JSON array of objects.'],
])('names the second list if it cannot be read: %s %j', async (name, content, part) => {
  const error = (await errorOf(LIST, lookup(content, name))).replace(/(--lookup: )\S*\//, '$1…');
  expect(error).toContain(part);
});

it('notices that all user IDs are addresses, unless a second list has the IDs', async () => {
  const mapping = { columns: { userId: 'Email' } };
  const { decisions } = await checkList('Email,role\na@x.com,m\nb@x.com,m\n', { mapping });
  expect(decisions).toEqual([{ kind: 'addresses', samples: ['a@x.com', 'b@x.com'] }]);
  expect((await checkList('Email,role\na@x.com,m\nb,m\n', { mapping })).decisions).toEqual([]);
});
