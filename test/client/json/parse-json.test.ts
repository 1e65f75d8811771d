import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/client/json/parse-json.ts';
import { ServiceError } from '../../../src/client/service-error.ts';

describe('parseJson', () => {
  it('reads what JSON.parse reads', () => {
    expect(parseJson(' {"a":[1,-2.5,1e3,true,null,"x\\"\\\\"],"b":{}} ')).toEqual({
      a: [1, -2.5, 1000, true, null, 'x"\\'],
      b: {},
    });
  });

  it.each([
    ['9007199254740993', '9007199254740993'],
    ['[1,-12345678901234567890]', [1, '-12345678901234567890']],
    ['{"id":123456789012345678901234567890,"n":1}', { id: '123456789012345678901234567890', n: 1 }],
    ['1e999', '1e999'],
  ])('loses no digit of %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    ['999999999999999', 999_999_999_999_999],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1234567890123456000', 1_234_567_890_123_456_000],
    ['0.10000000000000001', 0.1],
    ['"9007199254740993"', '9007199254740993'],
    ['["a\\"9007199254740993"]', ['a"9007199254740993']],
    ['["\\\\",9007199254740991]', ['\\', 9_007_199_254_740_991]],
  ])('leaves %s as it is', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    '{"__proto__":{"admin":true},"a":1}',
    '{"\\u005f_proto__":{"admin":true},"a":1}',
    '{"__\\u0070roto__":{"admin":true},"a":1}',
  ])('drops the prototype key of %s', (text) => {
    const value = parseJson(text) as Record<string, unknown>;
    expect(Object.getOwnPropertyNames(value)).toEqual(['a']);
    expect(value.admin).toBeUndefined();
  });

  it.each([
    ['', 'empty'],
    ['{"a":1', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['[1,]', 'not valid JSON'],
    ['"cut', 'not valid JSON'],
    ['01234567890123456789', 'not valid JSON'],
    ['{12345678901234567890:1}', 'not valid JSON'],
    ['[12345678901234567890x]', 'not valid JSON'],
    ['--12345678901234567890', 'not valid JSON'],
  ])('rejects %j', (text, expectedMessage) => {
    expect(() => parseJson(text)).toThrow(ServiceError);
    expect(() => parseJson(text)).toThrow(expectedMessage);
  });

  it.each([
    ['257 nested arrays', `${'['.repeat(257)}${']'.repeat(257)}`],
    ['100,000 nested arrays that are cut off', '['.repeat(100_000)],
    ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('rejects %s', (_name, text) => {
    expect(() => parseJson(text)).toThrow(ServiceError);
    expect(() => parseJson(text)).toThrow('256 levels');
  });

  it('accepts 256 levels of nesting, and does not count brackets in strings', () => {
    expect(() => parseJson(`${'['.repeat(256)}${']'.repeat(256)}`)).not.toThrow();
    expect(parseJson(`["${'['.repeat(300)}"]`)).toEqual(['['.repeat(300)]);
  });
});
