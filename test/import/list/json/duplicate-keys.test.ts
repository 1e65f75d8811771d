import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDuplicateKey } from '../../../../src/import/list/json/duplicate-keys.ts';

describe('the search for a duplicate key', () => {
  it.each([
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"a":1,"\\u0061":3}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":"x:y","b":{"a":1,"a":2}}', 'b.a'],
    ['{"b":{"c":[1,{"d":1},{"x":"}","d":2,"d":3}]}}', 'b.c.d'],
    ['{"a":{"b":1},"c":{"b":2},"d":[{"b":1},{"b":2}]}', undefined],
    ['{"a":":::"}', undefined],
    ['{"a":"\\":\\"a\\":"}', undefined],
  ])('finds it at any depth, if there is one, in %s', (text, path) => {
    expect(findDuplicateKey(text, JSON.parse(text))).toBe(path);
  });

  it('finds none in what JSON.stringify writes', () => {
    const unit = fc.constantFrom('a', '"', '\\', '\n', '{', '}', '[', ']', ':', ',', '🎉', '\ud800');
    const property = fc.property(fc.jsonValue({ stringUnit: unit }), fc.constantFrom(undefined, 2), (value, indent) => {
      expect(findDuplicateKey(JSON.stringify(value, null, indent), value)).toBeUndefined();
    });
    fc.assert(property, { numRuns: 200 });
  });
});
