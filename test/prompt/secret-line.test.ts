import { describe, expect, test } from 'vitest';
import { SecretLine } from '../../src/prompt/secret-line.ts';

describe('a secret that is typed', () => {
  test.each<[string, string[], string]>([
    ['as it is', ['abc', '\r'], 'abc'],
    ['with a line feed at its end', ['abc\n'], 'abc'],
    ['a character at a time', ['a', 'b', 'c', '\r'], 'abc'],
    ['with backspaces', ['abx\x7fcd\b\r'], 'abc'],
    ['with a backspace too many', ['\x7f\x7fabc\r'], 'abc'],
    ['with a backspace over a character of two units', ['ab\u{1f511}\x7fc\r'], 'abc'],
    ['begun anew with Ctrl-U', ['xyz\x15abc\r'], 'abc'],
    ['begun anew with Ctrl-W', ['xyz\x17abc\r'], 'abc'],
    ['with arrow keys', ['a\x1b[Db\x1bOAc\x1b[1;5C\r'], 'abc'],
    ['pasted between marks', ['\x1b[200~abc\x1b[201~\r'], 'abc'],
    ['with other control characters', ['a\0b\tc\x1a\r'], 'abc'],
    ['with Ctrl-D in its middle', ['ab\x04c\r'], 'abc'],
    ['with more after its end', ['abc\rdef'], 'abc'],
  ])('%s', (_name, typed, text) => {
    const line = new SecretLine();
    const states = typed.map((piece) => line.type(piece));
    expect(states.at(-1)).toBe('done');
    expect(states.slice(0, -1).every((state) => state === 'open')).toBe(true);
    expect(line.text).toBe(text);
  });

  test('is given up by Ctrl-C at any time', () => {
    expect(new SecretLine().type('\x03')).toBe('interrupted');
    expect(new SecretLine().type('abc\x03')).toBe('interrupted');
  });

  test('is ended by Ctrl-D only where nothing was typed', () => {
    expect(new SecretLine().type('\x04')).toBe('ended');
    expect(new SecretLine().type('a\x7f\x04')).toBe('ended');
    expect(new SecretLine().type('a\x04')).toBe('open');
  });
});
