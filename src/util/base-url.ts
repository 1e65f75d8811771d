import { UsageError } from './errors.ts';

/** True for hosts that never leave this machine: localhost, *.localhost, 127.0.0.0/8 and [::1]. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Checks a base URL and returns it without a trailing slash in its path.
 * Throws UsageError unless it is http or https without credentials, query or fragment, and for plain http to a host
 * beyond loopback unless `allowHttp` is set. The URL is not repeated in full, since a wrong one may hold a secret.
 */
export function parseBaseUrl(text: string, allowHttp: boolean): URL {
  const hint = 'Give the address of the service, such as https://api.example.com.';
  if (!URL.canParse(text.trim())) throw new UsageError('The base URL is not a valid URL.', hint);
  const url = new URL(text.trim());
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new UsageError(`The base URL must start with https:// or http://, not ${url.protocol}`, hint);
  }
  if (url.username || url.password) {
    throw new UsageError(
      'The base URL must not hold a user name or password.',
      'The service takes an API key instead.',
    );
  }
  if (/[?#]/.test(text)) throw new UsageError('The base URL must not have a query or a fragment.', hint);
  if (url.protocol === 'http:' && !allowHttp && !isLoopback(url.hostname)) {
    throw new UsageError(
      `Plain http to ${url.host} would send the API key unprotected.`,
      'Use https, or --allow-http if the network between here and the service is trusted.',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

/**
 * Explains that a base URL ends in `/v1`, with which every path of the interface begins already (interface 9).
 *
 * @param base without a slash at its end
 * @returns a sentence with the base URL to try; undefined where it ends in something else
 */
export function repeatedVersionHint(base: string): string | undefined {
  if (!base.endsWith('/v1')) return undefined;
  return `The base URL ends in /v1, and every path begins with /v1 already: try ${base.slice(0, -'/v1'.length)}`;
}
