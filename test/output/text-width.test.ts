import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutToWidth } from '../../src/output/text-width.ts';
import { wrapCell } from '../../src/output/wrap.ts';

const text = fc
  .array(
    fc.constantFrom('a', 'word', ' ', 'ë', 'e\u0308', '監', '査', '한', '👩‍💻', '🇯🇵', '1\ufe0f\u20e3', 'สวั', '…'),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));
const width = fc.integer({ min: 1, max: 30 });

describe('cutToWidth', () => {
  it.each([
    ['fits', 4, 'fits'],
    ['does not fit', 8, 'does no…'],
    ['does not fit', 6, 'does…'],
    ['abc', 1, '…'],
    ['監査所見', 8, '監査所見'],
    ['監査所見', 7, '監査所…'],
    ['監査所見', 6, '監査…'],
    ['監査', 2, '…'],
    ['a👩‍💻b', 3, 'a…'],
    ['a👩‍💻b', 4, 'a👩‍💻b'],
    ['e\u0308e\u0308e\u0308', 2, 'e\u0308…'],
  ])('limits %j to %i columns', (whole, columns, cut) => {
    expect(cutToWidth(whole, columns)).toBe(cut);
  });

  it('never returns more than the width', () => {
    fc.assert(
      fc.property(text, width, (whole, columns) => {
        expect(stringWidth(cutToWidth(whole, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('wrapCell', () => {
  it.each([
    ['', 5, ['']],
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 3, ['one', 'two', 'thr', 'ee']],
    ['abcdefgh ij', 5, ['abcde', 'fgh', 'ij']],
    ['ab cdefghij', 4, ['ab', 'cdef', 'ghij']],
    ['監査所見', 5, ['監査', '所見']],
    ['監', 1, ['…']],
    ['at https://example.com/監', 8, ['at', 'https://', 'example.', 'com/監']],
  ])('wraps %j at %i columns', (whole, columns, lines) => {
    expect(wrapCell(whole, columns)).toEqual(lines);
  });

  it('keeps URLs and paths whole on request', () => {
    expect(wrapCell('see /etc/orgadm/config.json and 監査の所見', 10, { keepWords: true })).toEqual([
      'see',
      '/etc/orgadm/config.json',
      'and',
      '監査の所見',
    ]);
  });

  it('loses nothing but spaces, and no line is wider', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (whole, columns) => {
        const lines = wrapCell(whole, columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(' ', ''));
        expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
