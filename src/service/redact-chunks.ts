import { createRedact, keySpellings } from './trace.ts';

/**
 * A body of any size with the API key masked, also where it stands across two chunks. Held back is only what may be
 * the beginning of the key.
 */
export async function* redactChunks(chunks: AsyncIterable<Buffer>, apiKey: string): AsyncGenerator<Buffer> {
  const redact = createRedact(apiKey);
  const spellings = keySpellings(apiKey);
  let rest = '';
  for await (const chunk of chunks) {
    // Every byte is one character of latin1, so that nothing but the key changes.
    const text = redact(rest + chunk.toString('latin1'));
    const end = text.length - Math.max(...spellings.map((spelling) => overlap(text, spelling)));
    rest = text.slice(end);
    if (end > 0) yield Buffer.from(text.slice(0, end), 'latin1');
  }
  if (rest !== '') yield Buffer.from(rest, 'latin1');
}

/** How many characters at the end of `text` are the beginning of `spelling`. */
function overlap(text: string, spelling: string): number {
  for (let length = spelling.length - 1; length > 0; length--) {
    if (text.endsWith(spelling.slice(0, length))) return length;
  }
  return 0;
}
