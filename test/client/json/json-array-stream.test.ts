import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ArrayElement,
  type ArrayStreamOptions,
  JsonArrayStream,
} from '../../../src/client/json/json-array-stream.ts';

const BOUNDS = { maxElementBytes: 1_000_000, maxDepth: 50 };

function split(
  text: string,
  size = 1_000_000,
  options: Partial<ArrayStreamOptions> = {},
): { elements: ArrayElement[]; splitter: JsonArrayStream } {
  const bytes = Buffer.from(text);
  const splitter = new JsonArrayStream({ ...BOUNDS, ...options });
  const buffer = Buffer.alloc(size);
  const elements: ArrayElement[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    // One buffer for all pieces: nothing may be kept of it.
    const length = bytes.copy(buffer, 0, at, Math.min(bytes.length, at + size));
    elements.push(...splitter.push(buffer.subarray(0, length)));
    buffer.fill(0x58);
  }
  splitter.end();
  return { elements, splitter };
}

function values(text: string, size?: number, options?: Partial<ArrayStreamOptions>): unknown[] {
  return split(text, size, options).elements.map((element) => JSON.parse(element.text));
}

function rejection(text: string, size?: number, options?: Partial<ArrayStreamOptions>): unknown {
  try {
    split(text, size, options);
  } catch (error) {
    const { name, message, line, offset } = error as { name: string; message: string; line: number; offset: number };
    return { name, message, line, offset };
  }
  throw new Error('not refused');
}

describe('elements', () => {
  test.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', [1]],
    ['[1,2.5e3 ,-3]', [1, 2500, -3]],
    ['[true,false,null]', [true, false, null]],
    ['["a,b]","\\"]","\\\\"]', ['a,b]', '"]', '\\']],
    ['[{},[],[[]]]', [{}, [], [[]]]],
    ['[{"a":"}","b":["]",{"c":"\\"}"}]},2]', [{ a: '}', b: [']', { c: '"}' }] }, 2]],
    ['["é監🎉","\\ud83c\\udf89"]', ['é監🎉', '🎉']],
    ['\ufeff[1]', [1]],
  ])('of %s', (text, expected) => {
    for (const size of [1, 2, 3, 1000]) expect(values(text, size)).toEqual(expected);
  });

  test('keep their texts to the letter', () => {
    const { elements } = split('[ {"b" : 1.0,\n "a":12345678901234567890} , 1e400 ]');
    expect(elements.map((element) => element.text)).toEqual(['{"b" : 1.0,\n "a":12345678901234567890}', '1e400']);
  });

  test('name the line on which they start: CR, LF and CRLF are one each', () => {
    for (const size of [1, 2, 1000]) {
      const { elements } = split('\r\n[1,\r2,\n{\r\n"a":\n1\r},\r\n\r\n3\n\r,4]', size);
      expect(elements.map((element) => element.line)).toEqual([2, 3, 4, 9, 11]);
    }
  });

  test('are those that JSON.parse finds, wherever the text is cut', () => {
    const property = fc.property(
      fc.array(fc.jsonValue({ stringUnit: 'binary' })),
      fc.constantFrom(undefined, 1, '\t', ' \r\n'),
      fc.integer({ min: 1, max: 40 }),
      (array, indent, size) => {
        const text = JSON.stringify(array, null, typeof indent === 'string' ? undefined : indent);
        const spaced =
          typeof indent === 'string' ? text.replace(/^\[|\]$/g, (mark) => `${indent}${mark}${indent}`) : text;
        expect(values(spaced, size)).toEqual(JSON.parse(text));
      },
    );
    fc.assert(property, { numRuns: 300 });
  });
});

describe('an object around them', () => {
  test('the key of a usual name, unless one is named', () => {
    const text = '{"count": 2, "page": {"items": [9]}, "data": [1, 2], "more": [3]}';
    for (const size of [1, 5, 1000]) {
      expect(values(text, size)).toEqual([1, 2]);
      expect(values(text, size, { key: 'more' })).toEqual([3]);
    }
  });

  test("is told: its array's key, other keys, and what is short under them", () => {
    const text = '{"count":2,"next":null,"ok":true,"m\\u0065ta":{"a":[1]},"data":[1],"cursor":"a\\"b"}';
    for (const size of [1, 7, 1000]) {
      const { envelope } = split(text, size).splitter;
      expect([envelope.top, envelope.arrayKey, envelope.keys]).toEqual([
        'object',
        'data',
        ['count', 'next', 'ok', 'meta', 'cursor'],
      ]);
      expect([...envelope.members]).toEqual([
        ['count', 2],
        ['next', null],
        ['ok', true],
        ['meta', { a: [1] }],
        ['cursor', 'a"b'],
      ]);
    }
  });

  test('keeps no more of it than a bound', () => {
    const many = Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join(',');
    const { envelope } = split(`{"long":"${'x'.repeat(5000)}",${many}}`, 64).splitter;
    expect(envelope.keys).toHaveLength(100);
    expect(envelope.members.has('long')).toBe(false);
    expect(envelope.members.size).toBe(99);
  });

  test.each([
    ['{"errors":[],"data":[{"id":1}]}', 'data', [{ id: 1 }]],
    ['{"errors":[{"code":7}],"warnings":["old"],"data":[{"id":1}]}', 'data', [{ id: 1 }]],
    ['{"tags":["a"],"hits":[{"id":1}]}', 'hits', [{ id: 1 }]],
    ['{"tags":[],"hits":[{"id":1},2]}', 'hits', [{ id: 1 }, 2]],
    ['{"hits":[],"count":0}', 'hits', []],
    ['{"data":["a",{"id":1}]}', 'data', ['a', { id: 1 }]],
    ['{"data":{"items":[{"id":1}],"total":1},"ok":true}', 'data.items', [{ id: 1 }]],
    ['{"meta":{"a":[{}]},"_embedded":{"findings":[1]}}', '_embedded.findings', [1]],
    ['{"data":{},"findings":[1]}', 'findings', [1]],
    ['{"response":{"data":{"result":{"hits":[{"id":1}]}}}}', 'response.data.result.hits', [{ id: 1 }]],
    ['{"data":{"items":[1]},"items":[2]}', 'data.items', [1]],
  ])('the list of %s is under %s', (text, key, elements) => {
    for (const size of [1, 3, 1000]) {
      expect(values(text, size)).toEqual(elements);
      expect(split(text, size).splitter.envelope.arrayKey).toBe(key);
    }
  });

  test.each([
    ['{"errors":[{"message":"no"}]}'],
    ['{"ids":["a","b"]}'],
    ['{"page":{"items":[{}]}}'],
    ['{"data":{"f_1":{"id":1}}}'],
  ])('%s holds none', (text) => {
    for (const size of [1, 1000]) {
      const { elements, splitter } = split(text, size);
      expect([elements, splitter.envelope.arrayKey]).toEqual([[], undefined]);
    }
  });

  test('is told by dotted keys within a wrapper', () => {
    const { envelope } = split('{"data":{"total":2,"items":[1],"next":"x"},"ok":true}').splitter;
    expect([...envelope.members]).toEqual([
      ['data.total', 2],
      ['data.next', 'x'],
      ['ok', true],
    ]);
  });

  test('names the other lists that might have been meant', () => {
    expect(split('{"tasks":[{}],"findings":[{}],"links":[{}]}').splitter.envelope).toMatchObject({
      arrayKey: 'tasks',
      otherLists: ['findings'],
    });
  });

  test('without an array has no elements', () => {
    const { elements, splitter } = split('{"message":"no"}');
    expect([elements, splitter.envelope.arrayKey]).toEqual([[], undefined]);
  });

  test('an array at the top has no key', () => {
    const { envelope } = split('[]').splitter;
    expect([envelope.top, envelope.arrayKey, envelope.keys]).toEqual(['array', undefined, []]);
  });
});

describe('what is not built right is refused, with line and offset', () => {
  test.each([
    ['', 'there is no JSON', 1, 0],
    [' \n ', 'there is no JSON', 2, 3],
    ['5', '"5" stands where [ or { is expected', 1, 0],
    ['[1 2]', '"2" stands where a comma or ] is expected', 1, 3],
    ['[1,]', '"]" stands where a value is expected', 1, 3],
    ['[,1]', '"," stands where a value or ] is expected', 1, 1],
    ['[1]\n]', '"]" stands where nothing more is expected', 2, 4],
    ['[1}', '"}" stands where a comma or ] is expected', 1, 2],
    ['[\n1', 'the JSON breaks off', 2, 3],
    ['["a', 'the JSON breaks off', 1, 3],
    ['{"data":[1]', 'the JSON breaks off', 1, 11],
    ['{"data":[1],}', '"}" stands where a key in quotes is expected', 1, 12],
    ['{data:[1]}', '"d" stands where a key in quotes or } is expected', 1, 1],
    ['{"data"[1]}', '"[" stands where a colon is expected', 1, 7],
    ['{"data":[1]"x":1}', '""" stands where a comma or } is expected', 1, 11],
    ['{"data":[1],"data":[2]}', 'the key "data" stands twice', 1, 19],
    ['{"a":nope}', '"nope" is not JSON', 1, 9],
    ['[\u00e9]', 'byte 0xc3 stands where a value or ] is expected', 1, 1],
  ])('%j', (text, message, line, offset) => {
    for (const size of [1, 1000])
      expect(rejection(text, size)).toEqual({ name: 'JsonStructureError', message, line, offset });
  });

  test('a named key without an array', () => {
    expect(rejection('{"data":{}}', 1000, { key: 'data' })).toMatchObject({ message: '"data" is not an array' });
  });
});

describe('bounds', () => {
  test('an element that is too long is refused before all of it is held', () => {
    const splitter = new JsonArrayStream({ maxElementBytes: 1000, maxDepth: 50 });
    splitter.push(Buffer.from('["'));
    expect(() => {
      for (let piece = 0; piece < 11; piece++) splitter.push(Buffer.alloc(100, 'x'));
    }).toThrow('a value is longer than 1000 bytes');
    expect(values(`["${'x'.repeat(998)}"]`, 7, { maxElementBytes: 1000 })).toHaveLength(1);
  });

  test('an element that is too deep is refused, without recursion', () => {
    expect(values('[[[1]]]', 2, { maxDepth: 2 })).toEqual([[[1]]]);
    expect(rejection('[[[1]]]', 2, { maxDepth: 1 })).toMatchObject({ message: 'a value is nested more than 1 deep' });
    expect(rejection(`[${'['.repeat(1_000_000)}`)).toMatchObject({ message: 'a value is nested more than 50 deep' });
    expect(rejection(`{"a":${'{"a":'.repeat(100_000)}`, 1000)).toMatchObject({
      message: 'a value is nested more than 50 deep',
    });
  });
});
