import { describe, expect, it } from 'vitest';
import { JsonArrayReader, type JsonArrayReaderOptions } from '../../../src/client/json/json-stream.ts';
import { JsonStructureError } from '../../../src/client/json/list-locator.ts';
import { read, values } from './read-array.ts';

function rejection(text: string, size?: number, options?: Partial<JsonArrayReaderOptions>): string {
  try {
    read(text, size, options);
  } catch (error) {
    if (error instanceof JsonStructureError) return error.message;
    throw error;
  }
  throw new Error('not rejected');
}

describe('elements of a JSON array', () => {
  it.each([
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
  ])('are read from %s', (text, expected) => {
    for (const size of [1, 2, 3, 1000]) expect(values(text, size)).toEqual(expected);
  });

  it('keep their bytes', () => {
    const { elements } = read('[ {"b" : 1.0,\n "a":12345678901234567890} , 1e400 ]');
    expect(elements.map(({ bytes }) => bytes.toString())).toEqual(['{"b" : 1.0,\n "a":12345678901234567890}', '1e400']);
  });
});

describe('a response without a list', () => {
  it.each(['', ' \r\n\t', 'null', ' null\n', '\ufeff', '\ufeff null '])('is empty if it is %j', (text) => {
    for (const size of [1, 2, 1000]) {
      const { elements, reader } = read(text, size);
      expect([elements, reader.top]).toEqual([[], text.includes('null') ? 'null' : undefined]);
    }
  });

  it('is empty if it is white space in several pieces', () => {
    const { elements, reader } = read(' '.repeat(5_000), 1000);
    expect([elements, reader.top]).toEqual([[], undefined]);
  });
});

describe('an object that holds the array', () => {
  it('uses the key of a usual name', () => {
    const text = '{"count": 2, "page": {"items": [9]}, "data": [1, 2], "more": [3]}';
    for (const size of [1, 5, 1000]) expect(values(text, size)).toEqual([1, 2]);
  });

  it("reports the array's key, and short values next to it", () => {
    const text = '{"count":2,"next":null,"ok":true,"m\\u0065ta":{"a":[1]},"data":[1],"cursor":"a\\"b"}';
    for (const size of [1, 7, 1000]) {
      const { reader, locator } = read(text, size);
      expect([reader.top, locator.listKey]).toEqual(['object', 'data']);
      expect([...locator.members]).toEqual([
        ['count', 2],
        ['next', null],
        ['ok', true],
        ['meta', { a: [1] }],
        ['cursor', 'a"b'],
      ]);
    }
  });

  it('keeps a bounded number of values, which are not long', () => {
    const many = Array.from({ length: 500 }, (_, index) => `"k${index}":${index}`).join(',');
    const { locator } = read(`{"long":"${'x'.repeat(5000)}",${many}}`, 64);
    expect(locator.members.get('long')).toBe('…');
    expect(locator.members.size).toBe(100);
  });

  it.each([
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
  ])('finds the list of %s under %s', (text, key, elements) => {
    for (const size of [1, 3, 1000]) {
      expect(values(text, size)).toEqual(elements);
      expect(read(text, size).locator.listKey).toBe(key);
    }
  });

  it.each([
    ['{"errors":[{"message":"no"}]}'],
    ['{"ids":["a","b"]}'],
    ['{"page":{"items":[{}]}}'],
    ['{"data":{"f_1":{"id":1}}}'],
  ])('finds no list in %s', (text) => {
    for (const size of [1, 1000]) {
      const { elements, locator } = read(text, size);
      expect([elements, locator.listKey]).toEqual([[], undefined]);
    }
  });

  it('reports dotted keys within a wrapper', () => {
    const { locator } = read('{"data":{"total":2,"items":[1],"next":"x"},"ok":true}');
    expect([...locator.members]).toEqual([
      ['data.total', 2],
      ['data.next', 'x'],
      ['ok', true],
    ]);
  });

  it('reports other lists that may be the right one', () => {
    expect(read('{"tasks":[{}],"findings":[{}],"links":[{}]}').locator).toMatchObject({
      listKey: 'tasks',
      otherLists: ['findings'],
    });
  });

  it('has no elements if there is no array', () => {
    const { elements, locator } = read('{"message":"no"}');
    expect([elements, locator.listKey]).toEqual([[], undefined]);
  });

  it('reports no key for a top-level array', () => {
    const { reader, locator } = read('[]');
    expect([reader.top, locator.listKey]).toEqual(['array', undefined]);
  });
});

describe('malformed JSON', () => {
  it.each([
    ['5', 'expected [ or {, found "5"'],
    ['[1 2]', 'expected a comma or ], found "2"'],
    ['[1,]', 'expected a value, found "]"'],
    ['[,1]', 'expected a value or ], found ","'],
    ['[1]\n]', 'expected nothing more, found "]"'],
    ['[1}', 'expected a comma or ], found "}"'],
    ['[\n1', 'the JSON ends too early'],
    ['["a', 'the JSON ends too early'],
    ['{"data":[1]', 'the JSON ends too early'],
    ['{"data":[1],}', 'expected a key in quotes, found "}"'],
    ['{data:[1]}', 'expected a key in quotes or }, found "d"'],
    ['{"data"[1]}', 'expected a colon, found "["'],
    ['{"data":[1]"x":1}', 'expected a comma or }, found """'],
    ['{"data":[1],"data":[2]}', 'the key "data" appears twice'],
    ['{"a":nope}', 'expected valid JSON, found "o"'],
    ['nul', 'the JSON ends too early'],
    ['nulL', 'expected valid JSON, found "L"'],
    ['null []', 'expected nothing more, found "["'],
    ['\ufeff5', 'expected [ or {, found "5"'],
    ['\u000bnull', 'expected [ or {, found byte 0x0b'],
    ['["\\u12', 'the JSON ends too early'],
    ['["\\u12"]', 'expected valid JSON, found """'],
    ['[\u00e9]', 'expected a value or ], found byte 0xc3'],
  ])('rejects %j, wherever it is cut', (text, message) => {
    for (const size of [1, 2, 3, 1000]) expect(rejection(text, size)).toBe(message);
  });
});

describe('limits', () => {
  it('rejects an element that is too long before all of it is held', () => {
    const reader = new JsonArrayReader({ maxElementBytes: 1000, maxDepth: 50 });
    reader.push(Buffer.from('["'), []);
    expect(() => {
      for (let piece = 0; piece < 11; piece++) reader.push(Buffer.alloc(100, 'x'), []);
    }).toThrow('a value is longer than 1000 bytes');
    expect(values(`["${'x'.repeat(998)}"]`, 7, { maxElementBytes: 1000 })).toHaveLength(1);
  });

  it('rejects an element that is nested too deep, without recursion', () => {
    expect(values('[[[1]]]', 2, { maxDepth: 2 })).toEqual([[[1]]]);
    expect(rejection('[[[1]]]', 2, { maxDepth: 1 })).toBe('a value is nested more than 1 levels deep');
    expect(rejection(`[${'['.repeat(1_000_000)}`)).toBe('a value is nested more than 50 levels deep');
    expect(rejection(`{"a":${'{"a":'.repeat(100_000)}`, 1000)).toBe('a value is nested more than 50 levels deep');
  });
});

describe('the excerpt of an element', () => {
  const members = ['id', 'task.id', 'é', 'a"b'];
  const excerptsOf = (text: string, size: number) =>
    read(text, size, { members }).elements.map(({ excerpt }) => excerpt);

  it.each([
    ['[{"id":1,"x":{"id":2},"task.id":[{"id":3}]}]', ['{"id":1,"task.id":[{"id":3}]}']],
    ['[{"i\\u0064" : "x" , "é":null}]', ['{"i\\u0064" : "x","é":null}']],
    ['[{"a\\"b":1.0}, {"x":1}, 7, "id", ["id", 1], {}]', ['{"a\\"b":1.0}', '{}', '{}', '{}', '{}', '{}']],
  ])('has the named members of %s', (text, excerpts) => {
    for (const size of [1, 3, 1000]) expect(excerptsOf(text, size)).toEqual(excerpts);
  });
});
