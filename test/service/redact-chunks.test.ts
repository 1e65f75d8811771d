import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { redactChunks } from '../../src/service/redact-chunks.ts';

const KEY = 'key+12/34';

async function redacted(bytes: Buffer, size: number): Promise<Buffer> {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return buffer(redactChunks(chunks(), KEY));
}

describe('a body in chunks', () => {
  it.each([1, 2, 5, 8, 9, 10, 26, 27, 28, 1000])('of %d bytes loses the key in any spelling', async (size) => {
    const body = Buffer.from(`{"echo":"${KEY}","url":"?k=key%2B12%2F34","again":"${KEY}${KEY}"} and the rest of it`);
    expect((await redacted(body, size)).toString()).toBe(
      '{"echo":"***","url":"?k=***","again":"******"} and the rest of it',
    );
  });

  it('is handed on at once where it does not end like the beginning of the key', async () => {
    let asked = 0;
    async function* chunks() {
      for (const text of ['one', 'two']) {
        asked++;
        yield Buffer.from(text);
      }
    }
    const body = redactChunks(chunks(), KEY);
    expect((await body.next()).value?.toString()).toBe('one');
    expect(asked).toBe(1);
  });

  it('keeps every other byte, whatever it is', async () => {
    const bytes = Buffer.from(Array.from({ length: 2048 }, (_, n) => n % 256));
    expect(await redacted(bytes, 100)).toEqual(bytes);
    expect(await redacted(Buffer.alloc(0), 1)).toEqual(Buffer.alloc(0));
  });
});
