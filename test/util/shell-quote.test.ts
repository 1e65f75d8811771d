import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoteForShell } from '../../src/output/sanitize.ts';

describe('quoteForShell', () => {
  it.each([
    ['a/b-c.csv', 'a/b-c.csv'],
    ['a b.csv', "'a b.csv'"],
    ["it's", `'it'\\''s'`],
    ['$(id)', "'$(id)'"],
    ['', "''"],
    ['list.', "'list.'"],
    ['a\nb-c.csv', String.raw`"$(printf 'a\012b\055c.csv')"`],
    ['gnp\u202ecsv', String.raw`"$(printf 'gnp\342\200\256csv')"`],
  ])('quotes %j', (word, quoted) => {
    expect(quoteForShell(word)).toBe(quoted);
  });

  it.each([
    'a\nb c\td.csv',
    `-x\n%s%% "'\\ \`id\` $(id) $HOME !!`,
    '\u001b[31mred\u202e\ufeff é漢🔑',
    `it's "$(id)" \\ ! %`,
    '\\012',
  ])('writes %j so that a shell reads the same word', (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${quoteForShell(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});
