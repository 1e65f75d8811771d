import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';

/** Values of the proxy variables in the environment. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  /** Hosts without a proxy, as undici reads them: names (with their subdomains) and addresses, optionally with :port; or *. */
  no?: string | undefined;
}

export interface ProxyConfig {
  /** Without user name and password. */
  url: URL;
  /** Value of the Proxy-Authorization header, if the variable has a user name. */
  authorization: string | undefined;
  /** Hosts without the proxy. */
  bypass: string;
  /** What a proxy that forwards can echo, and nothing may print: the password, and the header. */
  secrets: readonly string[];
}

/**
 * Reads the proxy for services of a URL's protocol. undici then decides whether the service is among the hosts to bypass.
 *
 * @returns undefined if there is none, and for loopback, which is always direct
 * @throws UsageError for a proxy that is not an http(s) URL, without repeating it, because it may contain a password
 */
export function readProxy(url: URL, settings: ProxySettings): ProxyConfig | undefined {
  const https = url.protocol === 'https:';
  const value = (https ? settings.https : settings.http)?.trim();
  if (!value || isLoopback(url.hostname)) return undefined;

  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!proxy?.hostname || !/^https?:$/.test(proxy.protocol)) {
    throw new UsageError(
      `the proxy in ${https ? 'HTTPS_PROXY' : 'HTTP_PROXY'} is not an http:// or https:// URL`,
      'Write it as http://host:port.',
    );
  }
  const address = { url: new URL(proxy.origin), bypass: settings.no?.trim() ?? '' };
  if (!proxy.username && !proxy.password) return { ...address, authorization: undefined, secrets: [] };
  const [user = '', password = ''] = [proxy.username, proxy.password].map(decode);
  const token = Buffer.from(`${user}:${password}`).toString('base64');
  // In a tunnel, no response is the proxy's own, and a password may be an ordinary word of the service's responses.
  const secrets = https ? [] : [token, password].filter(Boolean);
  return { ...address, authorization: `Basic ${token}`, secrets };
}

/** Decodes percent-encoding. Text with a stray %, as in many passwords, is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
