import { UsageError } from '../../util/errors.ts';
import { ACCEPTED_ENCODING } from './content-encoding.ts';
import type { WireRequest } from './transport.ts';

/**
 * Builds the URL of a request: the base's path, the percent-encoded segments, and the query.
 *
 * @throws UsageError for a segment that is empty, `.` or `..`, which would address another resource, and for text that is
 *   not well-formed Unicode
 */
function requestUrl(base: URL, path: readonly string[], query: Readonly<Record<string, string>> = {}): URL {
  return urlBelow(base, encodePath(path), encodeQuery(Object.entries(query)).join('&'));
}

function urlBelow(base: URL, path: string, query: string): URL {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}${path}`;
  url.search = query;
  return url;
}

/** Joins path segments, percent-encoded, with a leading slash. Throws like `requestUrl`. */
export function encodePath(segments: readonly string[]): string {
  return `/${segments.map(encodeSegment).join('/')}`;
}

function encodeSegment(segment: string): string {
  const isBlank = segment.trim() === '';
  if (isBlank || segment === '.' || segment === '..') {
    const reason = isBlank ? 'an empty identifier' : `"${segment}"`;
    throw new UsageError(`${reason} cannot be part of a request path`, 'Pass the full identifier.');
  }
  return encode(segment);
}

function encodeQuery(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`);
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError('cannot send an identifier or value that is not well-formed Unicode');
  }
}

/** A path as a user wrote it, percent-encoded where necessary. */
export interface RawPath {
  raw: string;
  /** Pairs added to the query that `raw` may have. */
  query: readonly (readonly [name: string, value: string])[];
}

/**
 * Builds the URL of a path as a user writes it, with its query: relative to the base URL, whose own path is kept.
 *
 * @throws UsageError for a full URL, for `.` and `..` in any encoding, which would address another resource, and for
 *   characters that a URL parser would silently change
 */
export function rawUrl(base: URL, { raw: written, query }: RawPath): URL {
  if (/[\\#]|\p{Cc}/u.test(written)) {
    throw new UsageError('the path contains a backslash, a #, or a control character', 'Percent-encode it.');
  }
  if (/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(written)) {
    throw new UsageError('the path is a URL', 'Pass the path below the base URL, such as v1/findings?taskId=tsk_0001.');
  }
  const [path = '', ...own] = written.replace(/^\//, '').split('?');
  rejectDotSegments(path);
  return urlBelow(base, `/${path}`, [own.join('?'), ...encodeQuery(query)].filter(Boolean).join('&'));
}

function rejectDotSegments(path: string): void {
  if (path.split('/').some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new UsageError(
      '"." and ".." cannot be part of a request path',
      'Pass the full path, such as v1/findings?taskId=tsk_0001.',
    );
  }
}

export interface HttpRequestParts {
  method: string;
  /** Path segments, each encoded; empty ones, `.` and `..` are rejected. Or a path as a user wrote it. */
  path: readonly string[] | RawPath;
  query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  rawBody?: string | Buffer;
  /** Accept header; default JSON. */
  accept?: string;
}

/** Builds the request, with the headers of interface 4 and 5. Throws UsageError for a path that cannot be sent. */
export function buildHttpRequest(
  base: URL,
  parts: HttpRequestParts,
  identity: { apiKey: string; userAgent: string },
): WireRequest {
  const { path } = parts;
  const body = parts.rawBody ?? (parts.body === undefined ? undefined : JSON.stringify(parts.body));
  return {
    method: parts.method,
    url: 'raw' in path ? rawUrl(base, path) : requestUrl(base, path, parts.query),
    headers: {
      'x-api-key': identity.apiKey,
      accept: parts.accept ?? 'application/json',
      'accept-encoding': ACCEPTED_ENCODING,
      'user-agent': identity.userAgent,
      // A cache on the way could return the state of an hour ago: X-API-Key, unlike Authorization, keeps none from storing it.
      ...(parts.method === 'GET' && { 'cache-control': 'no-cache' }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
  };
}
