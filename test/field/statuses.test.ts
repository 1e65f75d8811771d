import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { importList } from './field-lists.ts';

/** What a person reads in a column of booleans; undefined for what is none. */
const WORDS: readonly (readonly [word: string, says: boolean | undefined])[] = [
  ['yes', true],
  ['TRUE', true],
  ['1', true],
  [' active ', true],
  ['no', false],
  ['False', false],
  ['0', false],
  ['inactive', false],
  ['', undefined],
  ['Suspended', undefined],
];

/** A row for each pair of words, and whether the person is active; undefined if the columns do not say it. */
function everyPair(isFirstInverted: boolean, isSecondInverted: boolean) {
  const pairs = WORDS.flatMap(([first, a]) => WORDS.map(([second, b]) => ({ first, second, a, b })));
  return pairs.map(({ first, second, a, b }, at) => {
    const isActive = a === undefined || b === undefined ? undefined : a !== isFirstInverted && b !== isSecondInverted;
    return { userId: `usr_${at}`, first, second, isActive };
  });
}

describe('two columns that say together who is active', () => {
  const cli = createCommandRunner();

  it.each([
    ['first', 'second'],
    ['!first', 'second'],
    ['first', '!second'],
    ['!first', '!second'],
  ])('are read each as it is meant, in any pair of words: %s and %s', async (first, second) => {
    const rows = everyPair(first.startsWith('!'), second.startsWith('!'));
    const csv = rows.map((row) => `${row.userId},employee,${row.first},${row.second}\n`).join('');
    const json = rows.map((row) => `${JSON.stringify({ ...row, role: 'employee', isActive: undefined })}\n`).join('');
    const args = ['--map', `isActive=${first}`, '--map', `isActive=${second}`, '--invalid', 'skip'];
    const sent = rows.flatMap(({ userId, isActive }) =>
      isActive === undefined ? [] : { userId, role: 'employee', isActive },
    );
    expect(sent).toHaveLength(64);
    expect((await importList(cli, ['a.csv', `userId,role,first,second\n${csv}`], args)).sent).toEqual(sent);
    expect((await importList(cli, ['a.ndjson', json], args)).sent).toEqual(sent);
  });
});

describe('a status of letters or digits, of which only some are booleans', () => {
  const cli = createCommandRunner();
  const csv = (...statuses: string[]) =>
    `userId,role,status\n${statuses.map((status, at) => `usr_${at},employee,${status}\n`).join('')}`;
  const MAPPED = ['--map', 'isActive=status'];

  it.each<[person: string, content: string, args: readonly string[], booleans: string, others: string]>([
    ['active, on leave, and terminated', csv('A', 'T', 'L'), MAPPED, '"T"', '"A", "L"'],
    ['inactive, a pensioner, and active', csv('1', '2', '3'), MAPPED, '"1"', '"2", "3"'],
    ['terminated, in an inverted column', csv('t ', 'a'), ['--map', 'isActive=!status'], '"t"', '"a"'],
    ['a default for blanks', csv('N', 'R', ''), [...MAPPED, '--default', 'isActive=true'], '"N"', '"R"'],
    [
      'accepted and confirmed, as numbers of JSON',
      '[{"userId":"u1","role":"m","status":1},{"userId":"u2","role":"m","status":2}]',
      MAPPED,
      '"1"',
      '"2"',
    ],
  ])('is not read, also if invalid rows may be left out: %s', async (_, content, args, booleans, others) => {
    const name = content.startsWith('[') ? 'a.json' : 'a.csv';
    const { code, sent, printed } = await importList(cli, [name, content], [...args, '--invalid', 'skip']);
    expect({ code, sent }, printed).toEqual({ code: 2, sent: [] });
    expect(printed).toContain(
      `${booleans} may mean something other than true or false in the column "status", which also has ${others}\n`,
    );
    expect(printed).toContain(`--map-value 'isActive:${booleans.slice(1, -1)}=<true or false>'`);
  });

  it.each([
    [
      'with translations',
      csv('A', 'T'),
      [...MAPPED, '--map-value', 'isActive:A=true', '--map-value', 'isActive:T=false'],
    ],
    ['next to a word with a typing mistake', csv('1', '0', 'treu'), [...MAPPED, '--invalid', 'skip']],
  ])('is read %s', async (_, content, args) => {
    const { sent } = await importList(cli, ['a.csv', content], args);
    expect(sent).toEqual([
      { userId: 'usr_0', role: 'employee', isActive: true },
      { userId: 'usr_1', role: 'employee', isActive: false },
    ]);
  });
});
