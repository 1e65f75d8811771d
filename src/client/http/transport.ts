import { subscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import { systemErrorCode } from '../../util/errors.ts';
import type { ProxyConfig } from './proxy.ts';

// undici parses responses with WebAssembly. Without this flag, V8 compiles it a second time, with the optimizing compiler, while a
// short command runs: `findings list` takes 1.9 times as long, and 90 instead of 54 MB (`npm run bench -- startup`).
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
  /** Fails the promise or the body with `reason`, and resets the connection. A request that is not yet written is never sent. */
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
  /** The origin of the proxy that requests go through, for messages; undefined if connections are direct. */
  readonly proxy: string | undefined;
  /** Closes every connection immediately, including those being established. */
  close(): Promise<void>;
}

/** Time to try one of several addresses of a host. With Node's default of 250 ms, connections over a slow line fail. */
const ADDRESS_ATTEMPT_MS = 1_000;

/** Upper bound on the headers of a response. Gateways and single sign-on add many. */
const MAX_HEADER_BYTES = 64 * 1024;

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
  const deadlines = { headersTimeout: 0, bodyTimeout: 0 };
  const pool = { pipelining: 1, allowH2: false, maxHeaderSize: MAX_HEADER_BYTES };
  const { proxy } = options;
  const dispatcher =
    proxy === undefined
      ? new Agent({ ...pool, connect })
      : new ProxyAgent({
          ...pool,
          uri: proxy.url.origin,
          proxyTunnel: false,
          requestTls: connect,
          proxyTls: connect,
          clientFactory: (_, options) => new TunnelAgent(options),
          // undici passes on no options to the connections of a proxy that forwards.
          factory: (origin, options) => new Pool(origin, { ...pool, ...options }),
          ...(proxy.authorization === undefined ? {} : { token: proxy.authorization }),
        });

  return {
    start({ method, url, headers, body }, refusal) {
      // A copy, because undici adds the host for a proxy.
      const target = { origin: url.origin, path: `${url.pathname}${url.search}`, headers: { ...headers } };
      return startRequest(dispatcher, { method, body: body ?? null, ...deadlines, ...target }, refusal);
    },
    proxy: proxy?.url.origin,
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

/** The responses that wait until their reader is ready for more. */
const paused = new Set<Dispatcher.DispatchController>();

function pause(response: Dispatcher.DispatchController): void {
  paused.add(response);
  response.pause();
}

function resume(response: Dispatcher.DispatchController): void {
  paused.delete(response);
  response.resume();
}

// undici 7 fails an assertion, and ends the process, if a response is paused when its connection ends. Version 8 does not, but
// needs Node.js 22. At the end of its connection, all bytes of a response have arrived, so it need not be paused any longer.
subscribe('undici:client:connected', (message) => {
  const { socket } = message as { socket: Socket };
  socket.prependListener('end', () => [...paused].forEach(resume));
  socket.prependListener('error', (error: NodeJS.ErrnoException) => {
    // undici takes a reset for the end of such a response, although bytes of it may be lost.
    if (error.code === 'ECONNRESET') error.code = 'ECONNABORTED';
    // An alert of TLS leaves the socket open, and undici would report only that the server then closed it.
    if (!socket.destroyed) socket.destroy(error);
  });
});

/** How undici reports that a proxy for plain http has rejected its credentials: not as a response. */
const FORWARD_REJECTED = 'Proxy Authentication Required (407)';

/** Receives the connection of the request that undici is starting. */
let onConnection: ((connection: Socket) => void) | undefined;
// The only way to learn the connection of a request.
subscribe('undici:client:sendHeaders', (message) => {
  onConnection?.((message as { socket: Socket }).socket);
  onConnection = undefined;
});

/**
 * Resets a connection. If orgadm closed it, the system would still deliver what it has not sent yet: minutes later, if the
 * machine sleeps or has no network. Node.js cannot reset a TLS connection.
 */
function reset(connection: Socket): void {
  if (!('encrypted' in connection)) connection.resetAndDestroy();
}

/** Dispatches one request. Its response resolves at the headers; the body has back-pressure. */
function startRequest(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  refusal: () => Error | undefined,
): PendingRequest {
  let controller: Dispatcher.DispatchController | undefined;
  let connection: Socket | undefined;
  let body: Readable | undefined;
  let written = false;
  let abortReason: Error | undefined;
  let abort: (reason: Error) => void = () => {};

  const response = new Promise<RawResponse>((resolve, reject) => {
    abort = (reason) => {
      abortReason ??= reason;
      reject(abortReason);
      if (connection !== undefined) reset(connection);
      controller?.abort(abortReason);
    };
    dispatcher.dispatch(options, {
      // Called right before the first byte is written, so a request aborted or refused while connecting is never sent.
      onRequestStart(started) {
        controller = started;
        abortReason ??= refusal();
        if (abortReason) started.abort(abortReason);
        else {
          written = true;
          onConnection = (opened) => {
            connection = opened;
          };
        }
      },
      onResponseStart(started, status, headers) {
        if (status < 200) return;
        body = bodyOf(started);
        resolve({ status, headers, body });
      },
      onResponseData(started, chunk) {
        // A parser that is resumed without data calls this with an empty chunk, and must not be paused again.
        if (body && chunk.length > 0 && !body.push(chunk)) pause(started);
      },
      onResponseEnd() {
        connection = undefined;
        body?.push(null);
      },
      onResponseError(started, error) {
        paused.delete(started);
        if (body) body.destroy(abortReason ?? error);
        else if (error.message === FORWARD_REJECTED) resolve({ status: 407, headers: {}, body: Readable.from([]) });
        else reject(abortReason ?? error);
      },
    });
  });
  return { response, written: () => written, abort: (reason) => abort(reason) };
}

function bodyOf(controller: Dispatcher.DispatchController): Readable {
  const body = new Readable({
    read: () => resume(controller),
    destroy(error, done) {
      paused.delete(controller);
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
 */
function trustedCertificates(extraCaCerts: readonly string[]): { ca?: string[] } {
  if (extraCaCerts.length === 0) return {};
  return { ca: [...defaultCertificates(), ...extraCaCerts] };
}

/** Returns the default list, which `ca` would replace; Node before 22.15 only knows the bundled one. */
function defaultCertificates(): readonly string[] {
  // Loaded only when needed: it takes a sixth of Node's start-up time.
  const tls = process.getBuiltinModule('node:tls');
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}
