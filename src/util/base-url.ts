import { UsageError } from './errors.ts';

/** Returns whether a host is this machine for certain: localhost, 127.0.0.0/8 or [::1]. Other names may resolve to others. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Checks a base URL and returns it without a trailing slash in its path.
 * Throws UsageError unless it is http or https without credentials, query or fragment, and for plain http to a host
 * beyond loopback unless `allowHttp` is set. The messages leave the name of the setting to the caller, and repeat only a URL
 * that lacks nothing but its scheme, because others may contain a secret.
 */
export function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const near = completedUrl(text.trim());
  const hint =
    near === undefined ? 'Use the address of the service, such as https://api.example.com.' : `Did you mean ${near}?`;
  if (!URL.canParse(text.trim())) throw new UsageError('is not a valid URL', hint);
  const url = new URL(text.trim());
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError(`must start with https:// or http:// (got ${url.protocol})`, hint);
  }
  if (url.username || url.password) {
    throw new UsageError('must not contain a user name or password', 'Authentication uses an API key instead.');
  }
  if (/[?#]/.test(text)) throw new UsageError('must not have a query or a fragment', hint);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UsageError(
      `plain http to ${url.host} would send the API key unencrypted`,
      'Use https, or add --allow-http if you trust the network.',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/** A host name without a scheme, and perhaps a port and a path. Lower case only: a token with dots in it would be shown. */
const SCHEMELESS = /^(?:localhost|(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,63})(?::\d{1,5})?(?:\/[a-z0-9./-]*)?$/;

/** Returns the URL that lacks only its scheme; undefined for any other text. */
function completedUrl(text: string): string | undefined {
  const url = `https://${text}`;
  if (!SCHEMELESS.test(text) || !URL.canParse(url)) return undefined;
  return isLoopback(new URL(url).hostname) ? `http://${text}` : url;
}
