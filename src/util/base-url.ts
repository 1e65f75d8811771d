import { UsageError } from './errors.ts';

/** Names of this machine as a URL has them, also as an IPv4 address within IPv6. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/;

/** Returns whether a host is this machine for certain: localhost, 127.0.0.0/8 or [::1]. Other names may resolve to others. */
export function isLoopback(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase().replace(/\.$/, ''));
}

/**
 * Checks a base URL and returns it without a trailing slash in its path.
 * Throws UsageError unless it is http or https without credentials, query or fragment, for a URL that ends in a path of the API,
 * and for plain http to a host beyond loopback unless `allowHttp` is set. The messages leave the name of the setting to the
 * caller, and never repeat credentials, a query, or a text that is not a URL, because they may contain a secret.
 */
export function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const near = completedUrl(text.trim());
  const hint =
    near === undefined ? 'Use the address of the service, such as https://api.example.com.' : `Did you mean ${near}?`;
  // A URL parser removes line breaks and tabs, which leaves another address.
  if (/\s/.test(text.trim()) || !URL.canParse(text.trim())) throw new UsageError('is not a valid URL', hint);
  const url = new URL(text.trim());
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError(`must start with https:// or http:// (got ${url.protocol})`, hint);
  }
  if (url.username || url.password) {
    throw new UsageError('must not contain a user name or password', 'Authentication uses an API key instead.');
  }
  url.pathname = withoutSlashes(url.pathname);
  if (API_PATH.test(url.pathname)) {
    const base = `${url.origin}${url.pathname.replace(API_PATH, '')}`;
    throw new UsageError('must not end in a path of the API, which orgadm adds', `Did you mean ${base}?`);
  }
  if (/[?#]/.test(text)) throw new UsageError('must not have a query or a fragment', hint);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UsageError(
      `plain http to ${url.host} would send the API key unencrypted`,
      'Use https, or add --allow-http if you trust the network.',
    );
  }
  return url;
}

/** What a URL of the interface (9, 4) has after the base URL, as people copy it from a browser or from documentation. */
const API_PATH =
  /(?:\/+v1(?:\/+(?:findings|people(?:\/+bulk)?|roles(?:\/[^/]*)?|trust-portal(?:\/+domain(?:\/+status)?)?))?)+$/i;

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}

/** A host name without a scheme, and perhaps a port and a path. Lower case only: a token with dots in it would be shown. */
const SCHEMELESS = /^(?:localhost|(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63})(?::\d{1,5})?(?:\/[a-z0-9./-]*)?$/;

/** Returns the base URL for a text that lacks only its scheme; undefined for any other text. */
function completedUrl(text: string): string | undefined {
  if (!SCHEMELESS.test(text) || !URL.canParse(`https://${text}`)) return undefined;
  const scheme = isLoopback(new URL(`https://${text}`).hostname) ? 'http' : 'https';
  return `${scheme}://${withoutSlashes(text).replace(API_PATH, '')}`;
}
