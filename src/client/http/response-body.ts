import { EXIT } from '../../util/errors.ts';
import { ServiceError } from '../service-error.ts';

/** Bound of an answer held in memory unless the call sets another, in decoded bytes. */
export const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
/** How much of the body of an error answer is read, in decoded bytes: enough for some words on each entry of a batch. */
export const MAX_ERROR_BYTES = 4 * 1024 * 1024;

/** Reads a decoded body whole, as `textOf` gives it. Throws ServiceError (`too-large-answer`) as soon as it grows beyond `maxBytes`. */
export async function readText(chunks: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  return decodeText(await readBytes(chunks, maxBytes));
}

/** Bytes as UTF-8 text, with invalid ones replaced and without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Reads a decoded body whole. Throws ServiceError (`too-large-answer`) as soon as it grows beyond `maxBytes`. */
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

/** Reads the start of a body, up to `maxBytes`, and makes do with what came when the rest is lost. */
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
  return new ServiceError('too-large-answer', EXIT.failure, `The answer is larger than ${size}.`, {
    kind: 'too-large-answer',
    processed: 'maybe',
    hint: 'Ask for less at once; for findings list, -o ndjson and -o csv take a list of any size.',
  });
}
