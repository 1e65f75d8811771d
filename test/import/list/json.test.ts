import { describe, expect, it } from 'vitest';
import { ALL_ACTIVE, listErrorOf, problemsOf, readListText, valuesOf } from './read-list.ts';

const TWO = [
  { userId: 'u1', role: 'member', department: 'it', isActive: false, deviceMgmtLabelId: 7 },
  { userId: 'u2', role: 'admin', isActive: true },
];
const FIRST = '{"userId":"u1","role":"member","department":"it","isActive":false,"deviceMgmtLabelId":7}';
const SECOND = '{"userId":"u2","role":"admin","isActive":true}';

describe('a JSON list of two members', () => {
  it.each([
    ['an array', `[${FIRST},${SECOND}]`],
    ['an array over many lines', `[\n  ${FIRST.replaceAll(',', ',\r\n')},\r\n  ${SECOND}\n]\n`],
    ['the request body', `{"members": [${FIRST}, ${SECOND}]}`],
    ['an array after a byte order mark', `\ufeff[${FIRST},${SECOND}]`],
    ['one object a line', `${FIRST}\n${SECOND}\n`],
    ['one object a line, CRLF, blank lines, no line end at the end', `\r\n${FIRST}\r\n\r\n  \r\n${SECOND}`],
    [
      'an array with booleans and numbers in strings',
      `[${FIRST.replace('false', '"No"').replace('7', '"007"')},${SECOND}]`,
    ],
    [
      'an array with nulls and blanks',
      `[${FIRST},{"userId":"u2","role":"admin","department":null,"isActive":"yes","deviceMgmtLabelId":""}]`,
    ],
    [
      'an array with other spellings of the keys',
      `[${FIRST.replace('userId', 'user_id')},${SECOND.replace('role', 'Role')}]`,
    ],
  ])('is read if it is written as %s', async (_name, content) => {
    expect(await valuesOf(content)).toEqual(TWO);
  });

  it.each(['a.json', 'a.JSON'])('is read from a request body in %s', async (name) => {
    expect(await valuesOf(`{"members":[${SECOND}]}`, { name })).toEqual([TWO[1]]);
  });

  it.each(['a.ndjson', 'a.jsonl'])('is read from lines in %s', async (name) => {
    expect(await valuesOf(SECOND, { name })).toEqual([TWO[1]]);
  });
});

describe('the elements of a JSON list', () => {
  it('have the number of the line on which they start', async () => {
    const { rows } = await readListText(
      `[\r\n${SECOND},\n\n{\n"userId"\n:"a",\r\n"role":"m","isActive":1}\n,{"userId":"b","role":"m","isActive":1}]`,
    );
    expect(rows.map(({ line, number, fields }) => [line, number, fields.userId])).toEqual([
      [2, 1, 'u2'],
      [4, 2, 'a'],
      [8, 3, 'b'],
    ]);
  });

  it('are read with integers as text, each digit as in the list', async () => {
    const content =
      '[{"userId":583231,"role":7},{"userId":12345678901234567890,"role":"m"},{"userId":0,"role":"m","department":0}]';
    expect(await valuesOf(content)).toEqual([
      { userId: '583231', role: '7' },
      { userId: '12345678901234567890', role: 'm' },
      { userId: '0', role: 'm', department: '0' },
    ]);
  });

  it('are rejected with other numbers as text, and with integers that JavaScript would change', async () => {
    const content =
      '[{"userId":1.5,"role":1e300,"deviceMgmtLabelId":9007199254740993},{"userId":"a","role":"m","deviceMgmtLabelId":1.5}]';
    expect(await problemsOf(content)).toEqual([
      'line 1: userId: 1.5 is a number (write it in quotes)',
      'line 1: role: 1e+300 is a number (write it in quotes)',
      expect.stringContaining('line 1: deviceMgmtLabelId: "9007199254740993" '),
      expect.stringContaining('line 2: deviceMgmtLabelId: 1.5 '),
    ]);
  });

  it('are rejected with one number as text that is an integer with a fraction', async () => {
    const problems = await problemsOf('[{"userId":1001.0,"role":"m","isActive":true}]');
    expect(problems).toEqual([expect.stringContaining('userId: 1001.0 ')]);
  });

  it('are read with 1 and 0 as booleans', async () => {
    const content = '[{"userId":"a","role":"m","isActive":1},{"userId":"b","role":"m","isActive":0}]';
    expect(await valuesOf(content)).toMatchObject([{ isActive: true }, { isActive: false }]);
  });

  it('are rejected with values of other types', async () => {
    expect(
      await problemsOf('[{"userId":["a"],"role":{},"department":true,"isActive":2,"deviceMgmtLabelId":true}]'),
    ).toEqual([
      'line 1: userId: an array is not a string (name one of its values: --map userId=userId.0)',
      'line 1: role: an object is not a string',
      'line 1: department: true is not a string',
      expect.stringContaining('line 1: isActive: "2" '),
      expect.stringContaining('line 1: deviceMgmtLabelId: true '),
    ]);
  });
});

describe('the keys of an element', () => {
  it('are rejected if they are unknown, unless they are ignored', async () => {
    const content = '{"userId":"a","role":"m","departmnt":"it"}\n{"userId":"b","role":"m","shoe":{"size":44}}\n';
    expect((await listErrorOf(content, { defaults: ALL_ACTIVE })).message).toMatch(
      /^the list has keys .*:\nuserId {5}a, b\nrole {7}m\ndepartmnt {2}it\nshoe\.size {2}44$/,
    );
    const ignoring = { defaults: ALL_ACTIVE, ignored: ['departmnt', 'shoe.size'] };
    for (const given of [ignoring, { defaults: ALL_ACTIVE, ignoreExtraColumns: true }])
      expect(await valuesOf(content, given)).toEqual([
        { userId: 'a', role: 'm', isActive: true },
        { userId: 'b', role: 'm', isActive: true },
      ]);
    expect((await listErrorOf(content, { ...ignoring, ignored: ['departmnt'] })).message).toContain('\nshoe.size ');
  });

  it('are joined up to eight levels deep', async () => {
    const deep = `${'{"a":'.repeat(9)}1${'}'.repeat(9)}`;
    const { message } = await listErrorOf(`[{"userId":"u1","role":"m","isActive":1,"x":${deep}}]`);
    expect(message).toMatch(/\nx\.a\.a\.a\.a\.a\.a\.a\.a$/);
  });

  it('are found in each element, wherever they are', async () => {
    const content =
      '[{"userId":"a","role":"m","department":"it"},{"userId":"b","role":"m","team":"hr"},{"role":"m","userId":"c","department":"qms"}]';
    expect(await valuesOf(content, { ignoreExtraColumns: true, defaults: ALL_ACTIVE })).toEqual([
      { userId: 'a', role: 'm', department: 'it', isActive: true },
      { userId: 'b', role: 'm', isActive: true },
      { userId: 'c', role: 'm', department: 'qms', isActive: true },
    ]);
  });

  it('are named by their inner keys alone if some element has these', async () => {
    const content = '[{"userId":"a","role":"m","profile":null},{"userId":"b","role":"m","profile":{"team":"hr"}}]';
    expect((await listErrorOf(content, { defaults: ALL_ACTIVE })).message).toMatch(
      /:\nuserId {8}a, b\nrole {10}m\nprofile.team {2}hr$/,
    );
    const mapped = { map: { department: 'profile.team' }, defaults: ALL_ACTIVE };
    expect(await valuesOf(content, mapped)).toEqual([
      { userId: 'a', role: 'm', isActive: true },
      { userId: 'b', role: 'm', department: 'hr', isActive: true },
    ]);
    const { check } = await readListText(content, { ignoreExtraColumns: true, defaults: ALL_ACTIVE });
    expect(check.ignored).toEqual(['profile.team']);
  });

  it('are named themselves if their values are blank in every element', async () => {
    const content = '[{"userId":"a","role":"m","profile":null,"tags":[]}]';
    const { check } = await readListText(content, { ignoreExtraColumns: true, defaults: ALL_ACTIVE });
    expect(check.ignored).toEqual(['profile', 'tags']);
  });

  it('make a row invalid that repeats one, because a person may read either value', async () => {
    expect(await problemsOf('[{"userId":"a","role":"m","user\\u0049d":"b"}]')).toEqual([
      'line 1: the key "userId" occurs twice (remove one of them)',
    ]);
  });

  it('are rejected if two of them spell the same field', async () => {
    expect((await listErrorOf('[{"userId":"a","role":"m"},{"userId":"c","user_id":"d","role":"m"}]')).message).toBe(
      '"userId" and "user_id" are both userId (pick one with --map userId=userId --ignore-extra-columns)\n' +
        'keys: "userId", "role", "user_id"',
    );
  });

  it('are named for a shell if two of them spell the same field', async () => {
    const { message } = await listErrorOf('[{"User ID":"a","userId":"c","role":"m"}]');
    expect(message).toContain("(pick one with --map 'userId=User ID' --ignore-extra-columns)");
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'are rejected if one is %s, even if extra keys are ignored',
    async (key) => {
      const content = `[{"userId":"a","role":"m","${key}":{"role":"admin"}}]`;
      expect((await listErrorOf(content, { ignoreExtraColumns: true })).message).toContain(
        `key "${key}" has a name that orgadm cannot use (rename or remove it)`,
      );
    },
  );

  it('are other keys if --map names another one for their field', async () => {
    const content = '[{"login":"a","userId":"b","role":"m"}]';
    const given = { map: { userId: 'login' }, defaults: ALL_ACTIVE } as const;
    expect((await listErrorOf(content, given)).message).toContain('\nlogin ');
    expect(await valuesOf(content, { ...given, ignoreExtraColumns: true })).toEqual([
      { userId: 'a', role: 'm', isActive: true },
    ]);
  });

  it('may be read into several fields by --map', async () => {
    const map = { role: 'team', department: 'team' };
    expect(await valuesOf('[{"userId":"a","team":"it"}]', { map, defaults: ALL_ACTIVE })).toEqual([
      { userId: 'a', role: 'it', department: 'it', isActive: true },
    ]);
  });

  it('are chosen by --map, and blanks filled by --default', async () => {
    const given = { map: { userId: 'login' }, defaults: { role: 'm', ...ALL_ACTIVE } } as const;
    expect(await valuesOf('[{"Login":"a"},{"login":"b","role":"x"}]', given)).toEqual([
      { userId: 'a', role: 'm', isActive: true },
      { userId: 'b', role: 'x', isActive: true },
    ]);
  });
});

describe('a file that is not a JSON list', () => {
  it.each([
    ['a value that breaks off', '[\n{"userId":"a"},\n{"userId":', 'line 3: the JSON ends too early'],
    ['a comma too many', '[{"userId":"a"},\n]', 'line 2: there is a comma too many before "]"'],
    ['no comma', '[{"userId":"a"}\n{"userId":"b"}]', 'line 2: expected a comma or ], found "{"'],
    ['an element that is a number', '[\n5]', 'line 2 (entry 1): "5" is not an object'],
    ['a list that is an object', '{"members": {}}', expect.stringContaining('the JSON')],
    ['two lists', '{"members":[],\n"users":[{}]}', 'both "members" and "users" are arrays'],
    ['two lists under one key', '{"members":[{}],"members":[{}]}', 'the key "members" appears twice'],
    ['white space only', ' \n ', 'the list is empty'],
    ['text in an array', '[\nx]', expect.stringMatching(/^line 2 \(entry 1\): .*'x'$/)],
    ['a value next to the list', '{"members":[],\n"a":tru}', expect.stringMatching(/^line 2: "tru" /)],
  ])('is rejected with its line: %s', async (_name, content, message) => {
    expect(await listErrorOf(content, { format: 'json' })).toMatchObject({ message });
  });

  it('is rejected with the keys of an object whose list has an unusual key', async () => {
    expect(await listErrorOf('{\n"crew": [{"userId":"a"}]}')).toEqual({
      message: 'cannot find the list in the JSON',
      hint: 'Name it: --records crew',
      code: 'bad-list',
    });
  });

  it('is rejected with the line of an element that is not JSON', async () => {
    const message = "line 2 (entry 2): the element that starts here is not JSON: Unexpected token 'm'";
    const expected = { message, hint: 'Correct the entry, or export the list again.', code: 'bad-list' };
    expect(await listErrorOf('[{"userId":"a"},\n{"userId":\nmaybe}]')).toEqual(expected);
    expect(await listErrorOf('{"userId":"a","role":"m"}\n{"userId":maybe}\n')).toEqual(expected);
    expect((await listErrorOf('[{"userId":"a" 1}]')).message).toBe(
      "line 1 (entry 1): the element that starts here is not JSON: Expected ',' or '}' after property value",
    );
  });

  it('is rejected with an NDJSON line that is not an object', async () => {
    expect((await listErrorOf('{"userId":"a","role":"m"}\n[]\n')).message).toBe(
      'line 2 (entry 2): "[]" is not an object',
    );
    expect((await listErrorOf('{"userId":"a","role":"m"}\nx\n')).message).toBe(
      "line 2 (entry 2): the element that starts here is not JSON: Unexpected token 'x'",
    );
  });
});

describe('a limit of JSON lists', () => {
  const nested = (depth: number) => `[${'['.repeat(depth)}${']'.repeat(depth)}]`;

  it('is 64 levels within an element', async () => {
    expect((await listErrorOf(nested(64))).message).toMatch(/^line 1 \(entry 1\): "\[\[.*" is not an object$/);
    expect((await listErrorOf(nested(65))).message).toBe('line 1: a value has more than 64 levels');
    const braces = `[${'{"a":'.repeat(65)}1`;
    expect((await listErrorOf(braces)).message).toBe('line 1: a value has more than 64 levels');
  });

  it('is 1 MiB in each entry', async () => {
    const entry = '{"userId":"u1","role":"m","x":""}';
    const list = (size: number) => `[\n${entry.replace('""}', `"${'x'.repeat(size - entry.length)}"}`)}]`;
    const given = { ignoreExtraColumns: true, defaults: ALL_ACTIVE };
    expect(await valuesOf(list(1024 * 1024), given)).toEqual([{ userId: 'u1', role: 'm', isActive: true }]);
    expect((await listErrorOf(list(1024 * 1024 + 1), given)).message).toBe(
      'line 2: a value is longer than 1048576 bytes',
    );
  });
});

describe('an empty JSON list', () => {
  it.each(['[]', ' [ ] \n', '{"members":[]}'])('is accepted, also with --map: %s', async (content) => {
    const { check, rows } = await readListText(content, { map: { department: 'team' } });
    expect([check.total, check.invalid, rows]).toEqual([0, 0, []]);
  });
});
