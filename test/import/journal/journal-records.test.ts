import { describe, expect, it } from 'vitest';
import { doneRecord, emptyOutcome, type JournalRecord, wordsIn } from '../../../src/import/journal/journal-records.ts';

describe('doneRecord', () => {
  it('leaves out what is empty', () => {
    expect(doneRecord(4, emptyOutcome())).toEqual({ t: 'done', attempt: 4 });
  });

  it('writes created and unclear rows as ranges, the others with their words', () => {
    const record = doneRecord(1, {
      ...emptyOutcome(),
      created: [1, 2, 3],
      existing: [[4, 'is a member']],
      recovered: [[5, 'is a member now']],
      failed: [[6, 'no such user']],
      unclear: [[[7, 8], 'timed out']],
      answeredMs: 41.2,
      timedOut: true,
    });
    expect(record).toEqual({
      t: 'done',
      attempt: 1,
      created: '1-3',
      existing: [[4, 'is a member']],
      recovered: [[5, 'is a member now']],
      failed: [[6, 'no such user']],
      unclear: [['7-8', 'timed out']],
      answeredMs: 42,
      timedOut: true,
    });
  });
});

describe('wordsIn', () => {
  const done: JournalRecord = {
    t: 'done',
    attempt: 1,
    created: '1-3',
    existing: [[4, 'is a member']],
    recovered: [[5, 'is a member now']],
    failed: [
      [6, 'no such user'],
      [7, ''],
    ],
    unclear: [
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
  ])('of row %d: %j', (entry, words) => {
    expect(wordsIn(done)(entry)).toBe(words);
  });

  it('says of a carried row that an earlier run left it', () => {
    expect(wordsIn({ t: 'carried', at: 0, rows: '1-9' })(3)).toBe('an earlier run ended before its outcome was known');
  });

  it('has none for other records', () => {
    expect(wordsIn({ t: 'send', at: 0, attempt: 1, rows: '1-9' })(3)).toBeUndefined();
    expect(wordsIn(undefined)(3)).toBeUndefined();
  });
});
