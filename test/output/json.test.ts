import { describe, expect, it } from 'vitest';
import { renderJson, renderJsonLine, renderJsonText, writeJsonArray } from '../../src/output/json.ts';

it('a document is indented by two spaces, keeps every field and ends its line', () => {
  expect(renderJson({ id: 'a', nested: { list: [1, null] } })).toBe(
    '{\n  "id": "a",\n  "nested": {\n    "list": [\n      1,\n      null\n    ]\n  }\n}\n',
  );
  expect(renderJson(undefined)).toBe('null\n');
});

it('a value inside a larger document continues at its indent', () => {
  expect(renderJsonText({ a: ['x\ny'] }, 4)).toBe('{\n      "a": [\n        "x\\ny"\n      ]\n    }');
  expect(renderJsonText(undefined, 4)).toBe('null');
});

it('a line has no line break inside', () => {
  expect(renderJsonLine({ text: 'a\nb\u2028c\u009b' })).toBe('{"text":"a\\nb\\u2028c\\u009b"}\n');
});

function target() {
  const parts: string[] = [];
  return {
    parts,
    closed: false,
    async write(text: string) {
      parts.push(text);
    },
    isClosed() {
      return this.closed;
    },
  };
}

describe('writeJsonArray', () => {
  it.each<[string, unknown[], string]>([
    ['none', [], '[]\n'],
    ['one', [1], '[\n  1\n]\n'],
    [
      'objects',
      [{ a: 1 }, { b: ['x\ny'] }],
      '[\n  {\n    "a": 1\n  },\n  {\n    "b": [\n      "x\\ny"\n    ]\n  }\n]\n',
    ],
    ['nothing and null', [undefined, null], '[\n  null,\n  null\n]\n'],
    ['a control character', ['\u009b'], '[\n  "\\u009b"\n]\n'],
  ])('%s', async (_name, values, document) => {
    const to = target();
    expect(await writeJsonArray(values, to)).toBe(values.length);
    expect(to.parts.join('')).toBe(document);
  });

  it('takes an async source', async () => {
    async function* source() {
      yield 1;
      yield 2;
    }
    const to = target();
    expect(await writeJsonArray(source(), to)).toBe(2);
    expect(to.parts.join('')).toBe('[\n  1,\n  2\n]\n');
  });

  it('writes nothing when the source fails early', async () => {
    async function* source() {
      yield { id: 1 };
      throw new Error('cut off');
    }
    const to = target();
    await expect(writeJsonArray(source(), to)).rejects.toThrow('cut off');
    expect(to.parts).toEqual([]);
  });

  it('writes as it goes when there is much', async () => {
    let most = 0;
    const to = target();
    function* source() {
      for (let at = 0; at < 1000; at++) {
        yield 'x'.repeat(1000);
        const written = to.parts.reduce((sum, part) => sum + part.length, 0);
        most = Math.max(most, at * 1000 - written);
      }
    }
    await writeJsonArray(source(), to);
    expect(most).toBeLessThan(70_000);
    expect(JSON.parse(to.parts.join(''))).toHaveLength(1000);
  });

  it('ends its source when the reader goes away', async () => {
    const to = target();
    let ended = false;
    async function* source() {
      try {
        for (let at = 0; ; at++) {
          if (at === 3) to.closed = true;
          yield at;
        }
      } finally {
        ended = true;
      }
    }
    await writeJsonArray(source(), to);
    expect(ended).toBe(true);
  });
});
