import { describe, expect, it } from 'vitest';
import type { PendingRow } from '../../../src/import/send/send-batch.ts';
import { bisect, cutToSize, maxBisectRequests } from '../../../src/import/send/split-batch.ts';

function rows(...entries: number[]): PendingRow[] {
  return entries.map((entry) => ({ entry, line: entry + 1, value: { userId: `usr_${entry}`, role: 'member' } }));
}

function named(...entries: number[]) {
  return rows(...entries).map((row) => ({ row, message: 'bad' }));
}

function entriesOf(parts: readonly { rows: readonly PendingRow[] }[]): number[][] {
  return parts.map((part) => part.rows.map(({ entry }) => entry));
}

describe('cutToSize', () => {
  it('cuts to the size that the message names, and remembers it', () => {
    const parts = cutToSize({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'too-large', limit: 2, sure: true }, 'at most 2');
    expect(parts).toEqual([
      { rows: rows(1, 2), splitSize: 2 },
      { rows: rows(3, 4), splitSize: 2 },
      { rows: rows(5), splitSize: 2 },
    ]);
  });

  it('halves where no size is named', () => {
    const parts = cutToSize({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'too-large', limit: undefined, sure: true }, '');
    expect(entriesOf(parts)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('sends rows that a message named by themselves: their names are not proven', () => {
    const part = { rows: rows(1, 3, 5), named: named(2, 4) };
    const parts = cutToSize(part, { kind: 'too-large', limit: 2, sure: true }, 'too large');
    expect(entriesOf(parts)).toEqual([[1, 3], [5], [2, 4]]);
    expect(parts.some((one) => one.named !== undefined)).toBe(false);
  });
});

describe('bisect', () => {
  it('halves rejected rows, and keeps a size that was learned', () => {
    expect(bisect({ rows: rows(1, 2, 3), splitSize: 3 }, 'bad')).toEqual([
      { rows: rows(1, 2), rejected: 'bad', splitSize: 3 },
      { rows: rows(3), rejected: 'bad', splitSize: 3 },
    ]);
  });

  it('puts rows that a message named wrongly back in their place', () => {
    expect(entriesOf(bisect({ rows: rows(1, 3, 4), named: named(2) }, 'bad'))).toEqual([
      [1, 2],
      [3, 4],
    ]);
  });
});

describe('maxBisectRequests', () => {
  it.each([
    [1, 4],
    [2, 8],
    [500, 40],
    [1000, 44],
  ])('allows a batch of %i rows %i requests', (size, requests) => {
    expect(maxBisectRequests(size)).toBe(requests);
  });
});
