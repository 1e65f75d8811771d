import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { quoteForShell } from '../../src/output/sanitize.ts';

describe('a word of a printed command', () => {
  it.each(['bash', 'zsh', 'fish'])('is the same word in %s', async (shell) => {
    const words = [
      '=list.csv',
      'a\\\\b',
      'end\\',
      "it\\'s",
      'it\\hr',
      "it's $HOME `id` !",
      'a\nb',
      '%self',
      '~',
      '{a,b}',
    ];
    const command = ['printf', '%s\\0', ...words].map(quoteForShell).join(' ');
    const { stdout } = await promisify(execFile)(shell, ['-c', command]);
    expect(stdout.split('\0')).toEqual([...words, '']);
  });
});
