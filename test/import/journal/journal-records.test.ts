import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeRanges,
  detailsIn,
  emptyBatchOutcome,
  encodeRanges,
  type JournalRecord,
  outcomeRecord,
} from '../../../src/import/journal/journal-records.ts';

describe('outcomeRecord', () => {
  it('omits empty fields', () => {
    expect(outcomeRecord(4, emptyBatchOutcome())).toEqual({ t: 'outcome', attempt: 4 });
  });

  it('encodes created and ambiguous rows as ranges, and the others with their messages', () => {
    const record = outcomeRecord(1, {
      ...emptyBatchOutcome(),
      created: [1, 2, 3],
      existing: [[4, 'is a member']],
      recovered: [[5, 'is a member now']],
      failed: [[6, 'no such user']],
      ambiguous: [[[7, 8], 'timed out']],
      durationMs: 41.2,
      timedOut: true,
    });
    expect(record).toEqual({
      t: 'outcome',
      attempt: 1,
      created: '1-3',
      existing: [[4, 'is a member']],
      recovered: [[5, 'is a member now']],
      failed: [[6, 'no such user']],
      ambiguous: [['7-8', 'timed out']],
      durationMs: 42,
      timedOut: true,
    });
  });
});

describe('detailsIn', () => {
  const outcome: JournalRecord = {
    t: 'outcome',
    attempt: 1,
    created: '1-3',
    existing: [[4, 'is a member']],
    recovered: [[5, 'is a member now']],
    failed: [
      [6, 'no such user'],
      [7, ''],
    ],
    ambiguous: [
      ['8-9', 'timed out'],
      ['11', 'reset'],
    ],
  };

  it.each([
    [2, undefined],
    [4, 'is a member'],
    [5, 'is a member now'],
    [6, 'no such user'],
    [7, ''],
    [9, 'timed out'],
    [10, undefined],
    [11, 'reset'],
  ])('returns for row %d the message %j', (entry, message) => {
    expect(detailsIn(outcome)(entry).message).toBe(message);
  });

  it('returns the member ids of created rows, whatever their order', () => {
    const record = outcomeRecord(1, {
      ...emptyBatchOutcome(),
      created: [5, 1, 2],
      memberIds: ['mem_5', 'mem_1', null],
    });
    expect(record).toEqual({ t: 'outcome', attempt: 1, created: '5,1-2', memberIds: ['mem_5', 'mem_1', null] });
    expect([1, 2, 5].map((entry) => detailsIn(record)(entry).memberId)).toEqual(['mem_1', undefined, 'mem_5']);
  });

  it('describes a carried row as left by an earlier run', () => {
    expect(detailsIn({ t: 'carried', sentAtMs: 0, rows: '1-9' })(3).message).toBe(
      'an earlier run ended before its outcome was known',
    );
  });

  it('returns nothing for other records', () => {
    expect(detailsIn({ t: 'intent', sentAtMs: 0, attempt: 1, rows: '1-9' })(3)).toEqual({});
    expect(detailsIn(undefined)(3)).toEqual({});
  });
});

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
