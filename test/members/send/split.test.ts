import { describe, expect, it } from 'vitest';
import type { SendRow } from '../../../src/members/send/attempt.ts';
import { splitBudget } from '../../../src/members/send/limits.ts';
import { split } from '../../../src/members/send/split.ts';

function rows(...entries: number[]): SendRow[] {
  return entries.map((entry) => ({ entry, line: entry + 1, value: { userId: `usr_${entry}`, role: 'member' } }));
}

function entriesOf(groups: readonly { rows: readonly SendRow[] }[]): number[][] {
  return groups.map((group) => group.rows.map(({ entry }) => entry));
}

describe('split', () => {
  it('cuts to the size that the words name, and remembers it', () => {
    const groups = split(
      { rows: rows(1, 2, 3, 4, 5) },
      { kind: 'too-large', limit: 2, words: 'at most 2', sure: true },
    );
    expect(entriesOf(groups)).toEqual([[1, 2], [3, 4], [5]]);
    expect(groups.map(({ cut, refused }) => ({ cut, refused }))).toEqual(Array(3).fill({ cut: 2, refused: undefined }));
  });

  it('halves what is too large where no size is named', () => {
    expect(
      entriesOf(split({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'too-large', limit: undefined, words: '', sure: true })),
    ).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);
  });

  it('sends the rows that are not named first, the named ones by themselves', () => {
    const groups = split({ rows: rows(1, 2, 3, 4, 5) }, { kind: 'refused', named: [1, 3], words: 'bad' });
    expect(entriesOf(groups)).toEqual([
      [1, 3, 5],
      [2, 4],
    ]);
    expect(groups.every(({ refused }) => refused === 'bad')).toBe(true);
  });

  it.each([{ named: [] }, { named: [0, 1, 2] }])('halves a refused group where $named are named', ({ named }) => {
    expect(entriesOf(split({ rows: rows(1, 2, 3) }, { kind: 'refused', named, words: 'bad' }))).toEqual([[1, 2], [3]]);
  });

  it('keeps a learnt size through a refusal', () => {
    const groups = split({ rows: rows(1, 2), cut: 2 }, { kind: 'refused', named: [], words: 'bad' });
    expect(groups.map(({ cut }) => cut)).toEqual([2, 2]);
  });
});

describe('splitBudget', () => {
  it.each([
    [1, 4],
    [2, 8],
    [500, 40],
    [1000, 44],
  ])('allows for a batch of %i rows %i requests', (size, requests) => {
    expect(splitBudget(size)).toBe(requests);
  });
});
