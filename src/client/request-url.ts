import { UsageError } from '../util/errors.ts';

/**
 * Builds the URL of a request: the base's path, the percent-encoded segments or a path as a user wrote it, and the query.
 *
 * @throws UsageError for a segment that is empty, `.` or `..`, which would address another resource, for text that is not
 *   well-formed Unicode, and as `rawUrl` does
 */
export function requestUrl(
  base: URL,
  path: readonly string[] | RawPath,
  query: Readonly<Record<string, string>> = {},
): URL {
  return 'raw' in path
    ? rawUrl(base, path)
    : urlBelow(base, encodePath(path), encodeQuery(Object.entries(query)).join('&'));
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
