import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { Agent } from 'undici';
import type { Clock } from '../../util/host.ts';
import { errorFromNetwork, type ServiceError } from '../service-error.ts';
import { ADDRESS_ATTEMPT_MS, type ProxyConfig, trustedCertificates } from './transport.ts';

/** Where to connect to, the way the client would. Nothing but a proxy's CONNECT is ever sent. */
export interface ProbeTarget {
  /** Base URL of the service. */
  url: URL;
  proxy: ProxyConfig | undefined;
  /** PEM certificates trusted in addition to those of the system. */
  extraCaCerts: readonly string[];
  /** How long one probe may take, in milliseconds. */
  deadlineMs: number;
  clock: Clock;
}

/** Host and port of the first connection: the proxy's, or the service's. */
export function firstHop({ url, proxy }: Pick<ProbeTarget, 'url' | 'proxy'>): { host: string; port: number } {
  const { hostname, port, protocol } = proxy?.url ?? url;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/** Looks up the addresses of the first hop as a connection would, in the order of the system. Throws ServiceError. */
export function probeDns(target: ProbeTarget): Promise<string[]> {
  const { host } = firstHop(target);
  return withDeadline(target, async () => (await lookup(host, { all: true })).map(({ address }) => address));
}

/** Connects to the first hop. Returns the address that accepted the connection. Throws ServiceError. */
export function probeTcp(target: ProbeTarget): Promise<string> {
  return withDeadline(target, async (cleanUp) => {
    const socket = connect({
      ...firstHop(target),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    });
    cleanUp(() => socket.destroy());
    await ready(socket, 'connect');
    return `${socket.remoteAddress} port ${socket.remotePort}`;
  });
}

export interface TlsProbe {
  /** `TLSv1.3` and the like. */
  protocol: string;
  /** Why the certificate is not trusted: a code such as CERT_HAS_EXPIRED. Undefined for a trusted one. */
  untrusted: string | undefined;
  /** Certificate of the service. Untrusted text. */
  certificate: PeerCertificate;
}

/** Runs the TLS handshake with the service, through the proxy if there is one. Throws ServiceError. */
export function probeTls(target: ProbeTarget): Promise<TlsProbe> {
  return withDeadline(target, async (cleanUp) => {
    const tls = process.getBuiltinModule('node:tls');
    const { host } = firstHop({ url: target.url, proxy: undefined });
    const tunnel = target.proxy === undefined ? undefined : await openTunnel(target, target.proxy, cleanUp);
    const socket: TLSSocket = tls.connect({
      ...(tunnel === undefined ? firstHop(target) : { socket: tunnel }),
      ...(/^[\d.]+$|:/.test(host) ? { host } : { servername: host, host }),
      ALPNProtocols: ['http/1.1'],
      // The certificate of a connection that is not trusted can only be read while it is open. Nothing is sent over it.
      rejectUnauthorized: false,
      ...trustedCertificates(target.extraCaCerts),
    });
    cleanUp(() => socket.destroy());
    await ready(socket, 'secureConnect');
    return {
      protocol: socket.getProtocol() ?? 'TLS',
      // The types say Error; Node sets the code if there is one.
      untrusted: socket.authorized ? undefined : String(socket.authorizationError),
      certificate: socket.getPeerCertificate(),
    };
  });
}

/** Turns the reason why a certificate is not trusted into the error that a request would end with. */
export function untrustedError(code: string, target: ProbeTarget): ServiceError {
  return networkError(Object.assign(new Error(code), { code }), target);
}

type CleanUp = (action: () => unknown) => void;

/** Opens a tunnel to the service through the proxy. Throws the error of undici that a request would end with. */
async function openTunnel(target: ProbeTarget, proxy: ProxyConfig, cleanUp: CleanUp): Promise<Duplex> {
  const { host, port } = firstHop({ url: target.url, proxy: undefined });
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const agent = new Agent({ connect: { timeout: target.deadlineMs, ...trustedCertificates(target.extraCaCerts) } });
  cleanUp(() => agent.destroy());
  const { statusCode, socket } = await agent.connect({
    origin: proxy.url.origin,
    path: authority,
    headers: { host: authority, ...(proxy.authorization && { 'proxy-authorization': proxy.authorization }) },
  });
  cleanUp(() => socket.destroy());
  // The TLS connection over it has the same error.
  socket.on('error', () => {});
  if (statusCode === 200) return socket;
  throw new Error(`Proxy response (${statusCode}) !== 200 when HTTP Tunneling`);
}

function ready(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(event, resolve);
    socket.on('error', reject);
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
  });
}

/** Runs one probe, releases what it opened, and turns its failure into the error of a request. */
async function withDeadline<T>(target: ProbeTarget, run: (cleanUp: CleanUp) => Promise<T>): Promise<T> {
  const actions: (() => unknown)[] = [];
  let disarm = () => {};
  const deadline = new Promise<never>((_, reject) => {
    const timedOut = Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' });
    disarm = target.clock.after(target.deadlineMs, () => reject(timedOut));
  });
  try {
    return await Promise.race([run((action) => actions.push(action)), deadline]);
  } catch (error) {
    throw networkError(error, target);
  } finally {
    disarm();
    // A TLS connection is destroyed before the socket of its tunnel: the other way round, Node.js crashes.
    for (const action of actions.reverse()) action();
  }
}

function networkError(error: unknown, { url, proxy }: ProbeTarget): ServiceError {
  const context = { origin: url.origin, proxy: proxy?.url.origin, written: false, redact: (text: string) => text };
  return errorFromNetwork(error, context);
}
