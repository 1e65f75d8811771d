import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRanges, encodeRanges } from '../../../src/import/journal/journal-records.ts';

describe('ranges of rows', () => {
  it.each([
    [[], ''],
    [[7], '7'],
    [[1, 2], '1-2'],
    [[1, 2, 3, 5, 7, 8], '1-3,5,7-8'],
    [[5, 4, 3], '5,4,3'],
    [[9, 1, 2], '9,1-2'],
    [[4, 4], '4,4'],
    [[999_999, 1_000_000], '999999-1000000'],
  ])('encode %j as %j', (rows, text) => {
    expect(encodeRanges(rows)).toBe(text);
    expect([...decodeRanges(text)]).toEqual(rows);
  });

  it('decode to the rows they were encoded from, in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (rows) => {
        expect([...decodeRanges(encodeRanges(rows))]).toEqual(rows);
      }),
    );
  });

  it.each(['x', '1-', '-2', '1-2-3', '1,,2', '1;2', ' 1', '1e3', '1-2,'])(
    'are rejected if they are written as %j',
    (text) => {
      expect(() => [...decodeRanges(text)]).toThrow(RangeError);
    },
  );
});
