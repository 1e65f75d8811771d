import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../util/clock.ts';
import { EXIT } from '../../util/errors.ts';
import { networkError } from '../network-error.ts';
import type { Redact } from '../redactor.ts';
import { ServiceError } from '../service-error.ts';
import { DecodeError, decodeBody } from './content-encoding.ts';
import type { IncomingHeaders } from './pending-request.ts';
import { paced } from './throughput.ts';
import type { Transport, WireRequest } from './transport.ts';

export interface AttemptOptions {
  transport: Transport;
  clock: Clock;
  /** To the answer's headers, then the same without a byte; milliseconds. */
  timeoutMs: number;
  /** Origin of the proxy in use, for messages. */
  proxy: string | undefined;
  redact: Redact;
  signal: AbortSignal | undefined;
}

/** An answer whose headers are in. Whoever gets it must read `chunks` or call `discard`. */
export interface OpenAnswer {
  status: number;
  headers: IncomingHeaders;
  /** The decoded body. Fails with ServiceError. */
  chunks: AsyncIterable<Buffer>;
  discard(): void;
}

/** Sends a request once, whatever the answer's status. Throws ServiceError when no answer comes. */
export async function attempt(request: WireRequest, options: AttemptOptions): Promise<OpenAnswer> {
  const { clock, timeoutMs, signal } = options;
  if (signal?.aborted) throw abortedError('no');
  const exchange = options.transport.start(request);
  const fail = (cause: unknown) =>
    networkError(cause, {
      origin: request.url.origin,
      proxy: options.proxy,
      written: exchange.written(),
      redact: options.redact,
    });
  const onAbort = () => exchange.abandon(abortedError(exchange.written() ? 'maybe' : 'no'));
  const release = () => signal?.removeEventListener('abort', onAbort);
  signal?.addEventListener('abort', onAbort, { once: true });
  const disarm = clock.after(timeoutMs, () => exchange.abandon(lateError(request.url, timeoutMs, exchange.written())));
  try {
    const { status, headers, body } = await exchange.answer;
    const tooSlow = (why: 'idle' | 'drip') => stalledError(request.url, timeoutMs, why);
    const wire = paced(body, { clock, idleMs: timeoutMs, tooSlow });
    const discard = () => {
      release();
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
    yield* decodeBody(wire, [headers['content-encoding'] ?? ''].flat().join(','));
    // undici gives a connection out again only a turn of the event loop later; who comes sooner opens another.
    await nextTurn();
  } catch (cause) {
    throw cause instanceof DecodeError ? undecodable(cause, redact) : fail(cause);
  } finally {
    discard();
  }
}

function undecodable(cause: DecodeError, redact: Redact): ServiceError {
  const kind = cause.problem === 'truncated' ? 'interrupted' : 'not-understood';
  const exitCode = kind === 'interrupted' ? EXIT.unreachable : EXIT.refused;
  return new ServiceError(
    kind,
    exitCode,
    `The answer cannot be decompressed: ${redact(cause.message).slice(0, 200)}.`,
    {
      kind,
      processed: 'maybe',
      hint: 'Try again; if it stays, something between here and the service damages its answers.',
    },
  );
}

function abortedError(processed: 'no' | 'maybe'): ServiceError {
  const hint = processed === 'no' ? 'Nothing was sent.' : 'The request was sent already.';
  return new ServiceError('aborted', 130, 'The request was stopped.', { kind: 'aborted', processed, hint });
}

function lateError(url: URL, timeoutMs: number, written: boolean): ServiceError {
  const what = written ? `No answer from ${url.origin}` : `No connection to ${url.origin}`;
  return new ServiceError('timeout', EXIT.unreachable, `${what} within ${timeoutMs / 1_000} s.`, {
    kind: 'timeout',
    processed: written ? 'maybe' : 'no',
    hint: written
      ? 'Try again later, or allow more time with --timeout.'
      : 'Check the base URL and the network; behind a proxy, set HTTPS_PROXY.',
  });
}

function stalledError(url: URL, timeoutMs: number, why: 'idle' | 'drip'): ServiceError {
  const words =
    why === 'idle' ? `no further byte came within ${timeoutMs / 1_000} s` : 'it came too slowly to ever end';
  return new ServiceError('timeout', EXIT.unreachable, `The answer of ${url.origin} stopped: ${words}.`, {
    kind: 'timeout',
    processed: 'maybe',
    hint: 'Try again later, or allow more time with --timeout.',
  });
}
