import { MASK, type Redact } from '../../output/redact.ts';
import type { IncomingHeaders } from './transport.ts';

/**
 * Receives the trace of a client, line by line: requests, headers, and the start of bodies. Secrets are masked. All text is
 * untrusted: sanitize it before it reaches a terminal.
 */
export type Trace = (line: string) => void;

/** Traces the lines that `render` returns. It is called only if they are traced, because a body can be large. */
export function traceLines(trace: Trace | undefined, render: () => readonly string[]): void {
  if (trace === undefined) return;
  for (const line of render()) trace(line);
}

/** Upper bound on the part of a body that a trace shows, in characters. */
const BODY_TRACE_LIMIT = 4_096;

const SECRET_HEADERS = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie)$/i;

/** Renders headers for a trace, with secret values masked. `prefix` is `>` for a request, `<` for a response. */
export function renderTraceHeaders(prefix: string, headers: IncomingHeaders): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${prefix} ${name}: ${SECRET_HEADERS.test(name) ? MASK : one}`),
  );
}

/** Renders the start of a body for a trace. The key is masked before the body is cut. */
export function renderTraceBody(prefix: string, text: string, redact: Redact): string[] {
  if (text === '') return [];
  const clean = redact(text);
  const rest = clean.length - BODY_TRACE_LIMIT;
  return [`${prefix} ${clean.slice(0, BODY_TRACE_LIMIT)}${rest > 0 ? ` [${rest} more characters]` : ''}`];
}
