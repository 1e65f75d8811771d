import { UsageError } from '../../util/errors.ts';
import type { Redact } from '../redactor.ts';
import { parseRateLimit, parseRetryAfter, type RateLimit } from './rate-limit-headers.ts';
import { ACCEPTED_ENCODINGS } from './response-body.ts';
import type { IncomingHeaders } from './transport.ts';

/** Throws UsageError, without the key in it, unless the key is a valid header value (interface 5). */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(
      apiKey === ''
        ? 'the API key is empty'
        : 'the API key contains a space, a line break or another invalid character',
      'Copy the complete key again, without quotes or spaces around it.',
    );
  }
}

/** Returns the headers of every request (interface 4 and 5). */
export function requestHeaders(apiKey: string, userAgent: string, hasBody: boolean): Record<string, string> {
  return {
    'x-api-key': apiKey,
    accept: 'application/json',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': userAgent,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** Returns the first value of a header. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

/** Whether a Content-Type is JSON, `application/problem+json` and the like included. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
}

const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'cf-ray'] as const;

/** Returns the service's identifier of a request, at most 200 characters, with the key masked. */
export function requestIdOf(headers: IncomingHeaders, redact: Redact): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = headerOf(headers, name)?.trim();
    if (id) return redact(id).slice(0, 200);
  }
  return undefined;
}

/** Returns how long the service asks to wait, in milliseconds; `nowMs` is in milliseconds since the epoch. */
export function retryAfterMsOf(headers: IncomingHeaders, nowMs: number): number | undefined {
  return parseRetryAfter(headerOf(headers, 'retry-after'), serviceTime(headers, nowMs));
}

/** Returns what a response says about the rate limit; `nowMs` is in milliseconds since the epoch. */
export function rateLimitOf(headers: IncomingHeaders, nowMs: number): RateLimit | undefined {
  return parseRateLimit(headers, nowMs, serviceTime(headers, nowMs));
}

/** A Date header is rounded down to seconds: a clock that differs by less is the same, in milliseconds. */
const SAME_CLOCK_MS = 2_000;

/** The time by the service's own clock, if the response shows that it differs from ours: dates in other headers refer to it. */
function serviceTime(headers: IncomingHeaders, nowMs: number): number {
  const time = Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(time) || Math.abs(nowMs - time) < SAME_CLOCK_MS ? nowMs : time;
}

/** Receives the trace of a client. All text is untrusted: sanitize it before it reaches a terminal. */
export interface Trace {
  /** One line for each request, for --verbose. */
  request(line: string): void;
  /** Headers and the start of bodies, for --debug; secrets are masked. */
  detail?(line: string): void;
}

/** Traces the lines that `render` returns. It is called only if they are traced, because a body can be large. */
export function traceDetail(trace: Trace | undefined, render: () => readonly string[]): void {
  if (trace?.detail === undefined) return;
  for (const line of render()) trace.detail(line);
}

/** Upper bound on the part of a body that a trace shows, in characters. */
export const BODY_TRACE_LIMIT = 4_096;

const MASK = '***';
const SECRET_HEADERS = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie)$/i;

/** Renders headers for a trace, with secret values masked. `prefix` is `>` for a request, `<` for a response. */
export function renderTraceHeaders(prefix: string, headers: IncomingHeaders, redact: Redact): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${prefix} ${name}: ${SECRET_HEADERS.test(name) ? MASK : redact(one)}`),
  );
}

/** Returns the headers of a response, with the key masked in case the service echoes it. */
export function redactHeaders(headers: IncomingHeaders, redact: Redact): IncomingHeaders {
  const clean = (value: string | string[] | undefined) =>
    Array.isArray(value) ? value.map(redact) : value && redact(value);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]));
}

/** Renders the start of a body for a trace. The key is masked before the body is cut. */
export function renderTraceBody(prefix: string, text: string, redact: Redact): string[] {
  if (text === '') return [];
  const clean = redact(text);
  const rest = clean.length - BODY_TRACE_LIMIT;
  return [`${prefix} ${clean.slice(0, BODY_TRACE_LIMIT)}${rest > 0 ? ` [${rest} more characters]` : ''}`];
}
