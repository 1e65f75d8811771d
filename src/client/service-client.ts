import { parseBaseUrl } from '../util/base-url.ts';
import type { Clock } from '../util/clock.ts';
import { checkApiKey, headerOf, requestIdOf } from './http/headers.ts';
import type { IncomingHeaders } from './http/pending-request.ts';
import { chooseProxy, type ProxySettings } from './http/proxy.ts';
import type { RawPath } from './http/raw-path.ts';
import type { OpenResponse } from './http/request-attempt.ts';
import { DEFAULT_MAX_BYTES, decodeText, readBytes } from './http/response-body.ts';
import { createRetryQuota, RETRY_QUOTA } from './http/retry.ts';
import { type RetryWait, withRetries } from './http/retry-loop.ts';
import { redactHeaders, renderTraceBody, type Trace, traceDetail } from './http/trace.ts';
import { createTransport } from './http/transport.ts';
import { buildHttpRequest } from './http/wire-request.ts';
import { createRedactor } from './redactor.ts';
import { createSendRequest } from './send-request.ts';

export interface ClientOptions {
  /** Address of the service, with any path prefix. */
  baseUrl: string;
  apiKey: string;
  /** To the answer's headers, then the same without a byte; milliseconds. */
  timeoutMs: number;
  /** Extra attempts after the first, for requests that may be sent again. */
  retries: number;
  /** Allows plain http beyond loopback. */
  allowHttp: boolean;
  /** PEM text of certificates trusted beside the system's. */
  caCert?: string | undefined;
  /** PEM text of NODE_EXTRA_CA_CERTS: `caCert` replaces what Node loads itself, on versions before 22.15. */
  extraCaCerts?: string | undefined;
  proxy: ProxySettings;
  userAgent: string;
  clock: Clock;
  /** From 0 up to 1, for the jitter. */
  random: () => number;
  trace?: Trace | undefined;
  onWait?: ((wait: RetryWait) => () => void) | undefined;
}

export interface RequestSpec {
  method: string;
  /** Path segments, each encoded; empty ones, `.` and `..` are refused. Or a path as a person wrote it. */
  path: readonly string[] | RawPath;
  query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  rawBody?: string | Buffer;
  /** What may come; JSON unless it is given. */
  accept?: string;
  /** `safe`: may be sent again (a GET, the role PATCH); `none`: a single attempt. */
  retry: 'safe' | 'none';
  /** Fewer retries for a status 500. */
  retry500?: number;
  /** A longer Retry-After ends the call; milliseconds, default 60 s. */
  maxRetryAfterMs?: number;
  /** Bound of the answer held in memory, in decoded bytes; default 32 MiB. Not for `stream`. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
}

interface ResponseHead {
  status: number;
  headers: IncomingHeaders;
  requestId: string | undefined;
  contentType: string | undefined;
  /** Milliseconds of the last attempt: to the end of the body, for a stream to its headers. */
  durationMs: number;
  /** An earlier attempt of this write may have been applied: its fate was unclear. */
  retried: boolean;
}

export interface ServiceResponse extends ResponseHead {
  text: string;
}

export interface BinaryResponse extends ResponseHead {
  /** The decoded body, whole, without the key. */
  bytes: Buffer;
}

export interface StreamedResponse extends ResponseHead {
  /** The decoded body, of any size, without the key, to be read once. Fails with ServiceError. */
  chunks: AsyncIterable<Buffer>;
  /** Gives up a body that is not read. */
  discard(): void;
}

/** Access to one service. The three calls resolve for a 2xx answer and throw ServiceError for everything else. */
export interface ServiceClient {
  readonly baseUrl: string;
  request(spec: RequestSpec): Promise<ServiceResponse>;
  /** The same, for whoever reads large answers without making a text of them. */
  requestBytes(spec: RequestSpec): Promise<BinaryResponse>;
  stream(spec: RequestSpec): Promise<StreamedResponse>;
  /** Ends all connections at once; requests still running fail. */
  close(): Promise<void>;
}

/** A longer Retry-After than this ends a call, in milliseconds. */
export const DEFAULT_MAX_RETRY_AFTER_MS = 60_000;

/** Builds a client. Throws UsageError for a base URL, key or proxy that cannot be used. */
export function createClient(options: ClientOptions): ServiceClient {
  const { apiKey, clock, timeoutMs, trace } = options;
  const base = parseBaseUrl(options.baseUrl, options.allowHttp);
  checkApiKey(apiKey);
  const redactor = createRedactor(apiKey);
  const { redact } = redactor;
  const proxy = chooseProxy(base, options.proxy);
  const extraCaCerts =
    options.caCert === undefined ? [] : [options.caCert, ...(options.extraCaCerts ? [options.extraCaCerts] : [])];
  const transport = createTransport({ connectTimeoutMs: timeoutMs, extraCaCerts, proxy });
  const quota = createRetryQuota(Math.max(RETRY_QUOTA, options.retries));
  const send = createSendRequest({ base, transport, clock, timeoutMs, proxy: proxy?.url.origin, redactor, trace });

  const call = async <T extends object>(spec: RequestSpec, read: (open: OpenResponse) => Promise<T>) => {
    const request = buildHttpRequest(base, spec, { apiKey, userAgent: options.userAgent });
    const once = async () => {
      const began = clock.now();
      const open = await send(request, spec.signal);
      const part = await read(open);
      const { status, headers } = open;
      const head = {
        status,
        headers: redactHeaders(headers, redact),
        requestId: requestIdOf(headers, redact),
        contentType: headerOf(headers, 'content-type'),
      };
      return { ...head, ...part, durationMs: clock.now() - began };
    };
    const { value, ambiguous } = await withRetries(once, {
      policy: spec.retry,
      retries: options.retries,
      retry500: spec.retry500,
      maxRetryAfterMs: spec.maxRetryAfterMs ?? DEFAULT_MAX_RETRY_AFTER_MS,
      isWrite: !/^(GET|HEAD|OPTIONS)$/.test(request.method),
      quota,
      clock,
      random: options.random,
      onWait: options.onWait,
      signal: spec.signal,
    });
    return { ...value, retried: ambiguous };
  };

  const requestBytes = (spec: RequestSpec) =>
    call(spec, async ({ chunks }) => {
      const bytes = await readBytes(chunks, spec.maxBytes ?? DEFAULT_MAX_BYTES);
      traceDetail(trace, () => renderTraceBody('<', decodeText(bytes), redact));
      return { bytes };
    });

  return {
    baseUrl: base.href.replace(/\/$/, ''),
    async request(spec) {
      const { bytes, ...head } = await requestBytes(spec);
      return { ...head, text: decodeText(bytes) };
    },
    requestBytes,
    stream: (spec) => call(spec, async ({ chunks, discard }) => ({ chunks, discard })),
    close: () => transport.close(),
  };
}
