import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DuplicateIndex } from '../../../src/import/list/duplicate-index.ts';

describe('DuplicateIndex', () => {
  it('finds each id again among 300,000 similar ones', () => {
    const index = new DuplicateIndex();
    let mistaken = 0;
    for (let line = 1; line <= 300_000; line++) if (index.add(`user-${line}`, line) !== undefined) mistaken++;
    expect(mistaken).toBe(0);
    for (const line of [1, 2, 4095, 4096, 150_000, 300_000]) expect(index.add(`user-${line}`, 999_999)).toBe(line);
    expect(index.add('user-300001', 7)).toBeUndefined();
    expect(index.add('user-300001', 8)).toBe(7);
  });

  it('returns the same lines as a map of ids to their first lines', () => {
    const ids = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '🎉'), maxLength: 9 }), {
      maxLength: 200,
    });
    const property = fc.property(ids, (given) => {
      const index = new DuplicateIndex();
      const first = new Map<string, number>();
      for (const [at, id] of given.entries()) {
        expect(index.add(id, at + 1)).toBe(first.get(id));
        if (!first.has(id)) first.set(id, at + 1);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});
