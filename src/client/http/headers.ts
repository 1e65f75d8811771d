import type { Redact } from '../../output/redact.ts';
import type { IncomingHeaders } from './transport.ts';

/** Returns the first value of a header. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

/** Whether a Content-Type is JSON, `application/problem+json` for example. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
}

const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'cf-ray'] as const;

/** Returns the service's identifier of a request, at most 200 characters, with the key masked. */
export function requestIdOf(headers: IncomingHeaders, redact: Redact): string | undefined {
  const id = REQUEST_ID_HEADERS.map((name) => headerOf(headers, name)?.trim()).find(Boolean);
  return id && redact(id).slice(0, 200);
}
