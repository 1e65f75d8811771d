import { describe, expect, it } from 'vitest';
import { renderJson, renderJsonLine, renderJsonText, writeJsonArray } from '../../src/output/json.ts';

describe('JSON output', () => {
  it('is indented by two spaces, and has every field and a line end', () => {
    expect(renderJson({ id: 'a', nested: { list: [1, null] } })).toBe(
      '{\n  "id": "a",\n  "nested": {\n    "list": [\n      1,\n      null\n    ]\n  }\n}\n',
    );
    expect(renderJson(undefined)).toBe('null\n');
  });

  it('is indented as a part of a larger document', () => {
    expect(renderJsonText({ a: ['x\ny'] }, 4)).toBe('{\n      "a": [\n        "x\\ny"\n      ]\n    }');
    expect(renderJsonText(undefined, 4)).toBe('null');
  });

  it('has no line break inside a line of ndjson', () => {
    expect(renderJsonLine({ text: 'a\nb\u2028c\u009b' })).toBe('{"text":"a\\nb\\u2028c\\u009b"}\n');
  });
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
    ['an empty array', [], '[]\n'],
    ['one element', [1], '[\n  1\n]\n'],
    [
      'objects',
      [{ a: 1 }, { b: ['x\ny'] }],
      '[\n  {\n    "a": 1\n  },\n  {\n    "b": [\n      "x\\ny"\n    ]\n  }\n]\n',
    ],
    ['undefined and null', [undefined, null], '[\n  null,\n  null\n]\n'],
    ['a control character', ['\u009b'], '[\n  "\\u009b"\n]\n'],
  ])('writes %s', async (_name, values, document) => {
    const to = target();
    expect(await writeJsonArray(values, to)).toBe(values.length);
    expect(to.parts.join('')).toBe(document);
  });

  it('accepts an async source', async () => {
    async function* source() {
      yield 1;
      yield 2;
    }
    const to = target();
    expect(await writeJsonArray(source(), to)).toBe(2);
    expect(to.parts.join('')).toBe('[\n  1,\n  2\n]\n');
  });

  it('writes nothing if the source fails early', async () => {
    async function* source() {
      yield { id: 1 };
      throw new Error('cut off');
    }
    const to = target();
    await expect(writeJsonArray(source(), to)).rejects.toThrow('cut off');
    expect(to.parts).toEqual([]);
  });

  it('writes long arrays piece by piece', async () => {
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

  it('ends its source if the reader closes the stream', async () => {
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
