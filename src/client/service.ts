import { MASK, type Redact, type Secrets } from '../output/redact.ts';
import { parseBaseUrl } from '../util/base-url.ts';
import { UsageError } from '../util/errors.ts';
import type { Clock } from '../util/host.ts';
import type { Moment } from '../util/moment.ts';
import { headerOf, type IncomingHeaders } from './headers.ts';
import { type Connections, openConnections, type ProxySettings, type WireRequest } from './request.ts';
import { type RawPath, requestUrl } from './request-url.ts';
import { type RetryOptions, withRetries } from './retry.ts';
import { errorFromResponse, ServiceError } from './service-error.ts';

export interface ClientOptions extends RetryOptions {
  /** Address of the service, with any path prefix. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Where the key comes from and how to use another one, for the hint about a rejected key. */
  readonly keyHint?: string | undefined;
  /** Deadline for a connection, then for the response's headers, then for each next byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Allows plain http to hosts other than loopback. */
  readonly allowHttp: boolean;
  /** PEM text of certificates trusted in addition to the system's. */
  readonly caCert?: string | undefined;
  /** PEM text of NODE_EXTRA_CA_CERTS: `caCert` replaces what Node loads itself, on versions before 22.15. */
  readonly extraCaCerts?: string | undefined;
  readonly proxy: ProxySettings;
  readonly userAgent: string;
  readonly clock: Clock;
  /** The client adds its own. */
  readonly secrets: Secrets;
  /** Receives each request and response, line by line. The text is untrusted, and may have the key. */
  readonly trace?: ((line: string) => void) | undefined;
}

export interface RequestSpec {
  readonly method: string;
  /** Path segments, or a path as a user wrote it. */
  readonly path: readonly string[] | RawPath;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Buffer;
  /** Accept header; default JSON. */
  readonly accept?: string;
  /** Whether the request may be sent again after a failure that may pass. Only reads and the role update may. */
  readonly isRepeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** When the response must be complete: a request that has not been sent by then never is. */
  readonly endsAt?: Moment;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly requestId: string | undefined;
  readonly text: string;
  readonly bytes: Buffer;
  /** Removes the key from a text that is made of it. */
  readonly redact: Redact;
}

/** Access to one service. A request resolves for a complete 2xx response, and throws ServiceError otherwise. */
export interface ServiceClient {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Removes the key from a text that is made of what the service said. */
  readonly redact: Redact;
  request(spec: RequestSpec): Promise<ServiceResponse>;
  /** Closes all connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/** Creates a client. Throws UsageError for a base URL, key, or proxy that cannot be used. */
export function createClient(options: ClientOptions): ServiceClient {
  const { apiKey, clock, timeoutMs, secrets } = options;
  const url = parseBaseUrl(options.baseUrl, options.allowHttp);
  checkApiKey(apiKey);
  const baseUrl = url.href.replace(/\/$/, '');
  const extraCaCerts = [options.caCert, options.extraCaCerts].filter((pem) => pem !== undefined);
  const connections = openConnections(url, { clock, timeoutMs, extraCaCerts, proxy: options.proxy });
  secrets.add(apiKey, ...proxyPasswords(options.proxy));
  const { redact } = secrets;
  const context = { ...options, baseUrl, redact, connections };
  return {
    baseUrl,
    timeoutMs,
    clock,
    redact,
    async request(spec) {
      const request = wireRequest(url, spec, options);
      const send = () => sendOnce(request, context);
      try {
        return await (spec.isRepeatable ? withRetries(send, options) : send());
      } catch (error) {
        const isRead = spec.method === 'GET' || spec.method === 'HEAD';
        if (isRead || !(error instanceof ServiceError) || !error.isAmbiguous) throw error;
        throw error.with({ hint: `The service may have processed the request. ${error.hint ?? ''}`.trim() });
      }
    },
    close: () => connections.close(),
  };
}

/** Throws UsageError, without the key in it, unless the key is a valid header value (interface 5). */
export function checkApiKey(apiKey: string): void {
  if (/^[\x21-\x7e]+$/.test(apiKey)) return;
  throw new UsageError(
    apiKey === '' ? 'the API key is empty' : 'the API key contains a space, a line break, or another invalid character',
    'Copy the complete key again, without quotes or spaces around it.',
  );
}

/** Returns the passwords of proxies and what is sent of them, because a proxy that forwards requests can echo both. */
function proxyPasswords({ http = '', https = '' }: ProxySettings): string[] {
  return [http, https].flatMap((proxy) => {
    const { username, password } = URL.canParse(proxy) ? new URL(proxy) : { username: '', password: '' };
    if (password === '') return [];
    const [user, secret] = [username, password].map(decodeURIComponent);
    return [password, secret, Buffer.from(`${user}:${secret}`).toString('base64')].filter((one) => one !== undefined);
  });
}

function wireRequest(
  base: URL,
  spec: RequestSpec,
  { apiKey, userAgent }: Pick<ClientOptions, 'apiKey' | 'userAgent'>,
): WireRequest {
  const body = spec.rawBody ?? (spec.body === undefined ? undefined : JSON.stringify(spec.body));
  return {
    method: spec.method,
    url: requestUrl(base, spec.path, spec.query),
    headers: {
      'x-api-key': apiKey,
      accept: spec.accept ?? 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      // A cache on the way could return the state of an hour ago: X-API-Key, unlike Authorization, keeps none from storing it.
      ...(spec.method === 'GET' && { 'cache-control': 'no-cache' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body,
    signal: spec.signal,
    endsAt: spec.endsAt,
  };
}

interface SendContext extends Pick<ClientOptions, 'clock' | 'keyHint' | 'trace'> {
  readonly baseUrl: string;
  readonly connections: Connections;
  readonly redact: Redact;
}

async function sendOnce(request: WireRequest, context: SendContext): Promise<ServiceResponse> {
  const { baseUrl, clock, connections, keyHint, redact, trace } = context;
  const began = clock.now();
  const line = (outcome: string) =>
    trace?.(`${request.method} ${request.url.href} -> ${outcome} (${clock.now() - began} ms)`);
  const traceMessage = (prefix: string, headers: IncomingHeaders, body: string) => {
    if (trace) for (const part of renderMessage(prefix, headers, redact(body))) trace(part);
  };
  traceMessage('>', request.headers, trace ? (request.body?.toString() ?? '') : '');
  const response = await connections.send(request).catch((error: unknown) => {
    line(error instanceof ServiceError ? error.message : 'failed');
    throw error;
  });
  const { status, headers, body } = response;
  const text = new TextDecoder().decode(body);
  const requestId = requestIdOf(headers, redact);
  line(requestId === undefined ? String(status) : `${status}, request id ${requestId}`);
  traceMessage('<', headers, text);
  if (status >= 200 && status <= 299) return { status, headers, requestId, text, bytes: body, redact };
  const failed = { url: request.url, baseUrl, status, headers, text, requestId, keyHint, redact, nowMs: clock.now() };
  throw errorFromResponse(failed);
}

const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'cf-ray'] as const;

/** Returns the service's identifier of a request, at most 200 characters. */
function requestIdOf(headers: IncomingHeaders, redact: Redact): string | undefined {
  const id = REQUEST_ID_HEADERS.map((name) => headerOf(headers, name)?.trim()).find(Boolean);
  return id && redact(id).slice(0, 200);
}

/** Upper bound on the part of a body that a trace shows, in characters. */
const TRACED_CHARACTERS = 4_096;

const SECRET_HEADERS = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie)$/i;

/** Renders headers and the start of a body for a trace. `prefix` is `>` for a request, `<` for a response. */
function* renderMessage(prefix: string, headers: IncomingHeaders, body: string): Generator<string> {
  for (const [name, values] of Object.entries(headers))
    for (const value of [values ?? []].flat()) yield `${prefix} ${name}: ${SECRET_HEADERS.test(name) ? MASK : value}`;
  if (body === '') return;
  const rest = body.length - TRACED_CHARACTERS;
  yield `${prefix} ${body.slice(0, TRACED_CHARACTERS)}${rest > 0 ? ` [${rest} more characters]` : ''}`;
}
