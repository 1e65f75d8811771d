import { describe, expect, it } from 'vitest';
import { checkList, membersOf, messagesOf } from './lists.ts';

const IDS = (...ids: string[]) => `userId,role\n${ids.map((id) => `"${id}",member`).join('\n')}\n`;

describe('a user ID', () => {
  it('is any text without a space, as a person sees it', async () => {
    const ids = ['usr_1', '00123', '1E5', '12.50', '2024-01-02', 'ʤ監é', '=1+1', "o'brien", '-', 'a:b/c'];
    expect((await membersOf(IDS(...ids))).map((member) => member?.userId)).toEqual(ids);
    expect((await membersOf(IDS(' usr_1\u00a0', 'e\u0301')))[0]?.userId).toBe('usr_1');
    expect((await membersOf(IDS('e\u0301')))[0]?.userId).toBe('é');
  });

  it.each([
    ['usr 1', '2: userId: "usr 1" contains a space'],
    ['usr\u200b1', '2: userId: "usr<U+200B>1" contains a hidden character'],
    ['usr\u00001', '2: userId: "usr<U+0000>1" contains a hidden character'],
    ['usr\ufffd1', '2: userId: "usr\ufffd1" has lost a character in another encoding'],
    ['1001.0', '2: userId: "1001.0" is a number that a spreadsheet has changed'],
    ['1.08E+20', '2: userId: "1.08E+20" is a number that a spreadsheet has changed'],
    ['-1,08e-20', '2: userId: "-1,08e-20" is a number that a spreadsheet has changed'],
    ['', '2: userId is missing'],
  ])('is not %j', async (id, message) => {
    expect((await messagesOf(IDS(id)))[0]).toContain(message);
  });

  it('may have the form of a changed number in JSON, where no spreadsheet was', async () => {
    expect(await messagesOf('[{"userId": "1001.0", "role": "member"}]')).toEqual([]);
  });

  it('must not be there twice, with the line of the first', async () => {
    expect(await messagesOf('userId,role\nu1,m\n\nu1,m\nU1,m\n')).toEqual(['4: duplicate userId (first on line 2)']);
    expect(await messagesOf('[{"userId":1,"role":"m"},{"userId":"1","role":"m"}]')).toEqual([
      '2: duplicate userId (first in row 1)',
    ]);
  });
});

describe('a role or a department', () => {
  it('begins with a letter or a digit', async () => {
    const list = 'userId,role,department\nu1,- none,it\nu2,m,#N/A\nu3,Ärzte,2nd\n';
    expect(await messagesOf(list)).toEqual([
      '2: role: "- none" does not begin with a letter or a digit (to translate it: --map-value role:<value>=<role>)',
      '3: department: "#N/A" does not begin with a letter or a digit (to translate it: --map-value department:<value>=<department>)',
    ]);
  });

  it('is cleaned, translated, and filled, in this order, ignoring case', async () => {
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

  it('may have the joiners of Persian words, but no other hidden character', async () => {
    expect(await messagesOf('userId,role,department\nu1,m,می\u200cخواهم\nu2,m,i\u200bt\n')).toEqual([
      '3: department: "i<U+200B>t" contains a hidden character',
    ]);
  });

  it('is needed as a role', async () => {
    expect(await messagesOf('userId,role\nu1,\n')).toEqual(['2: role is missing']);
  });
});

it('reads a device label as an integer', async () => {
  const list = 'userId,role,deviceMgmtLabelId\nu1,m,-07\nu2,m,\nu3,m,1.5\nu4,m,12345678901234567890\n';
  const { rows } = await checkList(list);
  expect(rows.map(({ member }) => member?.deviceMgmtLabelId)).toEqual([-7, undefined, undefined, undefined]);
  expect(rows[2]?.issues[0]?.message).toContain('deviceMgmtLabelId: "1.5" is not an integer');
  expect(rows[1]?.member).toEqual({ userId: 'u2', role: 'm' });
});

it('keeps the fields of an invalid row as they would be sent, or as they were', async () => {
  const list = 'userId,role,department,isActive,deviceMgmtLabelId\nu 1,m,-,yes,x\nu2,m,it,no,3\n';
  const { rows } = await checkList(list);
  expect(rows.map(({ number, fields, member }) => [number, fields, member])).toEqual([
    [1, { userId: 'u 1', role: 'm', department: '-', isActive: true, deviceMgmtLabelId: 'x' }, undefined],
    [2, rows[1]?.member, { userId: 'u2', role: 'm', department: 'it', isActive: false, deviceMgmtLabelId: 3 }],
  ]);
  expect(rows[0]?.issues.map(({ field }) => field)).toEqual(['userId', 'department', 'deviceMgmtLabelId']);
});

it('rejects a CSV row that ends before the user ID, the role, or a status, and reads other missing cells as blank', async () => {
  const list = 'userId,role,Status,department\nu1,m,ACTIVE\nu2,m\n';
  const given = { mapping: { active: { Status: ['ACTIVE'] } } };
  expect(await messagesOf(list, given)).toEqual(['3: the row ends after 2 of 4 cells, before "Status"']);
  expect(await messagesOf('[{"userId":"u1","role":"m","Status":"ACTIVE"},{"userId":"u2","role":"m"}]', given)).toEqual(
    [],
  );
});

it('rejects a row with a problem of its own, without counting its user ID', async () => {
  expect(await messagesOf('userId,role\nu1,m,x\nu1,m\n')).toEqual(['2: the row has 3 cells, but the header has 2']);
});
