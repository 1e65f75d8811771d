import { describe, expect, it } from 'vitest';
import { writeJson } from '../../src/output/json-writer.ts';

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

async function documentOf(value: unknown): Promise<string> {
  const to = target();
  await writeJson(value, to);
  return to.parts.join('');
}

async function* inGroups(...groups: unknown[][]) {
  yield* groups;
}

describe('writeJson', () => {
  it.each<[string, unknown]>([
    ['an empty array', []],
    ['objects', [{ a: 1 }, { b: ['x\ny'] }]],
    ['many values', Array.from({ length: 250 }, (_, at) => at)],
    ['null', null],
    ['text', 'x'],
    ['an object', { id: 'a', nested: { list: [1, null] }, absent: undefined }],
  ])('writes %s like JSON.stringify', async (_name, value) => {
    expect(await documentOf(value)).toBe(`${JSON.stringify(value, null, 2)}\n`);
  });

  it('escapes hidden characters, also in the names of members', async () => {
    expect(await documentOf(['\u009b'])).toBe('[\n  "\\u009b"\n]\n');
    expect(await documentOf({ '\u009b': inGroups() })).toBe('{\n  "\\u009b": []\n}\n');
  });

  it('writes values that arrive in groups as one array', async () => {
    expect(await documentOf(inGroups([1, 2], [], [3]))).toBe('[\n  1,\n  2,\n  3\n]\n');
    expect(await documentOf(inGroups())).toBe('[]\n');
  });

  it('writes a member that arrives in groups between the others', async () => {
    const value = { count: 2, rows: inGroups([{ a: 1 }], [{ a: 2 }]), absent: undefined, end: [true] };
    expect(await documentOf(value)).toBe(
      `${JSON.stringify({ count: 2, rows: [{ a: 1 }, { a: 2 }], end: [true] }, null, 2)}\n`,
    );
  });

  it('writes nothing if the source fails early', async () => {
    async function* source() {
      yield [{ id: 1 }];
      throw new Error('cut off');
    }
    const to = target();
    await expect(writeJson(source(), to)).rejects.toThrow('cut off');
    expect(to.parts).toEqual([]);
  });

  it('writes long arrays piece by piece', async () => {
    let most = 0;
    const to = target();
    async function* source() {
      for (let at = 0; at < 1000; at++) {
        yield ['x'.repeat(1000)];
        const written = to.parts.reduce((sum, part) => sum + part.length, 0);
        most = Math.max(most, at * 1000 - written);
      }
    }
    await writeJson(source(), to);
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
          yield [at];
        }
      } finally {
        ended = true;
      }
    }
    await writeJson(source(), to);
    expect(ended).toBe(true);
  });
});
