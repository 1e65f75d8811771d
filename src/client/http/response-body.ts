import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EXIT } from '../../util/errors.ts';
import { ServiceError } from '../service-error.ts';

/** Default upper bound on a response held in memory, in decoded bytes. */
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** Upper bound on the body of an error response, in decoded bytes: enough for a message about each entry of a batch. */
export const MAX_ERROR_BYTES = 4 * 1024 * 1024;

/** Reads a decoded body as text. Throws ServiceError (`response-too-large`) beyond `maxBytes`. */
export async function readText(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  return decodeText(await readBytes(chunks, maxBytes));
}

/** Decodes UTF-8, with invalid bytes replaced and without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Reads a decoded body. Throws ServiceError (`response-too-large`) beyond `maxBytes`. */
export async function readBytes(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) throw responseTooLarge(maxBytes);
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}

/** Reads the start of a body, up to `maxBytes`, or as much as arrives before the connection is lost. */
export async function readPrefix(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      size += chunk.length;
      if (size >= maxBytes) break;
    }
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'aborted') throw error;
  }
  return decodeText(Buffer.concat(parts).subarray(0, maxBytes));
}

function responseTooLarge(maxBytes: number): ServiceError {
  const size = `${Math.floor(maxBytes / (1024 * 1024))} MiB`;
  return new ServiceError('response-too-large', EXIT.failure, `the response is larger than ${size}`, {
    kind: 'response-too-large',
    processed: 'maybe',
    hint: 'Request less at once. With -o ndjson or -o csv, findings list accepts a list of any size.',
  });
}

type Zlib = typeof import('node:zlib');

/** Value of the Accept-Encoding header: what `decodeContent` can decode. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/** Upper bound on nested encodings, against decompression bombs. */
const MAX_LAYERS = 3;

/** A body whose compression is corrupt, truncated, or unknown. */
export class ContentDecodingError extends Error {
  readonly problem: 'corrupt' | 'truncated' | 'unknown';

  constructor(problem: ContentDecodingError['problem'], message: string) {
    super(message);
    this.problem = problem;
  }
}

/**
 * Decodes the Content-Encoding of a body, in constant memory. Errors of the source pass through unchanged.
 *
 * @throws ContentDecodingError immediately for an unknown encoding, otherwise while the body is read
 */
export function decodeContent(source: AsyncIterable<Buffer>, contentEncoding: string): AsyncIterable<Buffer> {
  const layers = contentEncoding
    .split(',')
    .map((layer) => layer.trim().toLowerCase())
    .filter((layer) => layer !== '' && layer !== 'identity');
  const unknown = layers.find((layer) => !Object.hasOwn(DECODERS, layer));
  if (unknown !== undefined || layers.length > MAX_LAYERS) {
    throw new ContentDecodingError('unknown', `the encoding ${JSON.stringify(contentEncoding)} is unknown`);
  }
  return layers.reduceRight((body, layer) => decodeLayer(body, layer), source);
}

const DECODERS: Readonly<Record<string, (zlib: Zlib, firstByte: number) => Transform>> = {
  gzip: (zlib) => zlib.createGunzip(),
  'x-gzip': (zlib) => zlib.createGunzip(),
  br: (zlib) => zlib.createBrotliDecompress(),
  // Some servers send raw deflate, without the zlib header, whose low four bits are always 8.
  deflate: (zlib, firstByte) => ((firstByte & 0x0f) === 8 ? zlib.createInflate() : zlib.createInflateRaw()),
};

async function* decodeLayer(source: AsyncIterable<Buffer>, layer: string): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  // An empty body is empty in any encoding.
  const decoder = first.done ? undefined : DECODERS[layer]?.(await import('node:zlib'), first.value[0] ?? 0);
  if (first.done || !decoder) return;
  let failure: unknown;
  const feed = async function* () {
    try {
      for (let next: IteratorResult<Buffer> = first; !next.done; next = await chunks.next()) yield next.value;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  // A failure destroys the decoder, through which the reader gets it.
  pipeline(feed, decoder).catch(() => {});
  try {
    yield* decoder;
  } catch (error) {
    throw failure ?? decodeError(error);
  }
}

function decodeError(error: unknown): ContentDecodingError {
  const message = error instanceof Error ? error.message : String(error);
  const cut = message === 'unexpected end of file';
  return new ContentDecodingError(cut ? 'truncated' : 'corrupt', cut ? 'it was cut' : 'its compression is broken');
}
