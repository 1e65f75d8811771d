import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { CanonicalObjects } from '../../../src/client/json/printed-objects.ts';

let objects = new CanonicalObjects();
beforeEach(() => {
  objects = new CanonicalObjects();
});

function end(text: string, from = 0): number {
  return objects.end(Buffer.from(text), from);
}

describe('an object that stands as it would be printed', () => {
  test.each([
    ['{}'],
    ['{"a":1}'],
    ['{"a":[],"b":{},"c":[[{}],{"a":[null,true,false]}]}'],
    ['{"a":0,"b":-1,"c":999999999999999,"d":0.5,"e":-12.25,"f":1e+21,"g":1e-7,"h":1234567890123456000}'],
    ['{"":"","_id":"x","a1":"y","key with spaces, and : { } [ ]":"a , : { } [ ] b"}'],
    ['{"a":"\\"\\\\\\b\\f\\n\\r\\t","b":"x\\"","c":"\\\\"}'],
    ['{"a":{"id":1},"b":{"id":1},"id":1}'],
    ['{"a":"é監🎉 “quoted” – £ µ Ø"}'],
    [`${'{"a":'.repeat(32)}1${'}'.repeat(32)}`],
  ])('%.60s', (text) => {
    expect(end(text)).toBe(Buffer.byteLength(text));
    expect(end(`[7,${text},{"next":1}]`, 3)).toBe(3 + Buffer.byteLength(text));
  });
});

describe('an object that is printed otherwise, or might be, is left alone', () => {
  test.each([
    ['white space', '{"a": 1}'],
    ['white space at the end', '{"a":1 }'],
    ['a key twice', '{"a":1,"b":2,"a":3}'],
    ['a key twice within', '{"x":[{"abcdefgh":1,"abcdefgh":2}]}'],
    ['keys that objects put first', '{"b":1,"1":2}'],
    ['the prototype key', '{"__proto__":1}'],
    ['an escaped key', '{"\\u0061":1}'],
    ['a long way to write a character', '{"a":"\\u0061"}'],
    ['an escaped slash', '{"a":"\\/"}'],
    ['minus zero', '{"a":-0}'],
    ['a needless fraction', '{"a":1.0}'],
    ['a needless exponent', '{"a":1e3}'],
    ['more digits than a number has', '{"a":9007199254740993}'],
    ['a number beyond the range', '{"a":1e999}'],
    ['DEL', '{"a":"\u007f"}'],
    ['C1', '{"a":"\u009b"}'],
    ['an Arabic letter mark', '{"a":"\u061c"}'],
    ['a mark of direction', '{"a":"\u200f"}'],
    ['an embedding', '{"a":"\u202e"}'],
    ['a line separator', '{"a":"\u2028"}'],
    ['an isolate', '{"a":"\u2066"}'],
    ['a byte order mark', '{"a":"\ufeff"}'],
    ['a surrogate alone', '{"a":"\\ud800"}'],
    ['deep nesting', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
    ['no object', '[1]'],
  ])('%s', (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(end(text)).toBe(-1);
  });

  test.each([
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":"',
    '{"a":"x',
    '{"a":"\\',
    '{"a":nul',
    '{"a":[',
    '{"a":[1,',
    '{"a":1,',
    '{"a":-',
  ])('cut: %s', (text) => expect(end(text)).toBe(-1));

  test.each([
    '{"a":01}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":[1,]}',
    '{"a":[,1]}',
    '{"a"1}',
    '{"a":1]',
    '{"a":[1}}',
    '{a:1}',
    "{'a':1}",
    '{"a":nule}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":Infinity}',
    '{"a":"\n"}',
    '{"a":"\\x"}',
    '{"a":}',
    '{"a":1"b":2}',
  ])('no JSON: %j', (text) => expect(end(text)).toBe(-1));

  test('bytes that are no UTF-8', () => {
    for (const wrong of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(wrong), Buffer.from('"}')]);
      expect(objects.end(bytes, 0)).toBe(-1);
    }
  });

  test('more keys than are worth it', () => {
    const keys = Array.from({ length: 600 }, (_, index) => `"k${index}":0`);
    expect(end(`{${keys.slice(0, 100)}}`)).toBeGreaterThan(0);
    expect(end(`{${keys}}`)).toBe(-1);
  });
});

test('any byte in a string is taken for what it is, wherever it stands', () => {
  const kept = /^[\x20-\x7e]$/;
  for (let code = 0; code < 256; code++) {
    const character = String.fromCharCode(code);
    for (let before = 0; before < 9; before++) {
      const text = `{"a":"${'x'.repeat(before)}${character}yyyyyyyy"}`;
      const isKept = (kept.test(character) && character !== '"' && character !== '\\') || code >= 0xa0;
      expect(end(text) > 0, `${code} after ${before}`).toBe(isKept);
    }
  }
});

test('members of the names are read, also where they change from object to object', () => {
  const watching = new CanonicalObjects(['task', 'task.id']);
  const excerptOf = (text: string): unknown => {
    expect(watching.end(Buffer.from(text), 0)).toBe(Buffer.byteLength(text));
    return watching.excerpt();
  };
  expect(excerptOf('{"id":1,"task":{"id":"x","task":2},"other":{"task":3}}')).toEqual({ task: { id: 'x', task: 2 } });
  expect(excerptOf('{"id":2,"task":{"id":"x","task":2}}')).toEqual({ task: { id: 'x', task: 2 } });
  expect(excerptOf('{"task.id":null,"tasks":1,"atask":1}')).toEqual({ 'task.id': null });
  expect(excerptOf('{"task":"é","task.id":7}')).toEqual({ task: 'é', 'task.id': 7 });
  expect(excerptOf('{"other":{"task":3}}')).toEqual({});
  expect(excerptOf('{}')).toEqual({});
});

test('numbers are looked at each time, also those that stood there before', () => {
  const text = (number: string) => `{"a":${number}}`;
  for (const [number, isPrinted] of [
    ['0.5', true],
    ['0.50', false],
    ['0.50', false],
    ['0.5', true],
    ['7', true],
    ['1e3', false],
    ['null', true],
    ['1e+21', true],
  ] as const) {
    expect(end(text(number)) > 0, number).toBe(isPrinted);
  }
});

test('arrays of one kind may be of any length', () => {
  for (const array of [
    '["a"]',
    '["a","b",null,7]',
    '[{"x":1},{"x":null}]',
    '[]',
    '[[1],[2,3]]',
    '[{"x":1},7]',
    '[0.5]',
  ]) {
    const text = `{"a":${array}}`;
    expect(end(text), text).toBe(array === '[0.5]' ? -1 : text.length);
  }
});

test('an object is found wherever the list is cut, among others of other shapes', () => {
  const texts = Array.from({ length: 3_000 }, (_, at) => {
    const owner = at % 3 === 0 ? null : { id: `é${at}`, tags: ['x'.repeat(at % 50)] };
    return JSON.stringify(at % 2 === 0 ? { at, owner } : { owner, at });
  });
  const bytes = Buffer.from(`[${texts.join(',')}]`);
  let from = 1;
  for (const text of texts) {
    const found = objects.end(bytes, from);
    expect(bytes.toString('utf8', from, found)).toBe(text);
    from = found + 1;
  }
});

test('what it finds is what would be printed', () => {
  const key = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'b', '1', '__proto__', '_x', 'id', 'ids'));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue({ stringUnit: 'binary' }),
      fc
        .constantFrom('-0', '1.50', '1e5', '12345678901234567', '"\\u0041"', '"\\n"', 'tru', '')
        .map((raw) => ({ raw })),
      tie('object'),
    ),
    object: fc.array(fc.tuple(key, tie('any')), { maxLength: 6 }).map((members) => ({ members })),
  }));
  let printed = 0;
  const property = fc.property(value.object, fc.nat(3), (object, from) => {
    const text = write(object);
    const bytes = Buffer.from(`${'['.repeat(from)}${text}]`);
    // It must come to the same when it knows the shape.
    const fresh = new CanonicalObjects();
    const found = fresh.end(bytes, from);
    expect(fresh.end(Buffer.from(bytes), from)).toBe(found);
    if (found < 0) return;
    printed++;
    expect(bytes.toString('utf8', from, found)).toBe(text);
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(text).not.toMatch(/[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|__proto__/);
  });
  fc.assert(property, { numRuns: 3000 });
  expect(printed).toBeGreaterThan(300);
});

test('what it takes for another object of a known shape is what would be printed too', () => {
  const value = fc.oneof(
    fc.constantFrom(0, -5, 1.5, 1e21, true, null, '', 'é', 'a"b', 'x'.repeat(40)),
    fc.array(fc.nat(3)),
  );
  const object = fc.record({ a: value, b: fc.option(fc.record({ c: value })), d: fc.array(fc.record({ e: value })) });
  const marks = fc.constantFrom(
    '"',
    ',',
    '}',
    '{',
    ']',
    '[',
    ':',
    '\\',
    ' ',
    '0',
    '1',
    '.',
    'e',
    '-',
    '\u2028',
    'é',
    '',
  );
  let printed = 0;
  const property = fc.property(object, object, fc.option(fc.tuple(fc.nat(), marks)), (known, other, harm) => {
    const fresh = new CanonicalObjects(['b']);
    fresh.end(Buffer.from(JSON.stringify(known)), 0);
    const whole = [...JSON.stringify(other)];
    if (harm !== null) whole[harm[0] % whole.length] = harm[1];
    const bytes = Buffer.from(whole.join(''));
    const found = fresh.end(bytes, 0);
    if (found < 0) return;
    printed++;
    const text = bytes.toString('utf8', 0, found);
    expect(JSON.stringify(JSON.parse(text))).toBe(text);
    expect(text).not.toContain('\u2028');
    expect(fresh.excerpt()).toEqual('b' in JSON.parse(text) ? { b: JSON.parse(text).b } : {});
  });
  fc.assert(property, { numRuns: 3000 });
  expect(printed).toBeGreaterThan(300);
});

/** JSON text of members in order, the same key perhaps twice, and of what is no JSON. */
function write(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('raw' in value) return String(value.raw);
  if (!('members' in value) || !Array.isArray(value.members)) return JSON.stringify(value);
  return `{${value.members.map(([key, member]: [string, unknown]) => `${JSON.stringify(key)}:${write(member)}`).join(',')}}`;
}
