import { BlockList, isIP, isIPv6 } from 'node:net';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';

/** Values of the proxy variables in the environment. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  /** Hosts without a proxy: names (with their subdomains), addresses, networks (10.0.0.0/8), optionally with :port; or *. */
  no?: string | undefined;
}

export interface ProxyConfig {
  /** `tunnel` (CONNECT) for https, `forward` for plain http. */
  mode: 'tunnel' | 'forward';
  /** Without user name and password. */
  url: URL;
  /** Value of the Proxy-Authorization header, if the variable has a user name. */
  authorization: string | undefined;
}

/**
 * Returns the proxy for a URL, or undefined for a direct connection; loopback is always direct.
 *
 * @throws UsageError for a proxy that is not an http(s) URL, without repeating it, because it may contain a password
 */
export function chooseProxy(url: URL, settings: ProxySettings): ProxyConfig | undefined {
  const https = url.protocol === 'https:';
  const value = (https ? settings.https : settings.http)?.trim();
  if (!value || isLoopback(url.hostname) || isExcluded(url, settings.no ?? '')) return undefined;

  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!proxy?.hostname || !/^https?:$/.test(proxy.protocol)) {
    throw new UsageError(
      `the proxy in ${https ? 'HTTPS_PROXY' : 'HTTP_PROXY'} is not an http:// or https:// URL`,
      'Write it as http://host:port.',
    );
  }
  const authorization = basicAuthorization(proxy);
  return { mode: https ? 'tunnel' : 'forward', url: new URL(proxy.origin), authorization };
}

function basicAuthorization(proxy: URL): string | undefined {
  if (!proxy.username && !proxy.password) return undefined;
  const [user, password] = [proxy.username, proxy.password].map(decode);
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Decodes percent-encoding. Text with a stray %, as in many passwords, is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isExcluded(url: URL, list: string): boolean {
  const host = normalizeHost(url.hostname);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (!name || (wantedPort && wantedPort !== port)) return false;
    return matchesHost(host, normalizeHost(name.replace(/^\*?\./, '')));
  });
}

function matchesHost(host: string, name: string): boolean {
  const [network = '', bits] = name.split('/');
  if (bits === undefined) return host === name || (!isIP(host) && host.endsWith(`.${name}`));
  const prefix = Number(bits);
  if (!isIP(host) || isIP(host) !== isIP(network) || !(prefix >= 0 && prefix <= (isIPv6(network) ? 128 : 32)))
    return false;
  const range = new BlockList();
  range.addSubnet(network, prefix, isIPv6(network) ? 'ipv6' : 'ipv4');
  return range.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}

/** Removes the brackets of an IPv6 address and the trailing dot of a fully qualified name. */
function normalizeHost(host: string): string {
  return host.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}
