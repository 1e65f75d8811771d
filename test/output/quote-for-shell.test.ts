import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { quoteForShell } from '../../src/output/sanitize.ts';

describe('a word of a printed command', () => {
  it.each([
    ['a/b-c.csv', 'a/b-c.csv'],
    ['', "''"],
    ['a b.csv', "'a b.csv'"],
    ["it's", `'it'\\''s'`],
    ['list.', "'list.'"],
    ['a\nb-c.csv', String.raw`"$(printf 'a\012b\055c.csv')"`],
    ['gnp\u202ecsv', String.raw`"$(printf 'gnp\342\200\256csv')"`],
  ])('is quoted as much as it needs, and shows hidden characters: %j', (word, quoted) => {
    expect(quoteForShell(word)).toBe(quoted);
  });

  it.each(['sh', 'bash', 'zsh', 'fish'])('is the same word in %s', async (shell) => {
    const words = [
      ...['=list.csv', 'a\\\\b', 'end\\', "it\\'s", 'it\\hr', 'a\nb c\td.csv', '%self', '~', '{a,b}', '\\012'],
      ...[`-x\n%s%% "'\\ \`id\` $(id) $HOME !!`, '\u001b[31mred\u202e\ufeff é漢🔑', `it's "$(id)" \\ ! %`],
    ];
    const command = ['printf', '%s\\0', ...words].map(quoteForShell).join(' ');
    const { stdout } = await promisify(execFile)(shell, ['-c', command]);
    expect(stdout.split('\0')).toEqual([...words, '']);
  });
});
