import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../util/host.ts';
import type { Redact } from '../redactor.ts';
import { errorFromNetwork, ServiceError, serviceFailure } from '../service-error.ts';
import { decodeContent } from './content-encoding.ts';
import type { IncomingHeaders, Transport, WireRequest } from './transport.ts';

interface RequestOptions {
  transport: Transport;
  clock: Clock;
  /** Deadline for the response's headers, then for each next byte, in milliseconds. */
  timeoutMs: number;
  /** Origin of the proxy in use, for messages. */
  proxy: string | undefined;
  redact: Redact;
  signal: AbortSignal | undefined;
  /**
   * When the response must be complete, in milliseconds since the epoch: from then on, the request is not sent either.
   * Undefined if only `timeoutMs` counts.
   */
  endsAtMs: number | undefined;
}

/** A response whose headers have arrived. The caller must read `chunks` or call `discard`. */
export interface OpenResponse {
  status: number;
  headers: IncomingHeaders;
  /** The decoded body. Throws ServiceError. */
  chunks: AsyncIterable<Buffer>;
  discard(): void;
}

/** Sends a request once. Resolves for a response of any status; throws ServiceError if none arrives. */
export async function sendOnce(request: WireRequest, options: RequestOptions): Promise<OpenResponse> {
  const { clock, timeoutMs, signal, endsAtMs } = options;
  const msLeft = () => (endsAtMs === undefined ? timeoutMs : Math.max(0, endsAtMs - clock.now()));
  if (signal?.aborted) throw abortedError('no');
  // The response could not arrive in time, and the caller relies on the request being over soon after its deadline.
  const refusal = () => (endsAtMs !== undefined && clock.now() >= endsAtMs ? notSentError(request.url) : undefined);
  const late = refusal();
  if (late !== undefined) throw late;
  const pending = options.transport.start(request, refusal);
  const fail = (cause: unknown) =>
    errorFromNetwork(cause, {
      origin: request.url.origin,
      proxy: options.proxy,
      written: pending.written(),
      redact: options.redact,
    });
  const onAbort = () => pending.abort(abortedError(pending.written() ? 'maybe' : 'no'));
  const release = () => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  const disarm = clock.after(msLeft(), () => pending.abort(timeoutError(request.url, timeoutMs, pending.written())));
  try {
    const { status, headers, body } = await pending.response;
    const onStall = (reason: StallReason) => stalledError(request.url, timeoutMs, reason);
    const wire = withMinThroughput(body, { clock, idleMs: timeoutMs, onStall });
    const stopAtEnd = endsAtMs === undefined ? () => {} : clock.after(msLeft(), () => body.destroy(onStall('late')));
    const discard = () => {
      release();
      stopAtEnd();
      body.destroy();
    };
    return { status, headers, chunks: typedChunks(wire, headers, { fail, discard, redact: options.redact }), discard };
  } catch (cause) {
    release();
    throw fail(cause);
  } finally {
    disarm();
  }
}

async function* typedChunks(
  wire: AsyncIterable<Buffer>,
  headers: IncomingHeaders,
  { fail, discard, redact }: { fail: (cause: unknown) => ServiceError; discard: () => void; redact: Redact },
): AsyncGenerator<Buffer> {
  try {
    yield* decodeContent(wire, headers, redact);
    // undici reuses a connection only in the next turn of the event loop; an earlier request would open another.
    await nextTurn();
  } catch (cause) {
    throw cause instanceof ServiceError ? cause : fail(cause);
  } finally {
    discard();
  }
}

function abortedError(processed: 'no' | 'maybe'): ServiceError {
  const hint = processed === 'no' ? 'Nothing was sent.' : 'orgadm had already sent the request.';
  return serviceFailure('aborted', 'the request was stopped', { processed, hint });
}

function notSentError(url: URL): ServiceError {
  const reason = 'because its deadline had passed before it could be sent';
  return serviceFailure('timeout', `the request to ${url.origin} was not sent, ${reason}`, {
    processed: 'no',
    hint: 'If this happens again, allow more time with --timeout.',
  });
}

function timeoutError(url: URL, timeoutMs: number, written: boolean): ServiceError {
  const summary = written ? `no response from ${url.origin}` : `no connection to ${url.origin}`;
  return serviceFailure('timeout', `${summary} within ${timeoutMs / 1_000} s`, {
    processed: written ? 'maybe' : 'no',
    hint: written
      ? 'Try again later, or allow more time with --timeout.'
      : 'Check the base URL and the network; behind a proxy, set HTTPS_PROXY.',
  });
}

/** `late`: the response was not complete in time. */
type StallReason = 'idle' | 'drip' | 'late';

function stalledError(url: URL, timeoutMs: number, reason: StallReason): ServiceError {
  const detail = {
    idle: `no data arrived within ${timeoutMs / 1_000} s`,
    drip: 'it arrived too slowly',
    late: `it was not complete within ${timeoutMs / 1_000} s`,
  }[reason];
  return serviceFailure('timeout', `the response from ${url.origin} stopped: ${detail}`, {
    processed: 'maybe',
    hint: 'Try again later, or allow more time with --timeout.',
  });
}

/** Over each window of this much time spent waiting for the service, ... */
const THROUGHPUT_WINDOW_MS = 30_000;
/** ... at least this many bytes a second must arrive. */
const MIN_BYTES_PER_SECOND = 64;

interface ThroughputLimits {
  clock: Clock;
  /** Deadline for the next byte, in milliseconds. */
  idleMs: number;
  /** Creates the error for a body that stopped or is too slow. */
  onStall: (reason: StallReason) => Error;
}

/**
 * Yields the chunks of a body as they arrive. Only time spent waiting for the service counts, so that a slow consumer does
 * no harm. Leaving the loop early destroys the source.
 */
async function* withMinThroughput(
  source: Readable,
  { clock, idleMs, onStall }: ThroughputLimits,
): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  let waitedMs = 0;
  let bytes = 0;
  try {
    for (;;) {
      const began = clock.now();
      const disarm = clock.after(idleMs, () => source.destroy(onStall('idle')));
      const next = await chunks.next().finally(disarm);
      if (next.done) return;
      waitedMs += clock.now() - began;
      bytes += next.value.length;
      if (waitedMs >= THROUGHPUT_WINDOW_MS) {
        if (bytes < (waitedMs / 1_000) * MIN_BYTES_PER_SECOND) throw onStall('drip');
        waitedMs = 0;
        bytes = 0;
      }
      yield next.value;
    }
  } finally {
    source.destroy();
  }
}

const MEBIBYTE = 1024 * 1024;
/** Upper bound on a response held in memory, in decoded bytes. */
const MAX_BYTES = 32 * MEBIBYTE;
/** Upper bound on the body of an error response, in decoded bytes: enough for a message about each entry of a batch. */
const MAX_ERROR_BYTES = 4 * MEBIBYTE;

/** Reads a body. Throws ServiceError (`response-too-large`) beyond 32 MiB. */
export async function readBody(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_BYTES) throw responseTooLarge();
    parts.push(chunk);
  }
  return Buffer.concat(parts, size);
}

/** Decodes UTF-8 text, with invalid bytes replaced and without a byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Reads the start of the body of an error response, up to 4 MiB, or as much as arrives before the connection is lost. */
export async function readErrorText(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      size += chunk.length;
      if (size >= MAX_ERROR_BYTES) break;
    }
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'aborted') throw error;
  }
  return decodeText(Buffer.concat(parts).subarray(0, MAX_ERROR_BYTES));
}

function responseTooLarge(): ServiceError {
  return serviceFailure('response-too-large', `the response is larger than ${MAX_BYTES / MEBIBYTE} MiB`, {
    processed: 'maybe',
    hint: 'Request less at once. With -o ndjson or -o csv, findings list accepts a list of any size.',
  });
}
