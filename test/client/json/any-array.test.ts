import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonStructureError } from '../../../src/client/json/list-locator.ts';
import { read, values } from './read-array.ts';

describe('the validation of a JSON array', () => {
  const token = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"a":1', '{}', '[]', '1', '-', '0', '01', '1.5', '.5', '2e', 'E+3'],
    ...[
      'true',
      'nul',
      'null',
      'false',
      '\\',
      '"\\u00e9"',
      '"\\x"',
      '"\\',
      ' ',
      '\n',
      '\r',
      '\t',
      '\f',
      '\u00a0',
      'é',
      '\u0000',
      '\u007f',
    ],
  );

  function outcome(text: string, cuts: number): unknown {
    try {
      return values(text, cuts);
    } catch (error) {
      if (error instanceof JsonStructureError) return 'not JSON';
      throw error;
    }
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      return 'not JSON';
    }
  }

  it('accepts exactly the arrays that JSON.parse accepts', () => {
    let accepted = 0;
    const property = fc.property(fc.array(token, { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (tokens, size) => {
      const text = `[${tokens.join('')}]`;
      const expected = parsed(text);
      expect(outcome(text, size)).toEqual(expected);
      if (Array.isArray(expected)) accepted++;
    });
    fc.assert(property, { numRuns: 20_000 });
    expect(accepted).toBeGreaterThan(300);
  });

  it('accepts exactly the mutations of a document that JSON.parse accepts', () => {
    const mutation = fc.tuple(fc.nat(), fc.nat(3), token);
    const document = fc.array(fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 }), { minLength: 1, maxLength: 4 });
    const property = fc.property(
      document,
      fc.constantFrom(undefined, 1),
      fc.array(mutation, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 1, max: 40 }),
      (value, indent, mutations, size) => {
        let inner = JSON.stringify(value, null, indent).slice(1, -1);
        for (const [at, removed, added] of mutations) {
          const index = at % (inner.length + 1);
          inner = inner.slice(0, index) + added + inner.slice(index + removed);
        }
        const text = Buffer.from(`[${inner}]`).toString();
        expect(outcome(text, size)).toEqual(parsed(text));
      },
    );
    fc.assert(property, { numRuns: 5_000 });
  });

  it('reads any bytes within strings, as Node decodes them', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 20 }), fc.integer({ min: 1, max: 5 }), (raw, size) => {
      const inner = raw.filter((byte) => byte >= 0x20 && byte !== 0x22 && byte !== 0x5c);
      const bytes = Buffer.concat([Buffer.from('["'), inner, Buffer.from('"]')]);
      expect(values(bytes, size)).toEqual(JSON.parse(bytes.toString()));
      expect(read(bytes, size).elements[0]?.isPlain).toBe(inner.every((byte) => byte < 0x7f));
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe('elements of a JSON array', () => {
  it('equal those that JSON.parse returns, wherever the text is cut', () => {
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

  it('have an excerpt that parses to the named members of what JSON.parse returns', () => {
    const members = ['id', 'task.id', 'é', 'a"b'];
    const key = fc.oneof(fc.constantFrom(...members, 'ix', 'other'), fc.string({ unit: 'binary', maxLength: 4 }));
    const object = fc.dictionary(key, fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }), { noNullPrototype: true });
    const property = fc.property(fc.array(object), fc.integer({ min: 1, max: 30 }), (objects, size) => {
      const named = (value: object) =>
        Object.fromEntries(Object.entries(value).filter(([name]) => members.includes(name)));
      const text = JSON.stringify(objects);
      expect(read(text, size, { members }).elements.map(({ excerpt }) => JSON.parse(excerpt))).toEqual(
        (JSON.parse(text) as object[]).map(named),
      );
    });
    fc.assert(property, { numRuns: 500 });
  });
});
