import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { breakWord, cutToWidth, displayWidth } from '../../src/output/text-width.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['監査', 4],
    ['한국어', 6],
    ['Привет…', 7],
    ['👩‍💻', 2],
    ['👩🏽‍💻 dev', 6],
    ['\x1b[31mred\x1b[39m', 3],
  ])('counts %j as %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

const text = fc
  .array(fc.constantFrom('a', 'word', ' ', 'ë', 'e\u0308', '監', '査', '한', '👩‍💻', '🇯🇵', 'สวั', '…'), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));
const width = fc.integer({ min: 2, max: 30 });

describe('cutToWidth', () => {
  it.each([
    ['fits', 4, 'fits'],
    ['does not fit', 8, 'does no…'],
    ['does not fit', 6, 'does…'],
    ['abc', 1, '…'],
    ['監査所見', 8, '監査所見'],
    ['監査所見', 7, '監査所…'],
    ['監査所見', 6, '監査…'],
    ['a👩‍💻b', 4, 'a👩‍💻b'],
    ['a👩‍💻bcd', 4, 'a👩‍💻…'],
    ['e\u0308e\u0308e\u0308', 2, 'e\u0308…'],
  ])('limits %j to %i columns', (complete, columns, cut) => {
    expect(cutToWidth(complete, columns)).toBe(cut);
  });

  it('never returns more than the width', () => {
    fc.assert(
      fc.property(text, width, (complete, columns) => {
        expect(stringWidth(cutToWidth(complete, columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('breakWord', () => {
  it('loses nothing, and returns no piece that is wider', () => {
    fc.assert(
      fc.property(text, width, (complete, columns) => {
        const pieces = [...breakWord(complete, columns)];
        expect(pieces.join('')).toBe(complete);
        expect(Math.max(...pieces.map((piece) => stringWidth(piece)))).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
