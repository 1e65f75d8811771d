import { UsageError } from '../../util/errors.ts';

/** A path as a person wrote it, percent-encoded where it must be. */
export interface RawPath {
  raw: string;
  /** Pairs added to the query that `raw` may have. */
  query: readonly (readonly [name: string, value: string])[];
}

/**
 * The URL of a path as a person writes it, with its query: relative to the base URL, whose own path is kept, or a full
 * URL below the base URL. Throws UsageError for any other URL, which the key must not go to, for `.` and `..` in any
 * spelling, which would name another resource, and for what a URL parser would silently change.
 */
export function rawUrl(base: URL, { raw: written, query }: RawPath): URL {
  if (/[\\#]|\p{Cc}/u.test(written)) {
    throw new UsageError('The path holds a backslash, a # or a control character.', 'Percent-encode it.');
  }
  const url = isAbsolute(written) ? fullUrl(base, written) : isBelow(base, written);
  const pairs = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  if (pairs.length > 0) url.search = [url.search.slice(1), ...pairs].filter(Boolean).join('&');
  return url;
}

function isAbsolute(written: string): boolean {
  return written.startsWith('//') || /^[a-z][a-z\d+.-]*:/i.test(written);
}

function fullUrl(base: URL, written: string): URL {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url?.origin === base.origin) rejectDotSegments(written.replace(/^[^/]*\/\/[^/]*/, ''));
  const prefix = base.pathname.replace(/\/*$/, '/');
  const isBelow = url?.origin === base.origin && `${url.pathname}/`.startsWith(prefix);
  if (!isBelow || url.username !== '' || url.password !== '') {
    throw new UsageError(
      `The URL is not below the base URL ${base.href.replace(/\/+$/, '')}: the API key is not sent there.`,
      'Pass the path below the base URL, or set --base-url.',
    );
  }
  return url;
}

function isBelow(base: URL, written: string): URL {
  const [path = '', ...query] = written.replace(/^\//, '').split('?');
  rejectDotSegments(path);
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/+$/, '')}/${path}`;
  url.search = query.join('?');
  return url;
}

function rejectDotSegments(path: string): void {
  const segments = (path.split('?')[0] ?? '').split('/');
  if (segments.some((segment) => /^(\.|%2e){1,2}$/i.test(segment))) {
    throw new UsageError(
      '"." and ".." cannot be part of a request path.',
      'Give the whole path, such as v1/findings?taskId=tsk_0001.',
    );
  }
}
