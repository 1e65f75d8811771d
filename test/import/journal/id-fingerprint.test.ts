import { describe, expect, it } from 'vitest';
import { idFingerprint } from '../../../src/import/journal/id-fingerprint.ts';

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
