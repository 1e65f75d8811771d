import { pipeline } from 'node:stream/promises';
import { systemErrorCode } from '../../util/errors.ts';
import { headerOf } from './headers.ts';
import { serviceFailure } from './service-error.ts';
import type { IncomingHeaders } from './transport.ts';

/** The Accept-Encoding header of requests. */
export const ACCEPTED_ENCODING = 'gzip';

/**
 * Decompresses a body according to its Content-Encoding, in constant memory. Errors of the source pass through unchanged.
 *
 * @throws ServiceError if the encoding is not `ACCEPTED_ENCODING`, or the body is damaged or incomplete
 */
export async function* decodeContent(source: AsyncIterable<Buffer>, headers: IncomingHeaders): AsyncGenerator<Buffer> {
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return yield* source;
  // RFC 9110: x-gzip is the same.
  if (encoding !== ACCEPTED_ENCODING && encoding !== `x-${ACCEPTED_ENCODING}`) {
    const name = JSON.stringify(encoding.slice(0, 200));
    const hint = 'The service or a proxy used a compression that orgadm did not request.';
    const message = `cannot decompress the response: the encoding ${name} is unknown`;
    throw serviceFailure('invalid-response', message, { processed: 'maybe', hint });
  }
  const { createGunzip } = await import('node:zlib');
  const decoder = createGunzip();
  // An error of the source destroys the decoder, and reaches the reader that way.
  pipeline(source, decoder).catch(() => {});
  try {
    yield* decoder;
  } catch (error) {
    const code = systemErrorCode(error);
    if (!code?.startsWith('Z_')) throw error;
    // An empty body is empty in any encoding.
    if (code === 'Z_BUF_ERROR' && decoder.bytesWritten === 0) return;
    const hint = 'Try again. If the error persists, a proxy may be corrupting the responses.';
    const message = 'cannot decompress the response: it is damaged or incomplete';
    throw serviceFailure('interrupted', message, { processed: 'maybe', hint });
  }
}

/**
 * Converts a body to UTF-8 if its Content-Type names another charset. Leaves it unchanged for a charset that Node.js does not
 * know. Errors of the source pass through unchanged.
 */
export async function* decodeCharset(source: AsyncIterable<Buffer>, headers: IncomingHeaders): AsyncGenerator<Buffer> {
  const decoder = decoderFor(headerOf(headers, 'content-type') ?? '');
  if (decoder === undefined) return yield* source;
  for await (const chunk of source) yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

function decoderFor(contentType: string): InstanceType<typeof TextDecoder> | undefined {
  const charset = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'utf-8' ? undefined : decoder;
  } catch {
    return undefined;
  }
}
