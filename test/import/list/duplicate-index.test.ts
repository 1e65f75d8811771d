import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DuplicateIndex, idFingerprint, RowBitmap } from '../../../src/import/list/duplicate-index.ts';

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

  it('distinguishes long ids by their last character', () => {
    const index = new DuplicateIndex();
    const id = `${'監'.repeat(341)}a`;
    expect([`${id}a`, `${id}b`, `${id}a`].map((text, at) => index.add(text, at + 1))).toEqual([
      undefined,
      undefined,
      1,
    ]);
  });

  it('returns the same lines as a map of ids to their first lines', () => {
    const ids = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\0', 'é', '🎉'), maxLength: 9 }), {
      maxLength: 200,
    });
    const property = fc.property(ids, (given) => {
      const index = new DuplicateIndex();
      const first = new Map<string, number>();
      const expected = given.map((id, at) => {
        const line = first.get(id);
        if (line === undefined) first.set(id, at + 1);
        return line;
      });
      expect(given.map((id, at) => index.add(id, at + 1))).toEqual(expected);
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe('idFingerprint', () => {
  it.each([
    ['x'.repeat(5_000), 0, 'd35ac0b2 505482a7 181bcfad e6ae481a'],
    ['', 0, '00000000 00000000 00000000 00000000'],
    ['usr_1', 0, '8474d0e6 1348e0cf 20e5efd6 5bd9cb75'],
    ['usr_1', 7, 'cb130eb4 98eada80 8f91382a 47740a34'],
    ['0123456789abcdef', 0, 'fb7d4409 36aed30a 48ad1d9b 572b3bfd'],
    ['0123456789abcdef', 1, '7e461b4e 18cc75b9 c7493938 f88f1c82'],
    ['ada.lovelace+соня🎉@lab.example.com', 0, 'c05829b9 83c67fc4 9f5a5d26 3725f5ec'],
  ])('is MurmurHash3 of %j with the seed %i, so that journals stay comparable', (text, seed, expected) => {
    const words = new Uint32Array(4);
    idFingerprint(text, seed, words);
    expect([...words].map((word) => word.toString(16).padStart(8, '0')).join(' ')).toBe(expected);
  });
});

describe('RowBitmap', () => {
  it('finds the invalid rows among many, and the first line of each duplicate id', () => {
    const rows = new RowBitmap();
    for (let entry = 1; entry <= 40_000; entry++)
      rows.add(entry % 1_000 === 0, entry % 7_000 === 3 ? entry - 1 : undefined);
    const entries = Array.from({ length: 40_002 }, (_, entry) => entry);
    expect(entries.filter((entry) => rows.isInvalid(entry))).toEqual(
      entries.filter((entry) => entry > 0 && entry <= 40_000 && (entry % 1_000 === 0 || entry % 7_000 === 3)),
    );
    expect(entries.flatMap((entry) => rows.firstLine(entry) ?? [])).toEqual([2, 7_002, 14_002, 21_002, 28_002, 35_002]);
    expect(rows.firstLine(7_003)).toBe(7_002);
    expect(rows).toMatchObject({ total: 40_000, invalid: 46 });
  });
});
