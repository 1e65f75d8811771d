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
