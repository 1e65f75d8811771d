import { UsageError } from '../../util/errors.ts';
import { requestHeaders } from './headers.ts';
import { type RawPath, rawUrl } from './raw-path.ts';
import { requestUrl } from './request-url.ts';
import type { WireRequest } from './transport.ts';

/** What a request is made of; see RequestSpec for the meaning of each. */
export interface HttpRequestParts {
  method: string;
  path: readonly string[] | RawPath;
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  rawBody?: string | Buffer;
  accept?: string;
}

/** The request as it goes over the wire. Throws UsageError for a method or path that cannot be sent. */
export function buildHttpRequest(
  base: URL,
  parts: HttpRequestParts,
  identity: { apiKey: string; userAgent: string },
): WireRequest {
  const method = parts.method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT' || method === 'TRACE') {
    throw new UsageError(
      `${JSON.stringify(parts.method)} is not a request method.`,
      'Use GET, POST, PUT, PATCH or DELETE.',
    );
  }
  const { path, accept } = parts;
  const body = parts.rawBody ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body));
  return {
    method,
    url: 'raw' in path ? rawUrl(base, path) : requestUrl(base, path, parts.query),
    headers: {
      ...requestHeaders(identity.apiKey, identity.userAgent, body !== undefined),
      ...(accept === undefined ? {} : { accept }),
    },
    body,
  };
}
