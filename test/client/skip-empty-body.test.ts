import { expect, test } from 'vitest';
import { skipEmptyBody } from '../../src/client/list-findings.ts';

async function left(...texts: string[]): Promise<string> {
  async function* chunks() {
    for (const text of texts) yield Buffer.from(text);
  }
  let text = '';
  for await (const chunk of skipEmptyBody(chunks())) text += chunk.toString();
  return text;
}

test.each([
  [[]],
  [['']],
  [['null']],
  [['n', 'ull']],
  [[' \r', '\n\t']],
  [['\ufeff', 'null', '\n']],
  [['  nul', 'l', ' ']],
])('%j is nothing', async (texts) => {
  expect(await left(...texts)).toBe('');
});

test('half a byte order mark may become nothing', async () => {
  const mark = Buffer.from('\ufeffnull');
  async function* bytes() {
    for (const byte of mark) yield Buffer.from([byte]);
  }
  for await (const _ of skipEmptyBody(bytes())) expect.unreachable();
});

test.each([
  [['[]']],
  [['null', '[]']],
  [['null', ' ', 'x']],
  [['nul']],
  [['\u000bnull']],
  [['[', '{"id":1}', ']']],
  [[' '.repeat(5_000)]],
])('%j is something, and comes through whole', async (texts) => {
  expect(await left(...texts)).toBe(texts.join(''));
});
