import type { Clock } from '../util/clock.ts';
import { headerOf, requestIdOf, retryAfterMsOf } from './http/headers.ts';
import { type OpenResponse, sendOnce } from './http/request-attempt.ts';
import { MAX_ERROR_BYTES, readPrefix } from './http/response-body.ts';
import { renderTraceBody, renderTraceHeaders, type Trace, traceDetail } from './http/trace.ts';
import type { Transport, WireRequest } from './http/transport.ts';
import { errorFromResponse } from './http-error.ts';
import type { Redact, Redactor } from './redactor.ts';
import { ServiceError } from './service-error.ts';

export interface SendRequestOptions {
  base: URL;
  transport: Transport;
  clock: Clock;
  timeoutMs: number;
  proxy: string | undefined;
  redactor: Redactor;
  trace: Trace | undefined;
}

/** Sends a request once, traced. Resolves for a 2xx answer, throws ServiceError for everything else. */
export type SendRequest = (request: WireRequest, signal: AbortSignal | undefined) => Promise<OpenResponse>;

export function createSendRequest(options: SendRequestOptions): SendRequest {
  const { clock, redactor, trace } = options;
  const { redact } = redactor;
  return async (request, signal) => {
    const began = clock.now();
    const line = (outcome: string) =>
      trace?.request(redact(`${request.method} ${request.url.href} -> ${outcome} (${clock.now() - began} ms)`));
    traceDetail(trace, () => renderRequest(request, redact));
    const raw = await sendOnce(request, { ...options, redact, signal }).catch((error: unknown) => {
      line(error instanceof ServiceError ? error.kind : 'failed');
      throw error;
    });
    // A service that echoes its request's headers must not bring the key into an output, a journal or an error.
    const open = { ...raw, chunks: redactor.stream(raw.chunks) };
    const requestId = requestIdOf(open.headers, redact);
    line(requestId ? `${open.status}, request id ${requestId}` : String(open.status));
    traceDetail(trace, () => renderTraceHeaders('<', open.headers, redact));
    if (open.status >= 200 && open.status <= 299) return open;
    throw await readFailure(request, open, options);
  };
}

function renderRequest({ method, url, headers, body }: WireRequest, redact: Redact): string[] {
  return [
    redact(`> ${method} ${url.href}`),
    ...renderTraceHeaders('>', headers, redact),
    ...renderTraceBody('>', body?.toString() ?? '', redact),
  ];
}

/** Reads what an answer that is no success has to say; it may take no longer than the answer itself may. */
async function readFailure(
  request: WireRequest,
  open: OpenResponse,
  options: SendRequestOptions,
): Promise<ServiceError> {
  const { status, headers } = open;
  const { redact } = options.redactor;
  const disarm = options.clock.after(options.timeoutMs, open.discard);
  const text = await readPrefix(open.chunks, MAX_ERROR_BYTES).finally(disarm);
  traceDetail(options.trace, () => renderTraceBody('<', text, redact));
  return errorFromResponse({
    base: options.base,
    url: request.url,
    status,
    contentType: headerOf(headers, 'content-type'),
    headers,
    requestId: requestIdOf(headers, redact),
    location: headerOf(headers, 'location'),
    retryAfterMs: retryAfterMsOf(headers, options.clock.now()),
    text,
    redact,
  });
}
