import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { type PendingRequest, startRequest } from './pending-request.ts';
import type { ProxyConfig } from './proxy.ts';
import { trustedCertificates } from './trusted-certificates.ts';

// The parser of answers is WebAssembly, compiled at the first connection. Compiled to the utmost it costs 35 MB for a moment
// and is no faster to feel.
setFlagsFromString('--liftoff-only');

export interface TransportOptions {
  /** How long a TCP or TLS connection may take, in milliseconds. */
  connectTimeoutMs: number;
  /** PEM certificates trusted beside those of the system. */
  extraCaCerts: readonly string[];
  proxy: ProxyConfig | undefined;
}

export interface WireRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

/** Connections to one service, directly or through one proxy. */
export interface Transport {
  start(request: WireRequest): PendingRequest;
  /** Ends every connection at once, also those still being made. */
  close(): Promise<void>;
}

/**
 * How long one of several addresses of a host is tried before the next. Node's own 250 ms makes every connection over
 * a slow line fail.
 */
const ADDRESS_ATTEMPT_MS = 1_000;

/** Builds the connection pool. Redirects are never followed, certificates always verified, HTTP/1.1 only. */
export function createTransport(options: TransportOptions): Transport {
  const lifetime = new AbortController();
  setMaxListeners(0, lifetime.signal);
  const connect = {
    timeout: options.connectTimeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Said out loud, for otherwise an environment variable could switch verification off.
    rejectUnauthorized: true,
    // undici tears down only finished connections; this ends those still being made.
    signal: lifetime.signal,
    ...trustedCertificates(options.extraCaCerts),
  };
  // The deadlines are the caller's, on its own clock; undici's stay off.
  const pool = { connect, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, allowH2: false };
  const { proxy } = options;
  const dispatcher: Dispatcher =
    proxy?.mode === 'tunnel'
      ? new ProxyAgent({ ...pool, uri: proxy.url.href, requestTls: connect, proxyTls: connect, ...proxyToken(proxy) })
      : new Agent(pool);

  return {
    start: ({ method, url, headers, body }) =>
      startRequest(dispatcher, { method, body: body ?? null, ...proxyRoute(url, headers, proxy) }),
    async close() {
      lifetime.abort();
      await dispatcher.destroy();
    },
  };
}

/** Plain http goes to a forward proxy with its whole URL as path; everything else goes to the service's own origin. */
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
