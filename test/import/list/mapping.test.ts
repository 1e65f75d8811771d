import { describe, expect, it } from 'vitest';
import { ALL_ACTIVE, invalidFieldsOf, listErrorOf, problemsOf, readListText, valuesOf } from './read-list.ts';

describe('--map', () => {
  it.each(['[{"userId":"u1","role":"m","team":"it"}]', '{"userId":"u1","role":"m","team":"it"}\n'])(
    'is rejected if no entry of %s has the key',
    async (content) => {
      const { message } = await listErrorOf(content, { map: { department: 'dep' }, ignoreExtraColumns: true });
      expect(message).toBe('--map department=dep: no entry has this key\nkeys: "userId", "role", "team"');
    },
  );

  it('accepts a key that only some entries have', async () => {
    const content = '[{"id":"u1","role":"m"},{"id":"u2","role":"m","team":"it"}]';
    const map = { userId: 'id', department: 'team' };
    expect(await valuesOf(content, { map, defaults: ALL_ACTIVE })).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
      { userId: 'u2', role: 'm', department: 'it', isActive: true },
    ]);
  });

  it.each([
    ['an inner object', '{"profile":{"dep":"it"}}', 'profile.dep'],
    ['an element of an array', '{"orgs":[{"name":"hr"},{"name":"it"}]}', 'orgs.1.name'],
    ['an object next to a key with dots', '{"a.b":{},"a":{"b":{"dep":"it"}}}', 'a.b.dep'],
    ['a key with dots that holds an object', '{"urn:x:2.0:User":{"dep":"it"}}', 'urn:x:2.0:User.dep'],
  ])('reads a dotted path in %s', async (_name, json, department) => {
    const entry = { ...JSON.parse(json), userId: 'u1', role: 'm' };
    const given = { map: { department }, defaults: ALL_ACTIVE, ignored: ['orgs.0.name'] };
    expect(await valuesOf(JSON.stringify([entry]), given)).toEqual([
      { userId: 'u1', role: 'm', department: 'it', isActive: true },
    ]);
  });

  it.each([
    ['an array that is too short', '{"orgs":[{"name":"hr"}]}', 'orgs.1.name'],
    ['null', '{"orgs":null}', 'orgs.name'],
    ['the prototype of an object', '{"orgs":{}}', 'orgs.__proto__'],
  ])('reads no value from a dotted path in %s', async (_name, json, department) => {
    const entries = [
      { userId: 'u1', role: 'm', [department]: 'it' },
      { ...JSON.parse(json), userId: 'u2', role: 'm' },
    ];
    const given = { map: { department }, defaults: ALL_ACTIVE, ignored: ['orgs.0.name', 'orgs'] };
    expect(await valuesOf(JSON.stringify(entries), given)).toEqual([
      { userId: 'u1', role: 'm', department: 'it', isActive: true },
      { userId: 'u2', role: 'm', isActive: true },
    ]);
  });

  it('accepts the number of a column, and guesses nothing if another column has it as its name', async () => {
    const given = { map: { userId: '#2' }, ignoreExtraColumns: true, defaults: ALL_ACTIVE };
    for (const content of ['Name,Login,role\nx,u1,m\n', 'Name,#2,role\nx,u1,m\n'])
      expect(await valuesOf(content, given)).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
    expect((await listErrorOf('#2,Login,role\nu1,x,m\n', given)).message).toContain(
      '--map userId=#2: columns 1 and 2 both have that name (name one by its number: #1)',
    );
    for (const department of ['#3', '#0', 'x#2', '#2x'])
      expect((await listErrorOf('userId,role\n', { map: { department } })).message).toContain(
        `--map department=${department}: no column has this name`,
      );
  });

  it('inverts a boolean with "!", in CSV and JSON', async () => {
    const map = { isActive: '!suspended' };
    const expected = [
      { userId: 'u1', role: 'm', isActive: false },
      { userId: 'u2', role: 'm', isActive: true },
      { userId: 'u3', role: 'm', isActive: true },
    ];
    const given = { map, defaults: ALL_ACTIVE };
    expect(await valuesOf('userId,role,suspended\nu1,m,TRUE\nu2,m,no\nu3,m,\n', given)).toEqual(expected);
    const json =
      '[{"userId":"u1","role":"m","suspended":true},{"userId":"u2","role":"m","suspended":"false"},{"userId":"u3","role":"m"}]';
    expect(await valuesOf(json, given)).toEqual(expected);
    expect(await valuesOf(json.replace('"false"', 'false'), given)).toEqual(expected);
  });

  it('rejects a name that two keys of an entry have', async () => {
    const list = '[{"User ID":"u1","user-id":"u2","role":"m"}]';
    const error = await readListText(list, { map: { userId: 'userid' } }).catch((thrown: Error) => thrown);
    expect(error).toMatchObject({
      message: expect.stringContaining('--map userId=userid: both "User ID" and "user-id" have that name'),
    });
  });
});

describe('--map-value', () => {
  const valueMap = {
    role: { owner: 'admin', '*': 'member' },
    isActive: { deprovisioned: 'false' },
    department: { 'information technology': 'it' },
  };

  it('translates values in any case, and leaves others to the usual checks', async () => {
    const content =
      'userId,role,department,isActive\nu1,Owner,Information Technology,DEPROVISIONED\nu2,x,HR,yes\nu3,,,maybe\n';
    const { rows } = await readListText(content, { valueMap });
    expect(rows.map((row) => row.member)).toEqual([
      { userId: 'u1', role: 'admin', department: 'it', isActive: false },
      { userId: 'u2', role: 'member', department: 'HR', isActive: true },
      undefined,
    ]);
    expect(rows[2]?.issues.map(({ field }) => field)).toEqual(['isActive', 'role']);
  });

  it('translates numbers and booleans of JSON', async () => {
    const content = '[{"userId":"u1","role":"m","status":1},{"userId":"u2","role":"m","status":3}]';
    const given = { map: { isActive: 'status' }, valueMap: { isActive: { '1': 'true', '*': 'false' } } };
    expect(await valuesOf(content, given)).toEqual([
      { userId: 'u1', role: 'm', isActive: true },
      { userId: 'u2', role: 'm', isActive: false },
    ]);
  });

  it('does not apply to a number that it does not name', async () => {
    const content = '[{"userId":"u1","role":7.5}]';
    expect(await problemsOf(content, { valueMap: { role: { owner: 'admin' } } })).toEqual([
      'line 1: role: 7.5 is a number (write it in quotes)',
    ]);
  });

  it('makes a single letter a code of its own, which no translation reads as a boolean', async () => {
    const content = 'userId,role,isActive\nu1,m,A\nu2,m,T\n';
    expect(await invalidFieldsOf(content, { valueMap: { isActive: { a: 'true' } } })).toEqual(['line 3: isActive']);
  });

  it('sets the value of the field, which is not inverted again', async () => {
    const given = { map: { isActive: '!Left' }, valueMap: { isActive: { retired: 'false' } } };
    expect(await valuesOf('userId,role,Left\nu1,m,retired\nu2,m,no\n', given)).toMatchObject([
      { isActive: false },
      { isActive: true },
    ]);
  });

  it('warns about a text that no row has if * translates all others', async () => {
    const list = 'userId,role,isActive\nu1,m,Active\nu2,m,SUSPENDED\n';
    const warningsOf = async (isActive: Record<string, string>) =>
      (await readListText(list, { valueMap: { isActive } })).check.warnings;
    expect(await warningsOf({ Suspnded: 'false', '*': 'true' })).toEqual([
      '--map-value isActive: no row has "suspnded", and * translates all other values',
    ]);
    expect(await warningsOf({ suspended: 'false', '*': 'true' })).toEqual([]);
    expect(await warningsOf({ suspended: 'false', left: 'false' })).toEqual([]);
    expect(await warningsOf({ active: 'true', left: 'false', '*': 'false' })).toEqual([]);
  });
});

describe('the mapping in effect', () => {
  const given = {
    map: { isActive: '!Left' },
    valueMap: { role: { owner: 'admin' } },
    defaults: { department: 'it' },
    ignoreExtraColumns: true,
  };
  const isFound = { isInverted: false, lookup: undefined };
  const fields = [
    { ...isFound, name: 'userId', column: 'User ID' },
    { ...isFound, name: 'role', column: 'role' },
    { ...isFound, name: 'department', column: undefined, default: 'it' },
    { ...isFound, name: 'isActive', column: 'Left', isInverted: true },
    { ...isFound, name: 'deviceMgmtLabelId', column: undefined, default: undefined },
  ];

  it('has the columns that are read and those that are not', async () => {
    const { check } = await readListText('User ID,role,Left,shoe,\nu1,m,no,44,\n', given);
    expect(check).toMatchObject({ fields, ignored: ['shoe'] });
    const { check: named } = await readListText('u1,m,x,no\n', { ...given, columns: ['User ID', 'role', '-', 'Left'] });
    expect(named).toMatchObject({ fields, ignored: [] });
  });

  it('has the keys that are read and those that are not', async () => {
    const content =
      '[{"User ID":"u1","role":"m","Left":false},{"User ID":"u2","role":"m","Left":true,"shoe":{"size":44,"color":{"1":"red"}}}]';
    const { check } = await readListText(content, given);
    expect(check).toMatchObject({ fields, ignored: ['shoe.size', 'shoe.color.1'] });
    const spellings = '{"userId":"u1","role":"m"}\n{"user_id":"u2","Role":"m"}\n';
    expect((await readListText(spellings)).check.fields.slice(0, 2)).toMatchObject([
      { name: 'userId', column: 'userId' },
      { name: 'role', column: 'role' },
    ]);
  });
});

describe('invisible characters', () => {
  it.each([
    ['u\u200b1', 'U+200B'],
    ['u\u200c1', 'U+200C'],
    ['u\u200d1', 'U+200D'],
    ['u\u00ad1', 'U+00AD'],
    ['u\u202e1', 'U+202E'],
    ['u\u00071', 'U+0007'],
  ])('are rejected in the id and the role %j as %s', async (text, name) => {
    const problem = expect.stringContaining(`<${name}>`);
    expect(await problemsOf(`userId,role\n${text},m\nu2,${text}\n`)).toEqual([problem, problem]);
  });

  it('are accepted as joiners in a department', async () => {
    const department = 'منابع\u200cانسانی';
    expect(await valuesOf(`userId,role,department\nu1,m,${department}\n`)).toEqual([
      { userId: 'u1', role: 'm', department },
    ]);
  });

  it('are trimmed at both ends if they are ordinary white space', async () => {
    expect(await valuesOf('[{"userId":" u1","role":"m\\t"},{"userId":"u2 ","role":"\\nm"}]')).toEqual([
      { userId: 'u1', role: 'm' },
      { userId: 'u2', role: 'm' },
    ]);
    expect(await valuesOf('userId,role\n "\tu1 ", m\t\n'.replace(' "', '"'))).toEqual([{ userId: 'u1', role: 'm' }]);
  });
});

describe('user IDs that are email addresses', () => {
  it('cause a warning if all of them are, unless a second list translates them', async () => {
    const warnings = async (content: string, given = {}) => (await readListText(content, given)).check.warnings;
    expect(await warnings('userId,role\na@b.c,m\nd@e.f,m\n')).toEqual([
      'every user ID is an email address. If your service has IDs of its own, find them in a second list: --lookup userId=<file>:<column>=<column>',
    ]);
    expect(await warnings('userId,role\na@b.c,m\nu1,m\n')).toEqual([]);
    expect(await warnings('userId,role\n,m\n')).toEqual([]);
  });
});

describe('the error of a formula', () => {
  it.each(['#N/A', '#REF!', '#name?', '#DIV/0!'])('is invalid as a value: %s', async (text) => {
    expect(await invalidFieldsOf(`userId,role,department\n${text},m,\nu2,m,${text}\n`)).toEqual([
      'line 2: userId',
      'line 3: department',
    ]);
  });

  it('is accepted if it is translated', async () => {
    const valueMap = { department: { '#n/a': 'none' } };
    expect(await valuesOf('userId,role,department\nu1,m,#N/A\n', { valueMap })).toEqual([
      { userId: 'u1', role: 'm', department: 'none' },
    ]);
  });
});

describe('--columns', () => {
  it.each(['userId,role,-'])('rejects a list that has a header: --columns %s', async (columns) => {
    const content = `${columns.replace('-', 'Team').replace('userId', 'User ID')}\nu1,m,it\n`;
    expect(await listErrorOf(content, { columns: columns.split(',') })).toEqual({
      message: expect.stringMatching(/^line 1: "User ID", .* is a header, but --columns is for a list without one$/),
      hint: 'Remove --columns. Use --map to read columns with other names.',
      code: 'bad-columns',
    });
  });

  it('names the columns of an original list, whose formulas are not escaped', async () => {
    expect(await valuesOf('=u1,m\n', { columns: ['userId', 'role'] })).toEqual([{ userId: '=u1', role: 'm' }]);
  });

  it.each(['Account,role', 'User ID,Access'])('rejects a first row with the name of one field: %s', async (header) => {
    const { message } = await listErrorOf(`${header}\nu1,m\n`, { columns: ['userId', 'role'] });
    expect(message).toContain('is a header, but --columns is for a list without one');
  });

  it('accepts a first row with a status that is also the name of a column', async () => {
    const given = { columns: ['userId', 'role', 'isActive'], valueMap: { isActive: { active: 'true' } } };
    expect(await valuesOf('u1,m,active\n', given)).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
  });

  it('accepts a first row that has the name of a field in another place, and no later row that has those of all', async () => {
    const given = { columns: ['userId', 'team'], map: { role: 'team' }, defaults: ALL_ACTIVE };
    expect(await valuesOf('u1,role\nuserId,role\n', given)).toMatchObject([{ userId: 'u1', role: 'role' }, undefined]);
  });
});
