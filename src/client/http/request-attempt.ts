import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../util/host.ts';
import { type Moment, presentMoment, remainingUntil } from '../../util/moment.ts';
import { decodeCharset, decodeContent } from './content-encoding.ts';
import { errorFromNetwork, nameService, PROXY_HINT, ServiceError, serviceFailure } from './service-error.ts';
import type { IncomingHeaders, Transport, WireRequest } from './transport.ts';

interface RequestOptions {
  transport: Transport;
  clock: Clock;
  /** Deadline for the response's headers, then for each next byte, in milliseconds. */
  timeoutMs: number;
  signal: AbortSignal | undefined;
  /**
   * When the response must be complete: from then on, the request is not sent either. Undefined if only `timeoutMs` counts.
   */
  endsAt: Moment | undefined;
  /** How long a body may take, in milliseconds; undefined for any time. */
  maxBodyMs: number | undefined;
}

/** A response whose headers have arrived. The caller must read `chunks` or call `discard`. */
export interface OpenResponse {
  status: number;
  headers: IncomingHeaders;
  /** The decoded body, in UTF-8 if its Content-Type names a charset. Throws ServiceError. */
  chunks: AsyncIterable<Buffer>;
  discard(): void;
}

/** Sends a request once. Resolves for a response of any status; throws ServiceError if none arrives. */
export async function sendOnce(request: WireRequest, options: RequestOptions): Promise<OpenResponse> {
  const { clock, timeoutMs, signal, endsAt, maxBodyMs = Number.POSITIVE_INFINITY } = options;
  const msLeft = () => (endsAt === undefined ? timeoutMs : remainingUntil(endsAt, presentMoment(clock)));
  if (signal?.aborted) throw abortedError('no');
  // The response could not arrive in time, and the caller relies on the request being over soon after its deadline.
  const refusal = () => (endsAt !== undefined && msLeft() === 0 ? notSentError(request.url) : undefined);
  const late = refusal();
  if (late !== undefined) throw late;
  const pending = options.transport.start(request, refusal);
  const fail = (cause: unknown) =>
    errorFromNetwork(cause, {
      origin: request.url.origin,
      proxy: options.transport.proxy,
      written: pending.written(),
    });
  const onAbort = () => pending.abort(abortedError(pending.written() ? 'maybe' : 'no'));
  signal?.addEventListener('abort', onAbort, { once: true });
  const { proxy } = options.transport;
  const onTimeout = () => pending.abort(timeoutError(request.url, timeoutMs, pending.written(), proxy));
  const stopWatching = endsAt === undefined ? () => {} : whenOverslept(() => msLeft() === 0, clock, onTimeout);
  const release = () => {
    signal?.removeEventListener('abort', onAbort);
    stopWatching();
  };
  const disarm = clock.after(msLeft(), onTimeout);
  try {
    const { status, headers, body } = await pending.response;
    const wire = withIdleDeadline(body, { clock, url: request.url, idleMs: timeoutMs });
    const bodyMs = Math.min(maxBodyMs, endsAt === undefined ? Number.POSITIVE_INFINITY : msLeft());
    const stopAtEnd = Number.isFinite(bodyMs)
      ? clock.after(bodyMs, () =>
          body.destroy(stalledError(request.url, `it was not complete within ${Math.ceil(bodyMs / 1000)} s`)),
        )
      : () => {};
    const discard = () => {
      release();
      stopAtEnd();
      body.destroy();
    };
    return { status, headers, chunks: typedChunks(wire, headers, { fail, discard }), discard };
  } catch (cause) {
    release();
    throw fail(cause);
  } finally {
    disarm();
  }
}

/** How often orgadm looks whether the machine has slept, in milliseconds. */
const SLEEP_CHECK_MS = 5_000;

/**
 * Calls `run` once `isOver`, which it checks every few seconds: timers do not advance while the machine sleeps, so those of a
 * request may be late.
 *
 * @returns a function that ends the checks
 */
function whenOverslept(isOver: () => boolean, clock: Clock, run: () => void): () => void {
  let cancel = () => {};
  const check = () => {
    if (isOver()) run();
    else cancel = clock.after(SLEEP_CHECK_MS, check);
  };
  cancel = clock.after(SLEEP_CHECK_MS, check);
  return () => cancel();
}

async function* typedChunks(
  wire: AsyncIterable<Buffer>,
  headers: IncomingHeaders,
  { fail, discard }: { fail: (cause: unknown) => ServiceError; discard: () => void },
): AsyncGenerator<Buffer> {
  try {
    yield* decodeCharset(decodeContent(wire, headers), headers);
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

function timeoutError(url: URL, timeoutMs: number, written: boolean, proxy: string | undefined): ServiceError {
  const service = nameService(url.origin, proxy);
  const summary = written ? `no response from ${service}` : `no connection to ${service}`;
  const unreachable = proxy ? PROXY_HINT : 'Check the base URL and the network; behind a proxy, set HTTPS_PROXY.';
  return serviceFailure('timeout', `${summary} within ${timeoutMs / 1_000} s`, {
    processed: written ? 'maybe' : 'no',
    hint: written ? 'Try again later, or allow more time with --timeout.' : unreachable,
  });
}

function stalledError(url: URL, reason: string): ServiceError {
  return serviceFailure('timeout', `the response from ${url.origin} stopped: ${reason}`, {
    processed: 'maybe',
    hint: 'Try again later, or allow more time with --timeout.',
  });
}

interface IdleDeadline {
  clock: Clock;
  url: URL;
  /** Deadline for the next byte, in milliseconds. */
  idleMs: number;
}

/** Yields the chunks of a body as they arrive. Leaving the loop early destroys the source. */
async function* withIdleDeadline(source: Readable, { clock, url, idleMs }: IdleDeadline): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  const stop = () => source.destroy(stalledError(url, `no data arrived within ${idleMs / 1_000} s`));
  try {
    for (;;) {
      const disarm = clock.after(idleMs, stop);
      const next = await chunks.next().finally(disarm);
      if (next.done) return;
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

/** The body of an error response. */
export interface ErrorText {
  /** The start of the body, as the service sent it. */
  readonly text: string;
  /** Whether that is the entire body: false if it exceeds 4 MiB, or orgadm could not read it to its end. */
  readonly isComplete: boolean;
}

/** Reads the start of the body of an error response, up to 4 MiB, or as much as arrives before the connection is lost. */
export async function readErrorText(chunks: AsyncIterable<Buffer>): Promise<ErrorText> {
  const parts: Buffer[] = [];
  let size = 0;
  let isComplete = false;
  try {
    for await (const chunk of chunks) {
      parts.push(chunk);
      size += chunk.length;
      if (size > MAX_ERROR_BYTES) break;
    }
    isComplete = size <= MAX_ERROR_BYTES;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'aborted') throw error;
  }
  return { text: decodeText(Buffer.concat(parts).subarray(0, MAX_ERROR_BYTES)), isComplete };
}

function responseTooLarge(): ServiceError {
  return serviceFailure('response-too-large', `the response is larger than ${MAX_BYTES / MEBIBYTE} MiB`, {
    processed: 'maybe',
    hint: 'Check that the base URL is the address of the service. For findings, use orgadm findings list -o ndjson, which reads a list of any size.',
  });
}
