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
        ? 'The API key is empty.'
        : 'The API key contains a space, a line break or another invalid character.',
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
