import { subscribe } from 'node:diagnostics_channel';
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isLoopback } from '../util/base-url.ts';
import { systemErrorCode, UsageError } from '../util/errors.ts';
import type { Clock } from '../util/host.ts';
import { type Moment, momentAfter, presentMoment, remainingUntil } from '../util/moment.ts';
import type { IncomingHeaders } from './headers.ts';
import { abortedError, connectionError, type ServiceError, timeoutError, tooLargeError } from './service-error.ts';

// undici reads responses with WebAssembly, which V8 would compile twice: quickly, and again with optimizations that take longer
// than all of our requests.
setFlagsFromString('--liftoff-only');

/** The proxy variables of the environment, as undici's `EnvHttpProxyAgent` reads them. */
export interface ProxySettings {
  http?: string | undefined;
  https?: string | undefined;
  no?: string | undefined;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Deadline for a connection, then for the response's headers, then for each next byte, in milliseconds. */
  readonly timeoutMs: number;
  /** PEM certificates trusted in addition to those of Node.js. */
  readonly extraCaCerts: readonly string[];
  readonly proxy: ProxySettings;
}

export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  /** When the response must be complete: from then on, the request is not sent either. Default: ten timeouts from now. */
  readonly endsAt?: Moment | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete response, of any status. */
export interface WireResponse {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly body: Buffer;
}

/** Connections to one service, directly or through a proxy. */
export interface Connections {
  /** Sends a request once. Throws ServiceError unless a complete response arrives. */
  send(request: WireRequest): Promise<WireResponse>;
  /** Closes every connection immediately, including those being established; requests in flight fail. */
  close(): Promise<void>;
}

/** Upper bound on a response, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Upper bound on the headers of a response. Gateways and single sign-on add many. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Time to try one of several addresses of a host. With Node's default of 250 ms, connections over a slow line fail. */
const ADDRESS_ATTEMPT_MS = 1_000;

/**
 * Opens connections to a service when it has requests. They speak HTTP/1.1 only, never follow redirects, and always verify
 * certificates.
 *
 * @throws UsageError for a proxy that is not an http(s) URL, without repeating it, because it may contain a password
 */
export function openConnections(baseUrl: URL, options: ConnectionOptions): Connections {
  const lifetime = new AbortController();
  setMaxListeners(0, lifetime.signal);
  const connect = {
    timeout: options.timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    // Explicit, because otherwise an environment variable could disable verification.
    rejectUnauthorized: true,
    // undici destroys only established connections; this also ends those being established.
    signal: lifetime.signal,
    ...trustedCertificates(options.extraCaCerts),
  };
  const dispatcher = createDispatcher(baseUrl, options.proxy, connect);
  return {
    send: (request) => sendOnce(dispatcher, request, { ...options, isClosed: () => lifetime.signal.aborted }),
    async close() {
      lifetime.abort();
      await dispatcher.destroy();
    },
  };
}

function createDispatcher(baseUrl: URL, proxy: ProxySettings, connect: object): Dispatcher {
  const isHttps = baseUrl.protocol === 'https:';
  const written = (isHttps ? proxy.https : proxy.http)?.trim();
  if (!written || isLoopback(baseUrl.hostname)) return new Agent({ maxHeaderSize: MAX_HEADER_BYTES, connect });
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`;
  try {
    const { protocol, password } = new URL(url);
    if (!/^https?:$/.test(protocol)) throw new TypeError('another protocol');
    decodeURIComponent(password);
    return new EnvHttpProxyAgent({
      // A service has one protocol. undici would use the proxy of the other one as a default.
      httpProxy: url,
      httpsProxy: url,
      noProxy: proxy.no ?? '',
      maxHeaderSize: MAX_HEADER_BYTES,
      connect,
      requestTls: connect,
      proxyTls: connect,
      // Plain http is forwarded. Otherwise undici would open a tunnel, which few proxies allow to port 80.
      proxyTunnel: false,
      clientFactory: (_, tunnels) => new TunnelAgent(tunnels),
    });
  } catch {
    const variable = isHttps ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    throw new UsageError(`the proxy in ${variable} is not an http:// or https:// URL`, 'Write it as http://host:port.');
  }
}

/** Opens tunnels. undici 7 tries forever, without a pause, to open one through a proxy that closes its connections. */
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

/**
 * Returns TLS options that trust PEM certificates in addition to Node's own. They are empty without any, so that
 * Node's own choice (NODE_EXTRA_CA_CERTS, --use-system-ca) is unchanged.
 */
function trustedCertificates(extraCaCerts: readonly string[]): { ca?: string[] } {
  if (extraCaCerts.length === 0) return {};
  // Loaded only when needed: it takes a sixth of Node's start-up time.
  const tls = process.getBuiltinModule('node:tls');
  // Node before 22.15 only knows the bundled ones.
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => string[] };
  return { ca: [...(getCACertificates?.('default') ?? tls.rootCertificates), ...extraCaCerts] };
}

// An alert of TLS leaves the socket open, and undici would report only that the server closes it later.
subscribe('undici:client:connected', (message) => {
  const { socket } = message as { socket: Socket };
  socket.prependListener('error', (error) => {
    if (!socket.destroyed) socket.destroy(error);
  });
});

/** Receives the connection of the request that undici is starting. */
let onConnection: ((connection: Socket) => void) | undefined;
// The only way to learn the connection of a request.
subscribe('undici:client:sendHeaders', (message) => {
  onConnection?.((message as { socket: Socket }).socket);
  onConnection = undefined;
});

/** A response may take so many timeouts, so that one that never ends does not hang a command. */
const MAX_TIMEOUTS = 10;
/** How often orgadm looks whether the machine has slept, in milliseconds: its timers stood still meanwhile. */
const SLEEP_CHECK_MS = 5_000;

interface SendOptions extends Pick<ConnectionOptions, 'clock' | 'timeoutMs'> {
  isClosed(): boolean;
}

/*
 * Uses `dispatch` rather than `request` of undici, because an import depends on three facts that only its handler tells: whether
 * a byte of the request may have left, that none leaves after the deadline, and which connection to reset.
 */
function sendOnce(dispatcher: Dispatcher, request: WireRequest, options: SendOptions): Promise<WireResponse> {
  const { clock, timeoutMs } = options;
  const { url, signal } = request;
  const startedAt = presentMoment(clock);
  const endsAt = request.endsAt ?? momentAfter(startedAt, MAX_TIMEOUTS * timeoutMs);
  let nextByteBy = momentAfter(startedAt, timeoutMs);
  let state: 'connecting' | 'sent' | 'responding' = 'connecting';
  let controller: Dispatcher.DispatchController | undefined;
  let connection: Socket | undefined;
  let failure: ServiceError | undefined;
  let release = () => {};

  return new Promise<WireResponse>((resolve, reject) => {
    const stop = (reason: ServiceError) => {
      failure ??= reason;
      reject(failure);
      if (connection !== undefined) reset(connection);
      controller?.abort(failure);
    };
    const msLeft = (moment: Moment) => remainingUntil(moment, presentMoment(clock));
    const lateError = () => (msLeft(endsAt) === 0 ? timeoutError('late', url, timeoutMs) : undefined);
    const onAbort = () => stop(abortedError(state !== 'connecting'));
    if (signal?.aborted) return onAbort();
    const late = lateError();
    if (late !== undefined) return stop(late);

    /** Ends the request once its deadline has passed. Looks for that when it should be, or after so many milliseconds. */
    const watch = (intervalMs = Number.POSITIVE_INFINITY): (() => void) => {
      let cancel = () => {};
      const check = () => {
        const ms = Math.min(msLeft(endsAt), msLeft(nextByteBy));
        if (ms === 0) stop(timeoutError(state, url, timeoutMs));
        else cancel = clock.after(Math.min(ms, intervalMs), check);
      };
      check();
      return () => cancel();
    };
    const watches = [watch(), watch(SLEEP_CHECK_MS)];
    signal?.addEventListener('abort', onAbort, { once: true });
    release = () => {
      for (const cancel of watches) cancel();
      signal?.removeEventListener('abort', onAbort);
    };

    let head: Pick<WireResponse, 'status' | 'headers'> | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    dispatcher.dispatch(
      {
        method: request.method,
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        // A copy, because undici adds the host for a proxy.
        headers: { ...request.headers },
        body: request.body ?? null,
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        // Called right before the first byte is written, however long connecting took.
        onRequestStart(started) {
          controller = started;
          failure ??= lateError();
          if (failure !== undefined) {
            started.abort(failure);
            return;
          }
          state = 'sent';
          onConnection = (opened) => {
            connection = opened;
          };
        },
        onResponseStart(_, status, headers) {
          nextByteBy = momentAfter(presentMoment(clock), timeoutMs);
          if (status < 200) return;
          state = 'responding';
          head = { status, headers };
        },
        onResponseData(_, chunk) {
          nextByteBy = momentAfter(presentMoment(clock), timeoutMs);
          size += chunk.length;
          if (size > MAX_BYTES) stop(tooLargeError(MAX_BYTES));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          if (head !== undefined) resolve({ ...head, body: Buffer.concat(chunks, size) });
        },
        onResponseError(_, error) {
          const isSent = state !== 'connecting';
          reject(failure ?? (options.isClosed() ? abortedError(isSent) : connectionError(error, url, isSent)));
        },
      },
    );
  }).finally(() => release());
}

/**
 * Resets a connection. If orgadm closed it, the system would still deliver what it has not sent yet: minutes later, if the
 * machine sleeps or has no network. Node.js cannot reset a TLS connection.
 */
function reset(connection: Socket): void {
  if (!('encrypted' in connection)) connection.resetAndDestroy();
}
