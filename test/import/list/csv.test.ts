import { describe, expect, it } from 'vitest';
import { listErrorOf, problemsOf, readListText, valuesOf } from './read-list.ts';

const TWO = [
  { userId: 'u1', role: 'member' },
  { userId: 'u2', role: 'admin' },
];

describe('a CSV list of two members', () => {
  it.each([
    ['LF', 'userId,role\nu1,member\nu2,admin\n'],
    ['CRLF', 'userId,role\r\nu1,member\r\nu2,admin\r\n'],
    ['CR', 'userId,role\ru1,member\ru2,admin\r'],
    ['line ends of all kinds', 'userId,role\r\nu1,member\ru2,admin\n'],
    ['no line end after the last row', 'userId,role\nu1,member\nu2,admin'],
    ['semicolons', 'userId;role\nu1;member\nu2;admin\n'],
    ['tabs', 'userId\trole\nu1\tmember\nu2\tadmin\n'],
    ['every cell in quotes', '"userId","role"\n"u1","member"\n"u2","admin"\n'],
    ['spaces around', ' userId , role \n u1 , member \n u2 , admin \n'],
    ['blank lines and blank rows', '\n\nuserId,role\n\nu1,member\n,\n  \n,,,,\nu2,admin\n\n'],
    ["a delimiter at each line's end", 'userId,role,\nu1,member,\nu2,admin,\n'],
    ['cells missing at the end', 'userId,role,department,isActive\nu1,member\nu2,admin,\n'],
    ['a byte order mark', '\ufeffuserId,role\nu1,member\nu2,admin\n'],
  ])('is read with %s', async (_name, content) => {
    expect(await valuesOf(content)).toEqual(TWO);
  });

  it('keeps the commas of a TSV file', async () => {
    expect(await valuesOf('userId\trole\tdepartment\nu1\tm\ta,b,c\n', { name: 'x.tsv' })).toEqual([
      { userId: 'u1', role: 'm', department: 'a,b,c' },
    ]);
  });
});

describe('the text of a cell', () => {
  it.each([
    ['ids that look like numbers', 'userId,role\n0012,m\n', '0012'],
    ['ids that look like exponents', 'userId,role\n1E5,m\n', '1E5'],
    ['a comma in quotes', 'userId,role\n"a,b",m\n', 'a,b'],
    ['doubled quotes', 'userId,role\n"say""hi""1",m\n', 'say"hi"1'],
    ['other scripts', 'userId,role\nʤ監🎉é,m\n', 'ʤ監🎉é'],
    ['a semicolon next to commas', 'userId,role\na;b,m\n', 'a;b'],
  ])('is read unchanged: %s', async (_name, content, userId) => {
    expect(await valuesOf(content)).toEqual([{ userId, role: 'm' }]);
  });
});

describe('the rows of a CSV list', () => {
  it('have the number of the physical line on which they start', async () => {
    const content = '\r\nuserId,role,department\r\n\r\n"u\r\n1",m,\n"u2",m,"x\ry\nz"\ru3,m,\n\n\nu4,m,';
    const { rows } = await readListText(content);
    expect(rows.map(({ line, number }) => [line, number])).toEqual([
      [4, 1],
      [6, 2],
      [9, 3],
      [12, 4],
    ]);
  });
});

describe('a CSV list of several hundred KiB', () => {
  const users = Array.from({ length: 8_000 }, (_, at) => `u${at}`);
  const given = { ignored: ['Note'], defaults: { isActive: 'true' } } as const;

  it('is read with line breaks in quotes, wherever they are', async () => {
    const content = `userId,Note,role\n${users.map((user, at) => `${user},"${'-'.repeat(at % 7)}\n""${at}""\n",m\n`).join('')}`;
    const { rows } = await readListText(content, given);
    expect(rows.map(({ fields }) => fields.userId)).toEqual(users);
    expect(rows.map(({ line }) => line)).toEqual(users.map((_, at) => 2 + 3 * at));
    expect(rows.flatMap(({ issues }) => issues)).toEqual([]);
  });

  it.each(['\n', '\r\n', '\r'])('is read with the line end %j', async (end) => {
    const content = ['userId,role', ...users.map((user) => `${user},m`), ''].join(end);
    const { rows } = await readListText(content);
    expect(rows.map(({ fields }) => fields.userId)).toEqual(users);
    expect(rows.at(-1)?.line).toBe(8_001);
  });
});

describe('a file that is not CSV', () => {
  it.each([
    [
      'a quote that is never closed',
      'userId,role\nu1,m\n"u2,m\nu3,m\n',
      'line 3, column 1: the quote that opens here is never closed',
    ],
    [
      'a quote that is never closed in a long list',
      `userId,role\nu1,m\n"u2,m\n${'u3,m\n'.repeat(1_000_000)}`,
      'line 3, column 1: the quote that opens here is never closed',
    ],
    [
      'a quote that is never closed, before rows with quotes',
      `userId,role\nu1,m\n"u2,m\n${'"u3",m\n'.repeat(20_000)}`,
      'line 3, column 1: text follows a closing quote',
    ],
    ['text after a quote', 'userId,role\nu1,m\nu2,"m"x\n', 'line 3, column 2: text follows a closing quote'],
    ['a quote inside text', 'userId,role\n\n"u\n1",m\n5"u,m"\n', 'line 5, column 1: a quote inside the text'],
    [
      'a row beyond all bounds',
      `userId,role\nu1,${'m'.repeat(1_200_000)}\n`,
      'line 2: the row that starts here is longer than 1 MiB',
    ],
    ['nothing at all', '', 'the list is empty'],
    ['nothing but white space', ' \n\r\n\t\n,,\n', 'the list is empty'],
  ])('is rejected with its line: %s', async (_name, content, message) => {
    expect(await listErrorOf(content)).toMatchObject({
      message,
      code: message === 'the list is empty' ? 'empty-list' : 'bad-list',
    });
  });
});

describe('a CSV list with unusual rows', () => {
  it('is rejected if it ends before the header that --header-row names', async () => {
    expect(await listErrorOf('Report\n', { headerRow: 5 })).toEqual({
      message: 'no header on line 5, because the list ends before it',
      hint: 'Correct --header-row. The first line is 1.',
      code: 'empty-list',
    });
    expect((await listErrorOf('', { headerRow: 1 })).message).toBe('the list is empty');
  });

  it('is empty if it has only a header', async () => {
    const { check, rows } = await readListText('userId,role\n');
    expect([check.total, check.invalid, rows]).toEqual([0, 0, []]);
  });

  it('is reported if a row has more filled cells than columns', async () => {
    expect(await problemsOf('userId,role\nu1,m\nu2,m,x\nu3,m,,"y,z"\n')).toEqual([
      'line 3: 3 cells, but the header has 2: the first extra one is "x" (quote a cell that contains the delimiter)',
      'line 4: 4 cells, but the header has 2: the first extra one is "y,z" (quote a cell that contains the delimiter)',
    ]);
  });

  it('makes a column without a name one to decide about if it has a value there', async () => {
    const content = 'userId, ,role,\nu1, ,m,\nu2,x,m\n';
    expect((await listErrorOf(content)).message).toMatch(/:\nuserId {2}u1, u2\n#2 {6}x\nrole {4}m$/);
    expect(await problemsOf(content, { ignored: ['#2'], defaults: { isActive: 'true' } })).toEqual([]);
    expect(await problemsOf(content.replace('x', ''))).toEqual([]);
  });
});
