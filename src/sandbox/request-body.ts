import type { IncomingMessage } from 'node:http';
import { RequestRejection } from './sandbox-response.ts';

const MAX_BODY_BYTES = 5 * 1024 * 1024;

/**
 * Reads the whole body.
 * @throws Refusal 413 when it is over 5 MiB; the connection is then closed, the rest is not read.
 */
export async function readRequestBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream must outlive a loop that is left early: the refusal is still to be sent on its socket.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new RequestRejection(413, 'request entity too large', { connection: 'close' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body as JSON; no body at all counts as `{}`.
 * @throws Refusal 415 for another content type, 400 for text that is not JSON.
 */
export function parseRequestBody(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return {};
  const mediaType = (contentType ?? '').split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new RequestRejection(415, 'Unsupported Media Type');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new RequestRejection(400, 'The body is not valid JSON');
  }
}
