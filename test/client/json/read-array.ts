import {
  JsonArrayReader,
  type JsonArrayReaderOptions,
  type JsonElement,
} from '../../../src/client/json/json-stream.ts';

const BOUNDS = { maxElementBytes: 1_000_000, maxDepth: 50 };

/** Reads a JSON array that arrives in pieces of `size` bytes. */
export function read(text: string | Buffer, size = 1_000_000, options: Partial<JsonArrayReaderOptions> = {}) {
  const bytes = Buffer.from(text);
  const reader = new JsonArrayReader({ ...BOUNDS, ...options });
  const elements: JsonElement[] = [];
  for (let at = 0; at < bytes.length; at += size) reader.push(Buffer.from(bytes.subarray(at, at + size)), elements);
  reader.end();
  return { elements, reader, locator: reader.locator };
}

/** Returns the parsed elements of a JSON array that arrives in pieces of `size` bytes. */
export function values(text: string | Buffer, size?: number, options?: Partial<JsonArrayReaderOptions>): unknown[] {
  return read(text, size, options).elements.map(({ bytes }) => JSON.parse(bytes.toString()));
}
