import { describe, expect, it } from 'vitest';
import { repeatedKey } from '../../../src/util/json/repeated-key.ts';

describe('repeatedKey', () => {
  it.each<[string, string | undefined]>([
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":1}', 'a'],
    ['{"a":{"b":1},"b":[{"b":1},{"b":2}]}', undefined],
    ['[{"x":{"b":1, "b" :2}}]', 'b'],
    [String.raw`{"st\u0061tus":1,"status":2}`, 'status'],
    [String.raw`{"a\"}":1,"a":"a\":{","b":"\\"}`, undefined],
    ['{"__proto__":1,"constructor":2}', undefined],
    ['"a:b"', undefined],
  ])('finds in %s the key %j', (json, key) => {
    expect(repeatedKey(json)).toBe(key);
  });

  it('reads strings of many megabytes', () => {
    expect(repeatedKey(`{"a":"${'x'.repeat(2 ** 24)}","b":"${'\\n'.repeat(2 ** 23)}","a":1}`)).toBe('a');
  });
});
