import { UsageError } from '../../util/errors.ts';

/**
 * The URL of a request: the base's path, then the segments, each percent-encoded, then the query without its
 * undefined entries. Throws UsageError for a segment that is empty, `.` or `..`, which would name another resource,
 * and for text that is not well-formed Unicode.
 */
export function requestUrl(
  base: URL,
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>> = {},
): URL {
  const url = new URL(base);
  const prefix = base.pathname.replace(/\/+$/, '');
  url.pathname = `${prefix}${encodePath(path)}`;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encode(name)}=${encode(value)}`],
  );
  url.search = pairs.join('&');
  return url;
}

/** The path that `segments` make, percent-encoded, with a leading slash. Throws as `requestUrl` does. */
export function encodePath(segments: readonly string[]): string {
  return `/${segments.map(encodeSegment).join('/')}`;
}

function encodeSegment(segment: string): string {
  const isBlank = segment.trim() === '';
  if (isBlank || segment === '.' || segment === '..') {
    const reason = isBlank ? 'An empty identifier' : `"${segment}"`;
    throw new UsageError(`${reason} cannot be part of a request path.`, 'Give the full identifier.');
  }
  return encode(segment);
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError('An identifier or value holds broken Unicode and cannot be sent.');
  }
}
