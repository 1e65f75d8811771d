import { BlockList, isIP } from 'node:net';
import { isLoopback } from '../../util/base-url.ts';
import { UsageError } from '../../util/errors.ts';

/** Values of the proxy variables in the environment. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  /** Hosts without a proxy: see `bypassesProxy`. */
  no?: string | undefined;
}

export interface ProxyConfig {
  /** Without user name and password. */
  url: URL;
  /** Value of the Proxy-Authorization header, if the variable has a user name. */
  authorization: string | undefined;
  /** What a proxy that forwards can echo, and nothing may print: the password, and the header. */
  secrets: readonly string[];
}

/**
 * Reads the proxy for a service.
 *
 * @returns undefined if there is none, for a service that bypasses it, and for loopback, which is always direct
 * @throws UsageError for a proxy that is not an http(s) URL, without repeating it, because it may contain a password; and as
 *   `bypassesProxy` does
 */
export function readProxy(url: URL, settings: ProxySettings): ProxyConfig | undefined {
  const https = url.protocol === 'https:';
  const value = (https ? settings.https : settings.http)?.trim();
  if (!value || isLoopback(url.hostname) || bypassesProxy(url, settings.no ?? '')) return undefined;

  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!proxy?.hostname || !/^https?:$/.test(proxy.protocol)) {
    throw new UsageError(
      `the proxy in ${https ? 'HTTPS_PROXY' : 'HTTP_PROXY'} is not an http:// or https:// URL`,
      'Write it as http://host:port.',
    );
  }
  const address = { url: new URL(proxy.origin) };
  if (!proxy.username && !proxy.password) return { ...address, authorization: undefined, secrets: [] };
  const [user = '', password = ''] = [proxy.username, proxy.password].map(decode);
  const token = Buffer.from(`${user}:${password}`).toString('base64');
  // In a tunnel, no response is the proxy's own, and a password may be an ordinary word of the service's responses.
  const secrets = https ? [] : [token, password].filter(Boolean);
  return { ...address, authorization: `Basic ${token}`, secrets };
}

/** An entry of NO_PROXY: a host, with the subdomains of a name, or a network of addresses; and perhaps a port. */
const NO_PROXY_ENTRY =
  /^(?:\*?\.)?(?<host>\[[\da-f:.]+\]|[\da-f:]*:[\da-f:.]*:[\da-f.]*|[^*:/[\]]+)(?:\/(?<prefix>\d{1,3}))?(?::(?<port>\d{1,5}))?$/i;

/**
 * Whether NO_PROXY names a service. Its entries are separated by commas or spaces: `example.com` (with its subdomains, like
 * `.example.com` and `*.example.com`), an address, a network such as `10.0.0.0/8`, each optionally with `:port`; or `*`.
 *
 * @throws UsageError for another entry, unless an entry before it names the service
 */
function bypassesProxy(url: URL, noProxy: string): boolean {
  return noProxy
    .split(/[,\s]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const { host, prefix, port } = NO_PROXY_ENTRY.exec(entry)?.groups ?? {};
      if (host === undefined) throw unknownEntry(entry);
      if (port !== undefined && Number(port) !== portOf(url)) return false;
      const name = host.replace(/^\[|\]$/g, '');
      const version = isIP(name);
      if (version === 0) {
        if (prefix !== undefined || name.includes(':')) throw unknownEntry(entry);
        return `.${url.hostname}`.endsWith(`.${name.toLowerCase()}`);
      }
      const bits = version === 4 ? 32 : 128;
      if (Number(prefix ?? bits) > bits) throw unknownEntry(entry);
      return isInNetwork(url.hostname, name, Number(prefix ?? bits));
    });
}

function isInNetwork(hostname: string, network: string, prefix: number): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 0) return false;
  const family = (text: string) => (isIP(text) === 4 ? 'ipv4' : 'ipv6');
  const list = new BlockList();
  list.addSubnet(network, prefix, family(network));
  return list.check(address, family(address));
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

function unknownEntry(entry: string): UsageError {
  return new UsageError(
    `cannot read ${JSON.stringify(entry)} in NO_PROXY`,
    'Write a host (example.com), an address, or a network (10.0.0.0/8), each optionally with a port (example.com:8443).',
  );
}

/** Decodes percent-encoding. Text with a stray %, as in many passwords, is returned unchanged. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
