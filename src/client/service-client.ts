import type { Redact, Secrets } from '../output/redact.ts';
import { parseBaseUrl } from '../util/base-url.ts';
import type { Clock } from '../util/host.ts';
import type { Moment } from '../util/moment.ts';
import { checkApiKey } from './http/api-key.ts';
import { headerOf, requestIdOf } from './http/headers.ts';
import { errorFromResponse } from './http/http-error.ts';
import { Outages } from './http/outage.ts';
import { type ProxySettings, readProxy } from './http/proxy.ts';
import { decodeText, type OpenResponse, readBody, readErrorText, sendOnce } from './http/request-attempt.ts';
import { buildHttpRequest, type HttpRequestParts } from './http/request-url.ts';
import { type RetryWait, withRetries } from './http/retry.ts';
import { ServiceError } from './http/service-error.ts';
import { renderTraceBody, renderTraceHeaders, type Trace, traceLines } from './http/trace.ts';
import { createTransport, type IncomingHeaders, type Transport, type WireRequest } from './http/transport.ts';

export interface ClientOptions {
  /** Address of the service, with any path prefix. */
  baseUrl: string;
  apiKey: string;
  /** Where the key comes from and how to use another one, for the hint about a rejected key. */
  keyHint?: string | undefined;
  /** Deadline for the response's headers, then for each next byte, in milliseconds. */
  timeoutMs: number;
  /** Extra attempts after the first, for requests that may be repeated. */
  retries: number;
  /** Allows plain http to hosts other than loopback. */
  allowHttp: boolean;
  /** PEM text of certificates trusted in addition to the system's. */
  caCert?: string | undefined;
  /** PEM text of NODE_EXTRA_CA_CERTS: `caCert` replaces what Node loads itself, on versions before 22.15. */
  extraCaCerts?: string | undefined;
  proxy: ProxySettings;
  userAgent: string;
  clock: Clock;
  /** From 0 up to 1, for the jitter. */
  random: () => number;
  trace?: Trace | undefined;
  /** The client adds its own. */
  secrets: Secrets;
  onWait?: ((wait: RetryWait) => () => void) | undefined;
}

export interface RequestSpec extends HttpRequestParts {
  /** `safe`: may be repeated (a GET, the role PATCH); `none`: a single attempt. */
  retry: 'safe' | 'none';
  /** Fewer retries for a status 500. */
  retry500?: number;
  /** Aborts a single attempt (`retry: 'none'`). */
  signal?: AbortSignal | undefined;
  /**
   * When the response of a single attempt must be complete: a request that has not been sent by then fails with processed
   * `no`. Otherwise the timeout applies to the headers, then to each next byte.
   */
  endsAt?: Moment;
}

interface ResponseHead {
  status: number;
  headers: IncomingHeaders;
  requestId: string | undefined;
  contentType: string | undefined;
}

export interface ServiceResponse extends ResponseHead {
  /** The decoded body as text. */
  text: string;
  /** The bytes of the decoded body. */
  bytes: Buffer;
  /** Removes the key from a text that is made of it. */
  redact: Redact;
}

export interface StreamedResponse extends ResponseHead {
  /** The decoded body, of any size. Can be read once; throws ServiceError. */
  chunks: AsyncIterable<Buffer>;
  /** Discards a body that is not read. */
  discard(): void;
}

/** Access to one service. Its requests resolve for a 2xx response and throw ServiceError otherwise. */
export interface ServiceClient {
  readonly baseUrl: string;
  /** Deadline for the response's headers, then for each next byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Removes the key from a text that is made of what the service said. */
  readonly redact: Redact;
  /** The outages of the service. Every request of this client is recorded there. */
  readonly outages: Outages;
  /** Holds the response in memory, of up to 32 MiB. */
  request(spec: RequestSpec): Promise<ServiceResponse>;
  stream(spec: RequestSpec): Promise<StreamedResponse>;
  /**
   * Runs a read of several steps, whose requests have the policy `none`, until it succeeds: under the rules for `safe` requests.
   *
   * @param mayRetry whether the read may still be repeated
   */
  retryRead<T>(read: () => Promise<T>, mayRetry: () => boolean): Promise<T>;
  /** Closes all connections immediately; requests in flight fail. */
  close(): Promise<void>;
}

/** A response that is held in memory may take so many timeouts, so that one that never ends does not hang a command. */
const MAX_BODY_TIMEOUTS = 10;

/** Creates a client. Throws UsageError for a base URL, key or proxy that cannot be used. */
export function createClient(options: ClientOptions): ServiceClient {
  const { apiKey, clock, timeoutMs, trace } = options;
  const base = parseBaseUrl(options.baseUrl, options.allowHttp);
  checkApiKey(apiKey);
  const proxy = readProxy(base, options.proxy);
  options.secrets.add(apiKey, ...(proxy?.secrets ?? []));
  const { redact } = options.secrets;
  const extraCaCerts = [options.caCert, options.extraCaCerts].filter((pem) => pem !== undefined);
  const transport = createTransport({ connectTimeoutMs: timeoutMs, extraCaCerts, proxy });
  const outages = new Outages(options);
  const send = createSendRequest({ ...options, base, transport, redact });

  const call = async <T extends object>(
    spec: RequestSpec & { isHeld: boolean },
    read: (open: OpenResponse) => Promise<T>,
  ) => {
    const request = buildHttpRequest(base, spec, { apiKey, userAgent: options.userAgent });
    const once = async () => {
      const open = await observeOutages(() => send(request, spec), outages, clock);
      const part = await read(open);
      const { status, headers } = open;
      return {
        status,
        headers,
        requestId: requestIdOf(headers, redact),
        contentType: headerOf(headers, 'content-type'),
        ...part,
      };
    };
    const isWrite = !/^(GET|HEAD|OPTIONS)$/.test(request.method);
    return withRetries(once, { ...options, policy: spec.retry, retry500: spec.retry500, isWrite, outages });
  };

  return {
    baseUrl: base.href.replace(/\/$/, ''),
    timeoutMs,
    clock,
    redact,
    outages,
    request: (spec) =>
      call({ ...spec, isHeld: true }, async ({ chunks }) => {
        const bytes = await readBody(chunks);
        const text = decodeText(bytes);
        traceLines(trace, () => renderTraceBody('<', text, redact));
        return { text, bytes, redact };
      }),
    stream: (spec) => call({ ...spec, isHeld: false }, async ({ chunks, discard }) => ({ chunks, discard })),
    retryRead: (read, mayRetry) => withRetries(read, { ...options, policy: 'safe', isWrite: false, outages, mayRetry }),
    close: () => transport.close(),
  };
}

/** Sends a request once, and records what it shows about the service. */
async function observeOutages(
  send: () => Promise<OpenResponse>,
  outages: Outages,
  clock: Clock,
): Promise<OpenResponse> {
  const sentAtMs = clock.now();
  try {
    const open = await send();
    outages.accepted();
    return open;
  } catch (error) {
    if (error instanceof ServiceError) outages.failed(error, sentAtMs);
    throw error;
  }
}

interface SendRequestOptions extends Pick<ClientOptions, 'clock' | 'timeoutMs' | 'trace' | 'keyHint'> {
  base: URL;
  transport: Transport;
  redact: Redact;
}

/** Returns the function that sends a request once, with trace output, and throws ServiceError for a response other than 2xx. */
function createSendRequest(options: SendRequestOptions) {
  const { base, clock, redact, trace } = options;
  return async (
    request: WireRequest,
    { signal, endsAt, isHeld }: RequestSpec & { isHeld: boolean },
  ): Promise<OpenResponse> => {
    const began = clock.now();
    const line = (outcome: string) =>
      trace?.(`${request.method} ${request.url.href} -> ${outcome} (${clock.now() - began} ms)`);
    traceLines(trace, () => renderRequest(request, redact));
    const maxBodyMs = isHeld ? MAX_BODY_TIMEOUTS * options.timeoutMs : undefined;
    const open = await sendOnce(request, { ...options, signal, endsAt, maxBodyMs }).catch((error: unknown) => {
      line(error instanceof ServiceError ? error.kind : 'failed');
      throw error;
    });
    const requestId = requestIdOf(open.headers, redact);
    line(requestId ? `${open.status}, request id ${requestId}` : String(open.status));
    traceLines(trace, () => renderTraceHeaders('<', open.headers));
    if (open.status >= 200 && open.status <= 299) return open;
    // The body has to arrive within the deadline of a response.
    const disarm = clock.after(options.timeoutMs, open.discard);
    const body = await readErrorText(open.chunks).finally(disarm);
    traceLines(trace, () => renderTraceBody('<', body.text, redact));
    const { status, headers } = open;
    const { keyHint } = options;
    const response = { base, url: request.url, status, headers, ...body };
    throw errorFromResponse({ ...response, redact, keyHint, nowMs: clock.now() });
  };
}

function renderRequest({ method, url, headers, body }: WireRequest, redact: Redact): string[] {
  return [
    `> ${method} ${url.href}`,
    ...renderTraceHeaders('>', headers),
    ...renderTraceBody('>', body?.toString() ?? '', redact),
  ];
}
