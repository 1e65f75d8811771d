import type { Redact } from '../redactor.ts';
import type { IncomingHeaders } from './pending-request.ts';

/** Where a client tells what it does. All text is untrusted: clean it before it reaches a terminal. */
export interface Trace {
  /** One line a request, for --verbose. */
  request(line: string): void;
  /** Headers and bounded bodies, for --debug; secrets are masked. */
  detail?(line: string): void;
}

/** Tells the lines that `render` makes; where nobody listens they are not made, for a body is large. */
export function traceDetail(trace: Trace | undefined, render: () => readonly string[]): void {
  if (trace?.detail === undefined) return;
  for (const line of render()) trace.detail(line);
}

/** How much of a body a trace shows, in characters. */
export const BODY_TRACE_LIMIT = 4_096;

const MASK = '***';
const SECRET_HEADERS = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie)$/i;

/** Header lines for a trace, the values of secret ones masked. `prefix` is `>` for a request, `<` for an answer. */
export function renderTraceHeaders(prefix: string, headers: IncomingHeaders, redact: Redact): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${prefix} ${name}: ${SECRET_HEADERS.test(name) ? MASK : redact(one)}`),
  );
}

/** The headers of an answer, with the key masked where a service echoes it. */
export function redactHeaders(headers: IncomingHeaders, redact: Redact): IncomingHeaders {
  const clean = (value: string | string[] | undefined) =>
    Array.isArray(value) ? value.map(redact) : value && redact(value);
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]));
}

/** A body for a trace: its start, and how long it was when that is not all. The key is masked before the cut. */
export function renderTraceBody(prefix: string, text: string, redact: Redact): string[] {
  if (text === '') return [];
  const clean = redact(text);
  const rest = clean.length - BODY_TRACE_LIMIT;
  return [`${prefix} ${clean.slice(0, BODY_TRACE_LIMIT)}${rest > 0 ? ` [${rest} more characters]` : ''}`];
}
