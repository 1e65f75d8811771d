import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { workbook } from '../../helpers/workbook.ts';
import { ALL_ACTIVE, listErrorOf, problemsOf, readListText, valuesOf } from './read-list.ts';

const ONE = [{ userId: 'u1', role: 'm' }];
const TWO = [...ONE, { userId: 'u2', role: 'm' }];

describe('a CSV list', () => {
  it.each([
    ['with vertical bars', 'userId|role\nu1|m\n', {}],
    ['with a delimiter of its own', 'userId^role\nu1^m\n', { delimiter: '^' }],
    [
      'with --delimiter where another one is more frequent',
      'userId;role;,,,,\nu1;m;\n',
      { delimiter: ';', ignoreExtraColumns: true, defaults: ALL_ACTIVE },
    ],
    ['with a line sep=;', 'sep=;\nuserId;role\nu1;m\n', {}],
    ['with a line sep=| that nothing else shows', 'sep=|\r\nuserId|role\r\nu1|m\r\n', {}],
    ['with the type line of PowerShell', '#TYPE Selected.User, x\r\n"userId","role"\r\n"u1","m"\r\n', {}],
    [
      'with the schema of SharePoint',
      'ListSchema={"schemaXmlList":["<Field Name=\\"userId\\"/>"]}\r\n"userId","role"\r\n"u1","m"\r\n',
      {},
    ],
    ['with title lines before its header', 'Staff report\n"as of ""today"\n\nuserId;role\nu1;m\n', { headerRow: 4 }],
    ['without a header', 'u1,x,m\n', { columns: ['userId', '-', 'role'], defaults: ALL_ACTIVE }],
    [
      'without a header, with mapped names',
      'u1,m\n',
      { columns: ['login', 'role'], map: { userId: 'login' }, defaults: ALL_ACTIVE },
    ],
  ])('is read %s', async (_name, content, given) => {
    expect(await valuesOf(content, given)).toMatchObject(ONE);
  });

  it('keeps its line numbers after skipped lines', async () => {
    expect(await problemsOf('Report\r\n\r\nuserId,role\r\nu1,m\r\n,m\r\n', { headerRow: 3 })).toEqual([
      expect.stringMatching(/^line 5: userId /),
    ]);
    expect(await problemsOf('sep=,\nuserId,role\n,m\n')).toEqual([expect.stringMatching(/^line 3: userId /)]);
  });

  it('reads a line of totals as a row', async () => {
    expect(await problemsOf('userId,role\nu1,m\n\nTotal: 1,\n')).toEqual([
      'line 4: userId: "Total: 1" contains a space, so it is not an ID',
      expect.stringMatching(/^line 4: role /),
    ]);
  });
});

describe('a workbook', () => {
  const row = (line: number, ...cells: string[]) =>
    `<row r="${line}">${cells.map((cell) => `<c t="inlineStr"><is><t xml:space="preserve">${cell}</t></is></c>`).join('')}</row>`;

  it('is read like a CSV list, with the numbers of its rows, and without rows of blank cells', async () => {
    const data = [
      row(1, 'Staff report', 'x'),
      row(2, 'all', 'offices'),
      row(3, 'userId', 'role'),
      row(4, 'u1', 'm'),
      row(6, ' ', ' '),
      row(7, '', 'm'),
    ].join('');
    const { rows } = await readListText(workbook([{ name: 'Staff', data }]), { name: 'members.xlsx', headerRow: 3 });
    expect(rows.map(({ line, member, issues }) => [line, member, issues.map(({ message }) => message)])).toEqual([
      [4, { userId: 'u1', role: 'm' }, []],
      [7, undefined, [expect.stringMatching(/^userId /)]],
    ]);
  });
});

describe('two joined CSV lists', () => {
  it('rejects the second header instead of sending it as a member', async () => {
    expect(await problemsOf('userId,role\nu1,m\nuserId,role\nu2,m\n')).toEqual([
      expect.stringContaining('the row repeats the header'),
    ]);
  });
});

describe('a JSON list', () => {
  const ELEMENTS = '{"userId":"u1","role":"m"},{"userId":"u2","role":"m"}';

  it.each('members users people value Resources results data items entries'.split(' '))(
    'is found under the key %s',
    async (key) => {
      expect(await valuesOf(`{"schemas":["x"],"${key}":[${ELEMENTS}],"total":2}`)).toEqual(TWO);
    },
  );

  it.each([
    ['next to other values under usual keys', `{"data":null,"value":12,"items":"x","users":[${ELEMENTS}]}`, {}],
    ['within a wrapper', `{"data":{"users":[${ELEMENTS}]},"meta":{"count":2}}`, {}],
    ['under the path of --records', `{"a":{"people":[1],"crew":[${ELEMENTS}]}}`, { records: 'a.crew' }],
    ['in pages, one after another', `[${ELEMENTS.split('},')[0]}}]\n[{"userId":"u2","role":"m"}]`, {}],
    ['as values, one after another', ELEMENTS.replace('},', '}\n\n'), { format: 'json' as const }],
    [
      'as values over several lines',
      '{\n  "userId": "u1",\n  "role": "m"\n}\n{\n  "userId": "u2",\n  "role": "m"\n}\n',
      {},
    ],
  ])('is found %s', async (_name, content, given) => {
    expect(await valuesOf(content, given)).toEqual(TWO);
  });

  it('is one member if its keys of lists hold no array', async () => {
    const member = '{"userId":"u1","role":"m","members":5,"data":null,"body":"x","users":{"items":{}},"groups":[1]}';
    const given = { ignoreExtraColumns: true, defaults: ALL_ACTIVE };
    expect(await valuesOf(member, given)).toMatchObject(ONE);
    expect(await valuesOf(member.replace('{}', '[]').replace('users', 'crew'), given)).toMatchObject(ONE);
  });

  it('names the line and the number of an element that is not a member', async () => {
    expect(await listErrorOf('{"value":[\n{"userId":"u1","role":"m"},\n\n7]}')).toEqual({
      message: 'line 4 (entry 2): "7" is not an object',
      hint: 'A member looks like {"userId": "...", "role": "..."}.',
      code: 'bad-list',
    });
  });

  it.each([
    [
      '{"crew":[{}],"pets":[]}',
      undefined,
      'cannot find the list in the JSON',
      'Name it: --records crew, or --records pets',
    ],
    ['{"a b;$(x)!":[]}', undefined, 'cannot find the list in the JSON', "Name it: --records 'a b;$(x)!'"],
    [
      '{"u":["x","y"],"v":["x","y"],"total":2}',
      undefined,
      'cannot find the list in the JSON',
      'Name it: --records u, or --records v',
    ],
    ['{"a":{"crew":[1,{"id":1}]}}', undefined, 'cannot find the list in the JSON', 'Name it: --records a.crew'],
    [
      '{"a":{"b.c":[{"id":1}]}}',
      undefined,
      'cannot find the list in the JSON',
      expect.stringMatching(/^A list is an array of entries, /),
    ],
    ['{"a":{"b":[]}}', 'a.c', '--records a.c: there is no array at this path', 'orgadm found arrays at "a.b".'],
    [
      '{"a":1}',
      'a',
      '--records a: there is no array at this path',
      'Name the keys that lead to the array, with dots between them: --records data.members',
    ],
    [
      '[{"a":1}]',
      'a',
      '--records a: there is no array at this path',
      'The array is at the top level: leave out --records.',
    ],
    [
      '{"a":{"list":[7]}}',
      undefined,
      'cannot find the list in the JSON',
      'A list is an array of entries, or an object with the array under a key such as "members". Name any other key with --records.',
    ],
    [
      '{"users":[],"members":[{}]}',
      undefined,
      'both "users" and "members" are arrays',
      'Name the one to read: --records users, or --records members',
    ],
    [
      '{"data":{"users":[],"members":[{}]}}',
      undefined,
      'both "data.users" and "data.members" are arrays',
      'Name the one to read: --records data.users, or --records data.members',
    ],
    ['{"users":[],"users":[{}]}', undefined, 'the key "users" appears twice', 'Join its arrays into one.'],
  ])('is rejected if it is not found in %s', async (content, records, message, hint) => {
    expect(await listErrorOf(content, { format: 'json', records })).toEqual({ message, hint, code: 'bad-list' });
  });

  it.each([
    '{"u":{"0":"a","1":"b"},"v":{"0":"c","2":"d"}}',
    '{"u":{"0":{"id":1},"1":{"id":2}},"v":{"0":{"id":3},"1":{"id":4}}}',
  ])('is not one of the values of each column if these have other rows, or objects: %s', async (content) => {
    const { message } = await listErrorOf(content, { format: 'json' });
    expect(message).toMatch(/ an entry under each key, /);
  });
});

describe('a compressed list', () => {
  const bytes = gzipSync('userId,role\nu1,m\n');

  it.each(['members.csv.gz', 'members.csv', 'members'])('is decompressed by its content: %s', async (name) => {
    expect(await valuesOf(bytes, { name })).toEqual(ONE);
  });

  it('has the format of its name without .gz', async () => {
    expect(await valuesOf(gzipSync('userId\trole\tdepartment\nu1\tm\ta,b\n'), { name: 'x.tsv.gz' })).toEqual([
      { userId: 'u1', role: 'm', department: 'a,b' },
    ]);
  });

  it('is rejected if it is damaged or cut off', async () => {
    expect((await listErrorOf(bytes.subarray(0, -9))).message).toBe('the gzip data is damaged or incomplete');
    expect((await listErrorOf(Buffer.from([0x1f, 0x8b, 1, 2, 3]))).message).toBe(
      'the gzip data is damaged or incomplete',
    );
  });
});
