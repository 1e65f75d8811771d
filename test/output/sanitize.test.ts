import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanBlock, cleanCell, cleanLine, escapeJson } from '../../src/output/sanitize.ts';
import { ANY_CHARACTER } from '../helpers/any-character.ts';

// C0 without the line break, DEL and C1, bidirectional controls, line separators, BOM.
const DANGEROUS = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

describe('cleanLine', () => {
  it.each([
    ['plain text', 'Ada Lovelace', 'Ada Lovelace'],
    ['letters of any script', 'Zoë 監査 👩‍💻 नमस्ते', 'Zoë 監査 👩‍💻 नमस्ते'],
    ['color', '\x1b[31mred\x1b[0m', '\\u001b[31mred\\u001b[0m'],
    ['CSI as one C1 character', 'a\x9b31mb', 'a\\u009b31mb'],
    ['a title', '\x1b]0;owned\x07name', '\\u001b]0;owned\\u0007name'],
    ['line breaks', 'a\nb\r\nc\rd', 'a b c d'],
    ['tabs', 'a\tb', 'a b'],
    ['line breaks and tabs in a row', 'a\n\n\tb', 'a b'],
    ['NUL, BEL, backspace', '\x00\x07\x08', '\\u0000\\u0007\\u0008'],
    ['vertical tab, form feed', '\x0b\x0c', '\\u000b\\u000c'],
    ['DEL and NEL', '\x7f\x85', '\\u007f\\u0085'],
    ['right-to-left override', 'exe\u202egpj.txt', 'exe\\u202egpj.txt'],
    ['bidi marks', '\u061c\u200e\u200f', '\\u061c\\u200e\\u200f'],
    ['line separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['BOM', '\ufeffid', '\\ufeffid'],
    ['a lone high surrogate', 'a\ud83db', 'a\ufffdb'],
    ['a surrogate pair, which is a character', '\ud83d\udc69', '👩'],
  ])('turns %s into harmless text', (_name, text, clean) => {
    expect(cleanLine(text)).toBe(clean);
  });

  it('takes time in proportion to the text', () => {
    // If the time grew with the square of the length, these would not end.
    for (const piece of ['\x1b]', '\x1b[0', '\x9d', '\x1bP', '\x1b', '\n', '\x1b]8;;x\x1b']) {
      expect(cleanLine(piece.repeat(100_000))).not.toContain('\x1b');
    }
  });
});

describe('clean text', () => {
  it('keeps line breaks and turns tabs into spaces in a block', () => {
    expect(cleanBlock('a\r\nb\rc\nd\te\x1b[31mf\u202e\n\n')).toBe('a\nb\nc\nd    e\\u001b[31mf\\u202e\n\n');
  });

  it('keeps line breaks and tabs, and shows a lone CR, in a cell', () => {
    expect(cleanCell('a\r\nb\nc\td\re\x1b[31mf\x07')).toBe('a\nb\nc\td\\u000de\\u001b[31mf\\u0007');
  });

  it('contains nothing that a terminal would interpret', () => {
    const risky = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '\x07',
      '\\',
      '\x9b',
      '\x9c',
      'P',
      '0',
      ';',
      'm',
      '\n',
      '\r',
      '\u202e',
      '\ud83d',
      'é',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: ANY_CHARACTER }),
          fc.array(risky).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(cleanLine(text)).not.toMatch(DANGEROUS);
          expect(cleanLine(text)).not.toContain('\n');
          expect(cleanBlock(text)).not.toMatch(DANGEROUS);
          expect(cleanLine(cleanLine(text))).toBe(cleanLine(text));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('escapeJson', () => {
  it('writes hidden characters as \\uXXXX', () => {
    const json = JSON.stringify({
      text: '\x7f\x85\x9b\u061c\u200e\u200f\u2028\u2029\u202e\u2066\ufeff',
      next: '\x1bé監👩',
    });
    expect(escapeJson(json)).toBe(
      '{"text":"\\u007f\\u0085\\u009b\\u061c\\u200e\\u200f\\u2028\\u2029\\u202e\\u2066\\ufeff","next":"\\u001bé監👩"}',
    );
  });

  it('parses to the same value, and contains nothing that a terminal would interpret', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: ANY_CHARACTER }), (value) => {
        const json = escapeJson(JSON.stringify(value));
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(json).not.toMatch(DANGEROUS);
      }),
    );
  });
});
