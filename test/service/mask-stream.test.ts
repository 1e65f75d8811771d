import { describe, expect, test } from 'vitest';
import { maskStream } from '../../src/service/mask-stream.ts';

const SECRET = 'sec+ret/"1"';

async function mask(pieces: readonly Buffer[]): Promise<string> {
  const source = async function* () {
    yield* pieces;
  };
  const parts: Buffer[] = [];
  for await (const part of maskStream(source(), SECRET)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('a secret in a stream', () => {
  test.each<[string, string, string]>([
    ['as it is', `a ${SECRET} b ${SECRET}`, 'a *** b ***'],
    ['in JSON', '{"a":"sec+ret/\\"1\\""}', '{"a":"***"}'],
    ['in JSON with escaped slashes', '{"a":"sec+ret\\/\\"1\\""}', '{"a":"***"}'],
    ['in a URL', '?k=sec%2Bret%2F%221%22&b', '?k=***&b'],
    ['nowhere', 'sec+ret sec+ret/"2" sec', 'sec+ret sec+ret/"2" sec'],
    ['beside its own start', `sec+${SECRET}`, 'sec+***'],
    ['between characters of several bytes', `é${SECRET}🔑`, 'é***🔑'],
  ])('%s', async (_name, text, masked) => {
    const bytes = Buffer.from(text);
    expect(await mask([bytes])).toBe(masked);
    expect(await mask([...bytes].map((byte) => Buffer.of(byte)))).toBe(masked);
    for (let at = 1; at < bytes.length; at++) {
      expect(await mask([bytes.subarray(0, at), bytes.subarray(at)])).toBe(masked);
    }
  });

  test('holds back only what may be its start', async () => {
    const seen: string[] = [];
    const source = async function* () {
      yield Buffer.from('[1,2,se');
      seen.push('asked for more');
      yield Buffer.from('ven]');
    };
    for await (const part of maskStream(source(), 'secret')) seen.push(part.toString());
    expect(seen).toEqual(['[1,2,', 'asked for more', 'seven]']);
  });
});
