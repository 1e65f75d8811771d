import { setMaxListeners } from 'node:events';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { isLoopback } from '../../util/base-url.ts';
import { systemErrorCode, UsageError } from '../../util/errors.ts';

// undici parses responses with WebAssembly, which is compiled at the first connection. The optimizing compiler would take
// 35 MB for a moment and make no noticeable difference.
setFlagsFromString('--liftoff-only');

export interface TransportOptions {
  /** How long a TCP or TLS connection may take, in milliseconds. */
  connectTimeoutMs: number;
  /** PEM certificates trusted in addition to those of the system. */
  extraCaCerts: readonly string[];
  proxy: ProxyConfig | undefined;
}

export interface WireRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

export type IncomingHeaders = Record<string, string | string[] | undefined>;

interface RawResponse {
  status: number;
  headers: IncomingHeaders;
  /** The body as received, not decoded. Destroying it closes the connection unless it has ended. */
  body: Readable;
}

/** One request in flight. */
export interface PendingRequest {
  /** Resolves with the response's status and headers, rejects with the error of undici or the reason of `abort`. */
  readonly response: Promise<RawResponse>;
  /** False until the first byte of the request is written: then the service cannot have received it. */
  written(): boolean;
  /** Fails the promise or the body with `reason`. A request that is not yet written is never sent. */
  abort(reason: Error): void;
}

/** Connections to one service, directly or through one proxy. */
export interface Transport {
  /**
   * Starts a request.
   *
   * @param refusal called right before the first byte is written, however long connecting took: if it returns an error, the
   * request fails with it and is never sent
   */
  start(request: WireRequest, refusal: () => Error | undefined): PendingRequest;
  /** Closes every connection immediately, including those being established. */
  close(): Promise<void>;
}

/** Time to try one of several addresses of a host. With Node's default of 250 ms, connections over a slow line fail. */
const ADDRESS_ATTEMPT_MS = 1_000;

/** Builds the connection pool. It speaks HTTP/1.1 only, never follows redirects, and always verifies certificates. */
export function createTransport(options: TransportOptions): Transport {
  const lifetime = new AbortController();
  setMaxListeners(0, lifetime.signal);
  const connect = {
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Explicit, because otherwise an environment variable could disable verification.
    rejectUnauthorized: true,
    // undici destroys only established connections; this also ends those being established.
    signal: lifetime.signal,
    ...trustedCertificates(options.extraCaCerts),
  };
  // The caller enforces its own deadlines.
  const pool = { connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  const { proxy } = options;
  const dispatcher: Dispatcher =
    proxy?.mode === 'tunnel'
      ? new ProxyAgent({
          ...pool,
          uri: proxy.url.href,
          requestTls: connect,
          proxyTls: connect,
          clientFactory: (_, options) => new TunnelAgent(options),
          ...proxyToken(proxy),
        })
      : new Agent(pool);

  return {
    start: ({ method, url, headers, body }, refusal) =>
      startRequest(dispatcher, { method, body: body ?? null, ...proxyRoute(url, headers, proxy) }, refusal),
    async close() {
      lifetime.abort();
      await dispatcher.destroy();
    },
  };
}

/** Opens tunnels. undici tries forever, without a pause, to open one through a proxy that closes its connections. */
class TunnelAgent extends Agent {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (error) {
      if (systemErrorCode(error) !== 'UND_ERR_SOCKET') throw error;
      throw Object.assign(new Error('the proxy closed the connection', { cause: error }), { code: 'ECONNRESET' });
    }
  }
}

/** Sends plain http to a forward proxy with the full URL as path, everything else to the service's origin. */
function proxyRoute(url: URL, headers: Record<string, string>, proxy: ProxyConfig | undefined) {
  const path = `${url.pathname}${url.search}`;
  if (proxy?.mode !== 'forward') return { origin: url.origin, path, headers };
  const forwarded = { ...headers, host: url.host };
  return {
    origin: proxy.url.origin,
    path: `${url.origin}${path}`,
    headers: proxy.authorization ? { ...forwarded, 'proxy-authorization': proxy.authorization } : forwarded,
  };
}

function proxyToken(proxy: ProxyConfig): { token?: string } {
  return proxy.authorization ? { token: proxy.authorization } : {};
}

/** Dispatches one request. Its response resolves at the headers; the body has back-pressure. */
function startRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  refusal: () => Error | undefined,
): PendingRequest {
  let controller: Dispatcher.DispatchController | undefined;
  let body: Readable | undefined;
  let written = false;
  let abortReason: Error | undefined;
  let abort: (reason: Error) => void = () => {};

  const response = new Promise<RawResponse>((resolve, reject) => {
    abort = (reason) => {
      abortReason ??= reason;
      reject(abortReason);
      controller?.abort(abortReason);
    };
    dispatcher.dispatch(options, {
      // Called right before the first byte is written, so a request aborted or refused while connecting is never sent.
      onRequestStart(started) {
        controller = started;
        abortReason ??= refusal();
        if (abortReason) started.abort(abortReason);
        else written = true;
      },
      onResponseStart(started, status, headers) {
        if (status < 200) return;
        body = bodyOf(started);
        resolve({ status, headers, body });
      },
      onResponseData(started, chunk) {
        if (body && !body.push(chunk)) started.pause();
      },
      onResponseEnd() {
        body?.push(null);
      },
      onResponseError(_started, error) {
        if (body) body.destroy(abortReason ?? error);
        else reject(abortReason ?? error);
      },
    });
  });
  return { response, written: () => written, abort: (reason) => abort(reason) };
}

function bodyOf(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => controller.resume(),
    destroy(error, done) {
      controller.abort(error ?? new Error('the response was not read to its end'));
      done(error);
    },
  });
  // A connection lost before the body is read must not crash the process; a later reader still gets the error.
  body.on('error', () => {});
  return body;
}

/**
 * Returns TLS options that trust PEM certificates in addition to Node's own. They are empty without any, so that
 * Node's own choice (NODE_EXTRA_CA_CERTS, --use-system-ca) is unchanged.
 *
 * @throws UsageError for a text without a readable certificate
 */
function trustedCertificates(extraCaCerts: readonly string[]): { ca?: string[] } {
  if (extraCaCerts.length === 0) return {};
  for (const pem of extraCaCerts) checkPem(pem);
  return { ca: [...defaultCertificates(), ...extraCaCerts] };
}

/** Returns the default list, which `ca` would replace; Node before 22.15 only knows the bundled one. */
function defaultCertificates(): readonly string[] {
  // Loaded only when needed: it takes a sixth of Node's start-up time.
  const tls = process.getBuiltinModule('node:tls');
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** Rejects a broken certificate, which Node would ignore. */
function checkPem(pem: string): void {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    new X509Certificate(pem);
  } catch {
    throw new UsageError(
      'cannot read the CA certificate',
      'Pass a PEM file, which starts with "-----BEGIN CERTIFICATE-----".',
    );
  }
}

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
  /** What a proxy that forwards can echo, and nothing may print: the password, and the header. */
  secrets: readonly string[];
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
  const address = { mode: https ? 'tunnel' : 'forward', url: new URL(proxy.origin) } as const;
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
