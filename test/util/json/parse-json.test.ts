import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/util/json/parse-json.ts';

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
    ['{"12345678901234567890":12345678901234567890}', { '12345678901234567890': '12345678901234567890' }],
    ['["a\\"9007199254740993",9007199254740993]', ['a"9007199254740993', '9007199254740993']],
    ['[1e999, 2]', ['1e999', 2]],
  ])('keeps each digit of %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['1234567890123456000', 1_234_567_890_123_456_000],
    ['[0.1,-0,1e15,1000000000000000]', [0.1, -0, 1e15, 1e15]],
    ['"9007199254740993"', '9007199254740993'],
  ])('leaves %s as it is', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each(['', '{"a":1', '[1,]', '01234567890123456789', '{12345678901234567890:1}'])('rejects %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('accepts 64 levels and rejects more, also next to a long number', () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(() => parseJson(nested(64))).not.toThrow();
    expect(() => parseJson(nested(65))).toThrow('it has more than 64 levels');
    expect(() => parseJson(`[12345678901234567890,${nested(64)}]`)).toThrow('it has more than 64 levels');
    expect(() => parseJson(nested(1_000_000))).toThrow('it has more than 64 levels');
    expect(parseJson(`["${'['.repeat(300)}"]`)).toEqual(['['.repeat(300)]);
  });
});
