import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/service-error.ts';
import type { PendingRow } from '../../../src/import/send/send-batch.ts';
import {
  bisect,
  cutToSize,
  maxBisectRequests,
  namedAlone,
  removeLargest,
} from '../../../src/import/send/split-batch.ts';

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
  it('cuts rows to the size in the message, and remembers it', () => {
    const parts = cutToSize({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'too-large', limit: 2, sure: true }, 'at most 2');
    expect(parts).toEqual([
      { rows: rows(1, 2), splitSize: 2 },
      { rows: rows(3, 4), splitSize: 2 },
      { rows: rows(5), splitSize: 2 },
    ]);
  });

  it('keeps the message of a request that may have been too large', () => {
    expect(cutToSize({ rows: rows(1) }, { kind: 'too-large', limit: 1, sure: false }, 'at most 1')).toEqual([
      { rows: rows(1), splitSize: 1, rejected: 'at most 1' },
    ]);
  });

  it('halves rows if the message has no size', () => {
    const parts = cutToSize({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'too-large', limit: undefined, sure: true }, '');
    expect(entriesOf(parts)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('sends rows that a message named separately, because that message is not proven', () => {
    const part = { rows: rows(1, 3, 5), named: named(2, 4) };
    const parts = cutToSize(part, { kind: 'too-large', limit: 2, sure: true }, 'too large');
    expect(entriesOf(parts)).toEqual([[1, 3], [5], [2, 4]]);
    expect(parts.some((one) => one.named !== undefined)).toBe(false);
  });
});

describe('bisect', () => {
  it('halves rejected rows, and keeps the size they were cut to', () => {
    expect(bisect({ rows: rows(1, 2, 3), splitSize: 3 }, 'bad')).toEqual([
      { rows: rows(1, 2), rejected: 'bad', splitSize: 3 },
      { rows: rows(3), rejected: 'bad', splitSize: 3 },
    ]);
  });

  it('puts rows that a message wrongly named back in their places', () => {
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

describe('namedAlone', () => {
  it('sends the rows that a message named together, with the message that rejected them', () => {
    const error = new ServiceError('rejected', 1, 'rejected', {
      kind: 'rejected',
      processed: 'no',
      messages: ['role is missing'],
    });
    expect(namedAlone(named(2, 4), error)).toEqual({ rows: rows(2, 4), rejected: 'role is missing' });
  });
});

describe('removeLargest', () => {
  it('removes the last of the parts with the most rows', () => {
    const parts = [{ rows: rows(1, 2) }, { rows: rows(3, 4) }, { rows: rows(5) }];
    expect(removeLargest(parts)).toEqual({ rows: rows(3, 4) });
    expect(entriesOf(parts)).toEqual([[1, 2], [5]]);
  });

  it('returns nothing if no part is left', () => {
    expect(removeLargest([])).toBeUndefined();
  });
});
