import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectMembers } from '../../../../src/import/list/json/json-elements.ts';
import { findDuplicateKey } from '../../../../src/import/list/json/json-row-parser.ts';

describe('the reader of the members of an object', () => {
  it('finds members at their positions', () => {
    const text = ' { "a" : 1.0 , "b\\"" :\n{"c":[1,"}"]} ,"a":"x, y" } ';
    expect(objectMembers(text).map(({ key, start, end }) => [key, text.slice(start, end)])).toEqual([
      ['a', '"a" : 1.0'],
      ['b"', '"b\\"" :\n{"c":[1,"}"]}'],
      ['a', '"a":"x, y"'],
    ]);
    expect(objectMembers(' { } ')).toEqual([]);
  });

  it('finds the same members as JSON.parse', () => {
    const unit = fc.constantFrom(
      'a',
      '"',
      '\\',
      '\n',
      ' ',
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      'é',
      '🎉',
      '\ud800',
      '__proto__',
    );
    const object = fc.dictionary(fc.string({ unit }), fc.jsonValue({ stringUnit: unit }));
    const property = fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const members = objectMembers(text);
      const found = JSON.parse(`[${members.map(({ start, end }) => `{${text.slice(start, end)}}`).join(',')}]`);
      expect(found).toEqual(
        Object.entries(JSON.parse(text)).map(([key, member]) =>
          JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(member)}}`),
        ),
      );
      expect(members.map(({ key }) => key)).toEqual(Object.keys(value));
      expect(findDuplicateKey(text, Object.keys(value))).toBeUndefined();
    });
    fc.assert(property, { numRuns: 100 });
  });
});

describe('the search for a duplicate key', () => {
  it.each([
    ['{"a":1,"b":2,"a":3}', 'a'],
    ['{"a":1,"\\u0061":3}', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":"x:y","b":{"a":1,"a":2}}', undefined],
    ['{"a":":::"}', undefined],
  ])('finds it, if there is one, in %s', (text, key) => {
    expect(findDuplicateKey(text, Object.keys(JSON.parse(text)))).toBe(key);
  });
});
