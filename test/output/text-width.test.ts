import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cutToWidth, displayWidth, graphemes } from '../../src/output/text-width.ts';

describe('displayWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['監査', 4],
    ['한국어', 6],
    ['ﾊﾝｶｸ', 4],
    ['か\u3099', 2],
    ['Привет…', 7],
    ['👩‍💻', 2],
    ['👩🏽‍💻 dev', 6],
    ['🇯🇵🇩🇪', 4],
    ['1\ufe0f\u20e3', 2],
    ['❤\ufe0f', 2],
    ['नमस्ते', 3],
    ['สวัสดีครับ', 7],
    ['a\u00adb', 2],
    ['監\u0301査👩‍💻x\u0301', 7],
  ])('counts %j as %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
    expect([...graphemes(text)].reduce((sum, grapheme) => sum + grapheme.width, 0)).toBe(width);
  });

  it('agrees with string-width about the characters of the basic plane, alone and between others', () => {
    const different: string[] = [];
    // Every 37th is enough of the ideographs and Hangul syllables, which are all alike.
    for (let code = 0x20; code < 0xfff0; code += code >= 0x3400 && code < 0xd7a0 ? 37 : 1) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCharCode(code);
      if (code >= 0x7f && code <= 0x9f) continue;
      for (const complete of [text, `a${text}査`])
        if (displayWidth(complete) !== stringWidth(complete)) different.push(complete);
    }
    expect(different).toEqual([]);
  });

  it('stops counting beyond the limit', () => {
    for (const character of ['監', 'a', '👩‍💻', 'ë', 'ส']) {
      expect(displayWidth(character.repeat(1_000_000), 10)).toBeGreaterThan(10);
    }
    expect(displayWidth('監査', 4)).toBe(4);
  });

  it('treats very long text without width as too wide', () => {
    expect(displayWidth(`a${'\u0301'.repeat(1_000_000)}`, 10)).toBe(11);
  });

  it('measures a long text', () => {
    expect(displayWidth('監査は👩‍💻 '.repeat(20_000))).toBe(180_000);
  });
});

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
