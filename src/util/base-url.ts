import { UsageError } from './errors.ts';

/** Names of this machine as a URL has them, also as an IPv4 address within IPv6. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Returns whether a host is this machine for certain: localhost, 127.0.0.0/8 or [::1]. Other names may resolve to others. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase().replace(/\.$/, ''));
}

/**
 * Checks a base URL and returns it without `/v1`, which every path of the interface begins with (section 9), and without a slash at
 * the end. The messages leave the name of the setting to the caller, and never repeat credentials, a query, or a text that is not a
 * URL, because they may contain a secret.
 *
 * @throws UsageError unless it is http or https without credentials, query, or fragment, and for plain http to a host beyond loopback
 * unless `allowHttp` is set
 */
export function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const trimmed = text.trim();
  const hint = 'Use the address of the service, such as https://api.example.com.';
  // A URL parser removes line breaks and tabs, which leaves another address.
  if (/\s/.test(trimmed) || !URL.canParse(trimmed)) throw new UsageError('is not a valid URL', hint);
  const url = new URL(trimmed);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError(`must start with https:// or http:// (got ${url.protocol})`, hint);
  }
  if (url.username || url.password) {
    throw new UsageError('must not contain a user name or password', 'Authentication uses an API key instead.');
  }
  if (/[?#]/.test(trimmed)) throw new UsageError('must not have a query or a fragment', hint);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UsageError(
      `plain http to ${url.host} would send the API key unencrypted`,
      'Use https, or add --allow-http if you trust the network.',
    );
  }
  url.pathname = url.pathname.replace(/(?:\/v1)?\/*$/, '');
  return url;
}
