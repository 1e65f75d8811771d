import { describe, expect, it } from 'vitest';
import { DuplicateIndex } from '../../../src/import/list/rows/duplicate-index.ts';

describe('DuplicateIndex', () => {
  it('returns the line on which an ID was first seen', () => {
    const index = new DuplicateIndex();
    expect(index.add('usr_1', 2)).toBeUndefined();
    expect(index.add('usr_2', 3)).toBeUndefined();
    expect(index.add('usr_1', 4)).toBe(2);
    expect(index.add('usr_1', 5)).toBe(2);
    expect(index.add('Usr_1', 6)).toBeUndefined();
    expect(index.add('Зоя 👩', 7)).toBeUndefined();
    expect(index.add('Зоя 👩', 8)).toBe(7);
  });

  it('distinguishes 200,000 IDs that look alike, and finds each of them again', () => {
    const index = new DuplicateIndex();
    const ids = Array.from({ length: 200_000 }, (_, at) => `6f1c2a9e-4b1d-8f00-${String(at).padStart(12, '0')}`);
    expect(ids.filter((id, at) => index.add(id, at + 1) !== undefined)).toEqual([]);
    expect(ids.filter((id, at) => index.add(id, 1) !== at + 1)).toEqual([]);
  });
});
