import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorOf, problemsOf, rowsOf, tableOf, textsOf } from './tables.ts';

const TWO = { columns: ['userId', 'role'], rows: [['u1', 'member'], ['u2', 'admin']] }; // biome-ignore format: a table

describe('a CSV list of two people', () => {
  it.each([
    ['LF', 'userId,role\nu1,member\nu2,admin\n'],
    ['CRLF', 'userId,role\r\nu1,member\r\nu2,admin\r\n'],
    ['CR', 'userId,role\ru1,member\ru2,admin\r'],
    ['line ends of all kinds', 'userId,role\r\nu1,member\ru2,admin\n'],
    ['no line end after the last row', 'userId,role\nu1,member\nu2,admin'],
    ['semicolons', 'userId;role\nu1;member\nu2;admin\n'],
    ['tabs', 'userId\trole\nu1\tmember\nu2\tadmin\n'],
    ['vertical bars', 'userId|role\nu1|member\nu2|admin\n'],
    ['every cell in quotes', '"userId","role"\n"u1","member"\n"u2","admin"\n'],
    ['blank lines and blank rows', '\n\nuserId,role\n\nu1,member\n,\n  \n,,,,\nu2,admin\n\n'],
    ['a byte order mark', '\ufeffuserId,role\nu1,member\nu2,admin\n'],
  ])('is read with %s', async (_name, content) => {
    expect(await textsOf(content, { format: 'csv' })).toEqual(TWO);
  });
});

it.each([
  [
    'the most frequent one in the header, outside of quotes',
    '"a,b,c,d";e;f\n1;2;3\n',
    undefined,
    ['a,b,c,d', 'e', 'f'],
  ],
  ['the character of --delimiter', 'a,b^c\n1^2\n', '^', ['a,b', 'c']],
  ['a tab with --delimiter tab', 'a,b,c\td\n1\t2\n', 'tab', ['a,b,c', 'd']],
])('the delimiter is %s', async (_, content, delimiter, columns) => {
  expect((await textsOf(content, { delimiter })).columns).toEqual(columns);
});

describe('a row', () => {
  it('has the physical line on which it starts', async () => {
    const content = '\r\nuserId,role,department\r\n\r\n"u\r\n1",m,\n"u2",m,"x\ry\nz"\ru3,m,\n\n\nu4,m,';
    expect((await rowsOf(await tableOf(content))).map(({ line }) => line)).toEqual([4, 6, 9, 12]);
  });

  it.each([
    ['a line of a quoted cell is a complete row', 'a,b,c\n1,"12 inch,x\n2,y,z\n3,y",z\n', true],
    ['each of its lines is a complete row', 'a,b,c\n1,"x,y\n2,x",z\n', true],
    ['a quoted cell has a line break', 'a,b,c\n1,"x\ny",z\n', false],
    ['its last cell has a line break', 'a,b,c\n1,y,"x\ny"\n', false],
    ['a quoted cell has commas and line breaks', 'a,b,c\n1,"x, y, z, a\nb, c",z\n', false],
  ])('may hide other rows if %s', async (_name, content, isProblem) => {
    const problems = await problemsOf(content);
    expect(problems.map(([line]) => line)).toEqual(isProblem ? [2] : []);
  });
});

it('finds a mistake in quoting in a chunk after the first', async () => {
  const rows = `${'u,m\n'.repeat(50_000)}"x"y,m\n`;
  expect(await errorOf(`a,b\n${rows}`)).toContain('line 50002, column 1');
});

it('rejects a list without a header, with a blank one, and with a row of more than 1 MiB', async () => {
  expect(await errorOf('\n\n', { format: 'csv' })).toContain('standard input is empty');
  expect(await errorOf('a\n\nb\n', { headerRow: 2 })).toContain(
    'line 2 is blank or missing, so it cannot be the header',
  );
  expect(await errorOf('a\nb\n', { headerRow: 9 })).toContain('line 9 is');
  expect(await errorOf(`a,b\n"${'x\n'.repeat(600_000)}`)).toContain('line 2: the row that starts here is longer');
});

it('returns any rows as they were written, whatever delimiter, line ends, and quotes', async () => {
  const cell = fc
    .string({ unit: fc.constantFrom('a', 'é', '🎉', ' ', ',', ';', '|', '\t', '"', '\n', '\r', '='), maxLength: 8 })
    .map((text) => `x${text}x`);
  const property = fc.asyncProperty(
    fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 8 }),
      ),
    fc.constantFrom(',', ';', '\t', '|', '^'),
    fc.constantFrom('\n', '\r\n', '\r'),
    fc.boolean(),
    async (rows, delimiter, record_delimiter, quoted) => {
      const header = rows[0]?.map((_, at) => `c${at}`) ?? [];
      const text = stringify([header, ...rows], { delimiter, record_delimiter, quoted, quoted_match: /[\r\n]/ });
      expect(await textsOf(text, { delimiter, format: 'csv' })).toEqual({ columns: header, rows });
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

it.each([
  ['with', (at: number) => (at % 7 === 0 ? `é, "${at}"\n` : 'm')],
  ['without', () => 'é'],
])('returns the rows of a list of many chunks, %s quotes', async (_, cellOf) => {
  const rows = Array.from({ length: 10_000 }, (_, at) => [`usr_${at}`, cellOf(at)]);
  expect((await textsOf(stringify([['userId', 'role'], ...rows]))).rows).toEqual(rows);
});
