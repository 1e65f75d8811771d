import fc from 'fast-check';

/**
 * Any character, including half of a surrogate pair; every other one is ASCII. The unit `binary` of fast-check takes seconds to
 * build a table of all characters.
 */
export const ANY_CHARACTER = fc
  .oneof(fc.integer({ min: 0, max: 0x7f }), fc.integer({ min: 0, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
