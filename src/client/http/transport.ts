import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { UsageError } from '../../util/errors.ts';
import { type PendingRequest, startRequest } from './pending-request.ts';
import type { ProxyConfig } from './proxy.ts';

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
export const ADDRESS_ATTEMPT_MS = 1_000;

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

/*
 * Node's TLS takes a sixth of its start to load: it is asked for where certificates are given, and undici loads it for
 * https.
 */

/**
 * TLS options that trust the given PEM certificates beside those that Node trusts anyway; empty when there are none, so
 * that Node's own choice (NODE_EXTRA_CA_CERTS, --use-system-ca) stays untouched. Throws UsageError for a text without
 * a readable certificate.
 */
export function trustedCertificates(extraCaCerts: readonly string[]): { ca?: string[] } {
  if (extraCaCerts.length === 0) return {};
  for (const pem of extraCaCerts) checkPem(pem);
  return { ca: [...defaultCertificates(), ...extraCaCerts] };
}

/** `ca` replaces the default list, so it has to be given in full; Node before 22.15 only tells its bundled one. */
function defaultCertificates(): readonly string[] {
  const tls = process.getBuiltinModule('node:tls');
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** Node would ignore a broken certificate, and the connection fail for a reason that nobody finds. */
function checkPem(pem: string): void {
  const { X509Certificate } = process.getBuiltinModule('node:crypto');
  try {
    new X509Certificate(pem);
  } catch {
    throw new UsageError(
      'The CA certificate cannot be read.',
      'Give a PEM file, which starts with "-----BEGIN CERTIFICATE-----".',
    );
  }
}
