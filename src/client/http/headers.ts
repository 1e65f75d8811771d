import { UsageError } from '../../util/errors.ts';
import type { Redact } from '../redactor.ts';
import type { IncomingHeaders } from './pending-request.ts';
import { ACCEPTED_ENCODINGS } from './response-body.ts';
import { parseRetryAfter } from './retry.ts';

/** Throws UsageError, without the key in it, unless the key can stand in a header as it is (interface 5). */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(
      apiKey === ''
        ? 'The API key is empty.'
        : 'The API key holds a space, a line break or another character that no key has.',
      'Copy the key again, whole and without quotes or blanks around it.',
    );
  }
}

/** The headers of every request (interface 4 and 5). */
export function requestHeaders(apiKey: string, userAgent: string, hasBody: boolean): Record<string, string> {
  return {
    'x-api-key': apiKey,
    accept: 'application/json',
    'accept-encoding': ACCEPTED_ENCODINGS,
    'user-agent': userAgent,
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
  };
}

/** The first value of a header, or undefined. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'cf-ray'] as const;

/** The service's own identifier of a request: the first that is there, at most 200 characters, the key masked. */
export function requestIdOf(headers: IncomingHeaders, redact: Redact): string | undefined {
  for (const name of REQUEST_ID_HEADERS) {
    const id = headerOf(headers, name)?.trim();
    if (id) return redact(id).slice(0, 200);
  }
  return undefined;
}

/** Milliseconds the service asks to wait. A date is seen from the service's own clock where it tells it. */
export function retryAfterMsOf(headers: IncomingHeaders, nowMs: number): number | undefined {
  const serviceNow = Date.parse(headerOf(headers, 'date') ?? '');
  return parseRetryAfter(headerOf(headers, 'retry-after'), Number.isNaN(serviceNow) ? nowMs : serviceNow);
}
