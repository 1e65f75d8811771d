import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonScanError, ListScanner, type ListScannerOptions } from '../../../src/util/json/list-scanner.ts';
import { ANY_CHARACTER } from '../../helpers/any-character.ts';
import { randomCases } from '../../helpers/fixed-seed.ts';

type Options = Partial<ListScannerOptions>;

/** Scans text that arrives in pieces of `size` bytes. */
function scan(text: string | Buffer, size = 1_000_000, options: Options = {}) {
  const bytes = Buffer.from(text);
  const scanner = new ListScanner({ maxElementBytes: 1_000_000, ...options });
  const elements = [];
  for (let at = 0; at < bytes.length; at += size) elements.push(...scanner.push(bytes.subarray(at, at + size)));
  elements.push(...scanner.end());
  return { elements, scanner };
}

function valuesOf(text: string | Buffer, size?: number, options?: Options): unknown[] {
  return scan(text, size, options).elements.map(({ bytes }) => JSON.parse(bytes.toString()));
}

function errorOf(text: string, size?: number, options?: Options): string {
  try {
    scan(text, size, options);
  } catch (error) {
    if (error instanceof JsonScanError) return `line ${error.line}: ${error.message}`;
    throw error;
  }
  throw new Error('the text was accepted');
}

const SIZES = [1, 2, 3, 7, 1000];

describe('the elements of an array', () => {
  it('equal those that JSON.parse returns, wherever the text is cut', () => {
    const property = fc.property(
      fc.array(fc.jsonValue({ stringUnit: ANY_CHARACTER })),
      fc.constantFrom(undefined, 1),
      fc.constantFrom('@', ' \r\n@\n', '\ufeff@', '{"count":2,"data":@}', '{"data":{"a":"]","items" : @},"x":[1]}'),
      fc.integer({ min: 1, max: 40 }),
      (array, indent, envelope, size) => {
        const text = envelope.replace('@', () => JSON.stringify(array, null, indent));
        // Unlike a string in JavaScript, UTF-8 cannot hold half of a surrogate pair.
        const expected: unknown = JSON.parse(Buffer.from(JSON.stringify(array)).toString());
        expect(valuesOf(text, size)).toEqual(expected);
      },
    );
    fc.assert(property, { numRuns: randomCases(500) });
  });

  it('keep their bytes and have the line on which they start', () => {
    const text = '[\n {"b" : 1.0,\n "a":12345678901234567890}\r\n, 1e400,"\\"]"\n\n,"é"]';
    for (const size of SIZES) {
      const { elements } = scan(text, size);
      expect(elements.map(({ bytes, line }) => [line, bytes.toString()])).toEqual([
        [2, '{"b" : 1.0,\n "a":12345678901234567890}'],
        [4, '1e400'],
        [4, '"\\"]"'],
        [6, '"é"'],
      ]);
    }
  });

  it('are returned as soon as their text is complete', () => {
    const scanner = new ListScanner({ maxElementBytes: 100 });
    const textsOf = (text: string) => Array.from(scanner.push(Buffer.from(text)), ({ bytes }) => bytes.toString());
    expect(textsOf('[{"a"')).toEqual([]);
    expect(textsOf(':1},{"a":2},{"b":"\\')).toEqual(['{"a":1}', '{"a":2}']);
    expect(textsOf('""}')).toEqual(['{"b":"\\""}']);
  });

  it('are returned up to the place where the text is not valid', () => {
    const elements = new ListScanner({ maxElementBytes: 100 }).push(Buffer.from('[{"a":1}, 2 x]'));
    expect(elements.next().value?.bytes.toString()).toBe('{"a":1}');
    expect(elements.next().value?.bytes.toString()).toBe('2');
    expect(() => elements.next()).toThrow('expected a comma or ], found "x"');
  });

  it('are left to JSON.parse, which may reject them', () => {
    expect(scan('[{"a" 1},{nope}]').elements.map(({ bytes }) => bytes.toString())).toEqual(['{"a" 1}', '{nope}']);
  });
});

describe('the list', () => {
  it.each([
    ['[1]', '', [1]],
    ['{"members":[1]}', 'members', [1]],
    ['{"Resources":[1],"totalResults":1}', 'Resources', [1]],
    ['{"meta":{"items":[9]},"crew":[{"a":8}],"data":[1,2]}', 'data', [1, 2]],
    ['{"errors":[{"code":7}],"findings":[{"id":1}]}', 'findings', [{ id: 1 }]],
    ['{"d\\u0061ta":{"items":[1]},"items":[2]}', 'data.items', [1]],
    ['{"_embedded":{"users":[]}}', '_embedded.users', []],
    ['{"data":{},"value":["a"]}', 'value', ['a']],
  ])('of %s is the array under %j', (text, path, values) => {
    for (const size of SIZES) {
      expect(valuesOf(text, size)).toEqual(values);
      expect(scan(text, size).scanner.listPath).toBe(path);
    }
  });

  it.each(['', ' \n', 'null', '5', '{}', '{"crew":[{"a":1}]}', '{"data":{"f_1":{"id":1}}}'])(
    'is not found in %j',
    (text) => {
      for (const size of SIZES) {
        const { elements, scanner } = scan(text, size);
        expect([elements, scanner.listPath]).toEqual([[], undefined]);
      }
    },
  );

  it.each([
    ['{"a":{"b.c":[1],"d":[2]},"data":[3]}', ['a', 'd'], [2]],
    ['{"a":{"b.c":[1],"d":[2]},"data":[3]}', ['a', 'b', 'c'], [1]],
    ['{"orgs":{"acme":{"crew":[7]}}}', ['orgs', 'acme', 'crew'], [7]],
  ])('of %s is under %j if records says so', (text, records, values) => {
    for (const size of SIZES) expect(valuesOf(text, size, { records })).toEqual(values);
  });

  it('is not under another path than records says', () => {
    const { elements, scanner } = scan('{"data":[1],"a":{"b":{}}}', 9, { records: ['a', 'b'] });
    expect([elements, scanner.listPath]).toEqual([[], undefined]);
    expect(scan('[1]', 9, { records: ['a'] }).scanner.members).toEqual([
      { path: '', type: 'array', document: 1, text: '[1]' },
    ]);
  });

  it('continues in the next text', () => {
    expect(valuesOf('[1]\n[2]\ufeff[3]')).toEqual([1, 2, 3]);
    expect(valuesOf('{"users":[1],"next":2}{"users":[2]}')).toEqual([1, 2]);
    expect(scan('{"users":[1]}{"users":[2]}').scanner.documents).toBe(2);
  });

  it('consists of the values themselves if they follow one another', () => {
    const text = '{"a":1}{"data":[2]}\r\n\n 3 "x" [4]\ntrue';
    for (const size of SIZES) {
      const { elements } = scan(text, size, { shape: 'values' });
      expect(elements.map(({ bytes, line }) => [line, JSON.parse(bytes.toString())])).toEqual([
        [1, { a: 1 }],
        [1, { data: [2] }],
        [3, 3],
        [3, 'x'],
        [3, [4]],
        [4, true],
      ]);
    }
  });
});

it('returns text that is not a value as an element, which JSON.parse rejects', () => {
  for (const size of SIZES) {
    const texts = scan('\u000b1 nope \u0000\n{}', size, { shape: 'values' }).elements.map(({ bytes }) =>
      bytes.toString(),
    );
    expect(texts).toEqual(['\u000b1', 'nope', '\u0000', '{}']);
  }
});

describe('the values next to the list', () => {
  it('have their path, type and text', () => {
    const text = '{"count": 2,"m\\u0065ta":{"a":[1]},"data":{"next":null,"items":[1],"other":[ 2 ]},"data":[3]}';
    for (const size of SIZES) {
      expect(scan(text, size).scanner.members).toEqual([
        { path: 'count', type: 'scalar', document: 1, text: '2' },
        { path: 'meta', type: 'object', document: 1, text: '{"a":[1]}' },
        { path: 'data', type: 'object', document: 1, text: undefined, isSearched: true },
        { path: 'data.next', type: 'scalar', document: 1, text: 'null' },
        { path: 'data.other', type: 'array', document: 1, text: '[ 2 ]' },
        { path: 'data', type: 'array', document: 1, text: '[3]' },
      ]);
    }
  });

  it.each([{}, { records: ['data'] }])('include a list whose key is repeated, with the options %j', (options) => {
    const { elements, scanner } = scan('{"data":[1],"data":[2]}', 5, options);
    expect(elements).toHaveLength(1);
    expect(scanner.members).toEqual([{ path: 'data', type: 'array', document: 1, text: '[2]' }]);
  });

  it('have no text if they are longer than 1,000 bytes', () => {
    const text = `{"a":"${'x'.repeat(998)}","b":"${'x'.repeat(999)}","data":[]}`;
    for (const size of [1, 100, 5000])
      expect(scan(text, size).scanner.members.map((member) => member.text?.length)).toEqual([1000, undefined]);
  });

  it('are at most 1,000', () => {
    const many = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
    expect(scan(many(1_000)).scanner.members).toHaveLength(1_000);
    expect(errorOf(many(1_001))).toBe('line 1: there are more than 1000 values next to the list');
  });
});

describe('text that is not JSON around the elements', () => {
  it.each([
    ['[\n1 2]', 'line 2: expected a comma or ], found "2"'],
    ['[1,\n]', 'line 2: there is a comma too many before "]"'],
    ['[,1]', 'line 1: expected a value or ], found ","'],
    ['[1}', 'line 1: expected a comma or ], found "}"'],
    ['[1],[2]', 'line 1: there is a comma too many between values'],
    ['{"data" "x"}', 'line 1: expected a colon, found a string'],
    ['[\n1', 'line 2: the JSON ends too early'],
    ['["a', 'line 1: the JSON ends too early'],
    ['[{"a":1]', 'line 1: the JSON ends too early'],
    ['{"data":[1]', 'line 1: the JSON ends too early'],
    ['{"data":[1],}', 'line 1: there is a comma too many before "}"'],
    ['{data:[1]}', 'line 1: expected a key in quotes or }, found "d"'],
    ['{"data":}', 'line 1: expected a value, found "}"'],
    ['{"data":[1]"x":1}', 'line 1: expected a comma or }, found a string'],
    ['{"data":[1],\n"a":tru}', 'line 2: "tru" is not JSON'],
    ['{"\\x":1}', 'line 1: "\\"\\\\x\\"" is not JSON'],
    ['[1 é]', 'line 1: expected a comma or ], found byte 0xc3'],
  ])('is rejected with its line, wherever it is cut: %j', (text, message) => {
    for (const size of SIZES) expect(errorOf(text, size)).toBe(message);
  });
});

describe('the limits of an element', () => {
  it('are 64 levels, without recursion', () => {
    const nested = (levels: number) => `[${'['.repeat(levels)}${']'.repeat(levels)}]`;
    expect(valuesOf(nested(64))).toHaveLength(1);
    expect(errorOf(nested(65))).toBe('line 1: a value has more than 64 levels');
    expect(errorOf(`[${'{"a":'.repeat(1_000_000)}`)).toBe('line 1: a value has more than 64 levels');
    const wrapped = (levels: number) => `${'{"data":'.repeat(levels)}[1]${'}'.repeat(levels)}`;
    expect(valuesOf(wrapped(64))).toEqual([1]);
    expect(scan(wrapped(65)).scanner.listPath).toBeUndefined();
  });

  it('include its size, before all of it is held', () => {
    const scanner = new ListScanner({ maxElementBytes: 1000 });
    const push = (text: string) => Array.from(scanner.push(Buffer.from(text)));
    push('[1,\n"');
    expect(() => {
      for (let piece = 0; piece < 11; piece++) push('x'.repeat(100));
    }).toThrow('a value is longer than 1000 bytes');
    for (const size of SIZES) {
      expect(valuesOf(`["${'x'.repeat(998)}"]`, size, { maxElementBytes: 1000 })).toHaveLength(1);
      expect(errorOf(`["${'x'.repeat(999)}"]`, size, { maxElementBytes: 1000 })).toBe(
        'line 1: a value is longer than 1000 bytes',
      );
    }
  });

  it('do not apply to an array that is not the list', () => {
    const text = `{"crew":[${'1'.repeat(5000)}],"data":[1]}`;
    for (const size of SIZES) expect(valuesOf(text, size, { maxElementBytes: 1000 })).toEqual([1]);
  });
});
