import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Redact } from '../../output/redactor.ts';
import { systemErrorCode } from '../../util/errors.ts';
import { headerOf } from './headers.ts';
import { type ServiceError, serviceFailure } from './service-error.ts';
import type { IncomingHeaders } from './transport.ts';

type Zlib = typeof import('node:zlib');

const DECODERS: ReadonlyMap<string, (zlib: Zlib) => Transform & { bytesWritten: number }> = new Map([
  ['gzip', (zlib) => zlib.createGunzip()],
  ['br', (zlib) => zlib.createBrotliDecompress()],
]);

/** The Accept-Encoding header of requests. */
export const ACCEPTED_ENCODINGS = [...DECODERS.keys()].join(', ');

/** The codes of errors in gzip data, and in Brotli data. */
const DECODER_ERROR = /^(?:Z_|ERR_(?:BROTLI)?_)/;

/**
 * Decompresses a body according to its Content-Encoding, in constant memory. Errors of the source pass through unchanged.
 *
 * @throws ServiceError if the encoding is not one of `ACCEPTED_ENCODINGS`, or the body is damaged or incomplete
 */
export async function* decodeContent(
  source: AsyncIterable<Buffer>,
  headers: IncomingHeaders,
  redact: Redact,
): AsyncGenerator<Buffer> {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return yield* source;
  const createDecoder = DECODERS.get(encoding);
  if (createDecoder === undefined) throw unknownEncoding(redact(encoding).slice(0, 200));
  const decoder = createDecoder(await import('node:zlib'));
  // An error of the source destroys the decoder, and reaches the reader that way.
  pipeline(source, decoder).catch(() => {});
  try {
    yield* decoder;
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    if (!DECODER_ERROR.test(code)) throw error;
    const isCut = code === 'Z_BUF_ERROR';
    // An empty body is empty in any encoding.
    if (!isCut || decoder.bytesWritten > 0) throw damagedBody(isCut);
  }
}

function unknownEncoding(encoding: string): ServiceError {
  return decodingError(
    'invalid-response',
    `the encoding ${JSON.stringify(encoding)} is unknown`,
    'The service or a proxy used a compression that orgadm did not request.',
  );
}

function damagedBody(isCut: boolean): ServiceError {
  const hint = 'Try again. If the error persists, a proxy may be corrupting the responses.';
  return isCut
    ? decodingError('interrupted', 'it was cut', hint)
    : decodingError('invalid-response', 'its compression is broken', hint);
}

function decodingError(kind: 'interrupted' | 'invalid-response', problem: string, hint: string): ServiceError {
  return serviceFailure(kind, `cannot decompress the response: ${problem}`, { processed: 'maybe', hint });
}
