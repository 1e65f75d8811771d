import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DuplicateIndex, idFingerprint } from '../../../src/import/list/duplicate-index.ts';

function words(text: string): number[] {
  const out = new Uint32Array(4);
  idFingerprint(text, 1, out);
  return [...out];
}

describe('the index of ids', () => {
  test('finds each id again, among 300,000 that are nearly alike', () => {
    const index = new DuplicateIndex();
    let mistaken = 0;
    for (let line = 1; line <= 300_000; line++) if (index.add(`user-${line}`, line) !== undefined) mistaken++;
    expect(mistaken).toBe(0);
    for (const line of [1, 2, 4095, 4096, 150_000, 300_000]) expect(index.add(`user-${line}`, 999_999)).toBe(line);
    expect(index.add('user-300001', 7)).toBeUndefined();
    expect(index.add('user-300001', 8)).toBe(7);
  });

  test('does as a map of the first lines does', () => {
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

test('the fingerprint turns about half of its bits when one character changes', () => {
  let flipped = 0;
  for (let at = 0; at < 36; at++) {
    const id = '0b5f1c7e-6a43-4a0c-9d52-3f8be1a70c11';
    const other = id.slice(0, at) + String.fromCharCode(id.charCodeAt(at) ^ 1) + id.slice(at + 1);
    const [a, b] = [words(id), words(other)];
    flipped += a.reduce((bits, word, index) => bits + bitsOf(word ^ (b[index] ?? 0)), 0);
  }
  expect(flipped / 36).toBeGreaterThan(58);
  expect(flipped / 36).toBeLessThan(70);
});

test('zeros at the end tell ids apart', () => {
  expect(words('a')).not.toEqual(words('a\0'));
  expect(words('')).not.toEqual(words('\0'));
});

function bitsOf(word: number): number {
  return (word >>> 0).toString(2).replaceAll('0', '').length;
}
