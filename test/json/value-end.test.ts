import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterSpace, valueEnd } from '../../src/json/value-end.ts';

/** Whether `text` is one JSON value, with white space around it. */
function isJson(text: string): boolean {
  const bytes = Buffer.from(text);
  const end = valueEnd(bytes, afterSpace(bytes, 0));
  return end >= 0 && afterSpace(bytes, end) === bytes.length;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What JSON is made of, right and wrong. */
const scraps = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"\\u00e9"',
    '"\\u00g9"',
    '"\\n"',
    '"\\x"',
    '"é監🎉"',
    '"',
    '"a\tb"',
  ],
  ...[
    '0',
    '-0',
    '01',
    '-',
    '1.5',
    '1.',
    '.5',
    '1e5',
    '1E+5',
    '1e',
    '2e-7',
    '+1',
    'true',
    'false',
    'null',
    'tru',
    'NaN',
  ],
  ...[' ', '\n', '\r\n', '\t', '\v', '\u00a0', '\ufeff', '{}', '[]', '{"a":1}', '[1,2]'],
);

describe('the end of a JSON value', () => {
  it('is found in any value, however it is spaced', () => {
    const property = fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t', 4), (value, space) => {
      expect(isJson(JSON.stringify(value, null, space))).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
  });

  it('is found where JSON.parse takes a text, and nowhere else', () => {
    const pieces = fc.array(scraps, { maxLength: 8 }).map((parts) => parts.join(''));
    const damaged = fc.tuple(fc.jsonValue(), fc.nat(), scraps, fc.nat({ max: 2 })).map(([value, at, scrap, cut]) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      return text.slice(0, place) + scrap + text.slice(place + cut);
    });
    const property = fc.property(fc.oneof(pieces, damaged), (text) => {
      expect(isJson(text)).toBe(parses(text));
    });
    fc.assert(property, { numRuns: 5000 });
  });

  it('is that of the value, whatever follows', () => {
    expect(valueEnd(Buffer.from('[1, {"a": "]"}], 2'), 0)).toBe(15);
  });

  it('is not looked for in a value that is nested beyond all reason', () => {
    expect(isJson('['.repeat(64) + ']'.repeat(64))).toBe(true);
    expect(isJson('['.repeat(65) + ']'.repeat(65))).toBe(false);
    expect(isJson('[{"a":'.repeat(100_000))).toBe(false);
  });
});
