import { type ErrorCode, type ErrorDetails, EXIT, OrgadmError, systemErrorCode } from '../../util/errors.ts';
import { SIGNAL_EXIT } from '../../util/host.ts';
import type { IncomingHeaders } from './transport.ts';

/**
 * How a request failed:
 * - `rejected`: a response with an error status (4xx or 5xx), see `status`
 * - `unreachable`: no connection (DNS, refused, proxy); nothing was sent
 * - `certificate`: no TLS connection, or none that is trusted
 * - `interrupted`: the connection was lost, or the response was truncated
 * - `timeout`: no response, or no further byte of it, in time
 * - `invalid-response`: a response that is not valid HTTP or does not follow the interface
 * - `response-too-large`: the response exceeds the limit for memory
 * - `redirect`: redirects are never followed
 * - `aborted`: aborted by the caller
 */
export type ServiceErrorKind =
  | 'rejected'
  | 'unreachable'
  | 'certificate'
  | 'interrupted'
  | 'timeout'
  | 'invalid-response'
  | 'response-too-large'
  | 'redirect'
  | 'aborted';

/** `no`: the service certainly processed nothing of the request. */
export type ProcessedState = 'no' | 'maybe';

/** The response of a rejected request. */
export interface ErrorResponse {
  headers: IncomingHeaders;
  /** The start of the body, with the API key masked. */
  text: string;
  /** Whether that is all of the body. */
  isComplete: boolean;
}

export interface ServiceErrorDetails extends ErrorDetails {
  kind: ServiceErrorKind;
  processed: ProcessedState;
  /** The service's own messages: untrusted text, bounded in length, not sanitized. */
  messages?: readonly string[];
  /** The wait that the service requested, in milliseconds; of a 429, also the reset that it announces. */
  retryAfterMs?: number | undefined;
  response?: ErrorResponse | undefined;
}

/** A request that did not end in a 2xx response. Never contains the API key, in any field or cause. */
export class ServiceError extends OrgadmError {
  readonly kind: ServiceErrorKind;
  readonly processed: ProcessedState;
  readonly messages: readonly string[];
  readonly retryAfterMs: number | undefined;
  /** Set if the kind is `rejected`. */
  readonly response: ErrorResponse | undefined;

  constructor(code: ErrorCode, exitCode: number, message: string, details: ServiceErrorDetails) {
    super(code, exitCode, message, details);
    this.kind = details.kind;
    this.processed = details.processed;
    this.messages = details.messages ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.response = details.response;
  }
}

/** Kinds of failures in which orgadm reached the service but cannot use its response. */
const UNUSABLE: ReadonlySet<ServiceErrorKind> = new Set(['invalid-response', 'response-too-large', 'redirect']);

const TRANSIENT_KINDS: ReadonlySet<ServiceErrorKind> = new Set(['unreachable', 'interrupted', 'timeout']);
const TRANSIENT_STATUS: ReadonlySet<number> = new Set([408, 425, 429]);
const NOT_IMPLEMENTED = 501;

/** Whether a failure may pass: no complete response, a rate limit, or a 5xx other than 501. */
export function isTransientFailure({ kind, status }: Pick<ServiceErrorDetails, 'kind' | 'status'>): boolean {
  if (status === undefined) return TRANSIENT_KINDS.has(kind);
  return TRANSIENT_STATUS.has(status) || (status >= 500 && status !== NOT_IMPLEMENTED);
}

/** Creates the error for a failure of a kind whose code and exit code follow from it. */
export function serviceFailure(
  kind: Exclude<ServiceErrorKind, 'rejected'>,
  message: string,
  details: Omit<ServiceErrorDetails, 'kind'>,
): ServiceError {
  const exitCode = kind === 'aborted' ? SIGNAL_EXIT.SIGINT : UNUSABLE.has(kind) ? EXIT.failure : EXIT.unreachable;
  return new ServiceError(kind, exitCode, message, { ...details, kind });
}

export interface NetworkContext {
  /** Origin of the service, for messages. */
  origin: string;
  /** Origin of the proxy in use. */
  proxy: string | undefined;
  /** True once a byte of the request may have left. */
  written: boolean;
}

/**
 * Converts the error of a connection. A failure before the first byte of the request is written proves that nothing was
 * processed. ServiceErrors are returned unchanged.
 */
export function errorFromNetwork(cause: unknown, context: NetworkContext): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const { code, message } = codeAndMessage(cause);
  const { kind, text, hint } = explain(code, message, context);
  // Only the message is copied: parser errors carry raw bytes of the response.
  const reason = code && !message.includes(code) ? `${code}: ${message}` : message;
  return serviceFailure(kind, text, {
    processed: context.written ? 'maybe' : 'no',
    hint,
    cause: new Error(reason),
  });
}

interface Explanation {
  kind: Exclude<ServiceErrorKind, 'rejected'>;
  text: string;
  hint: string;
}

/** Names the origin of a service, and the proxy on the way to it: both may be at fault. */
export function nameService(origin: string, proxy: string | undefined): string {
  return proxy ? `${origin} through the proxy ${proxy}` : origin;
}

function explain(code: string, message: string, { origin, proxy, written }: NetworkContext): Explanation {
  const service = nameService(origin, proxy);
  if (CLOSED_HERE.has(code))
    return { kind: 'aborted', text: 'the request was stopped', hint: 'Nothing more was sent.' };
  if (CERTIFICATE_CODE.test(code)) {
    return {
      kind: 'certificate',
      text: `the certificate of ${service} is not trusted: ${CERTIFICATE_MESSAGES[code] ?? message} (${code})`,
      hint:
        CERTIFICATE_HINTS[code] ??
        'If the service has its own certificate authority, pass its certificate with --ca-cert <file>. Otherwise, check the base URL.',
    };
  }
  if (/^(EPROTO$|ERR_SSL_|ERR_TLS_)/.test(code)) {
    const problem = TLS_PROBLEMS.find(({ codes }) => codes.test(code));
    if (!written || problem !== undefined) {
      const { reason = '', hint = tlsHint(proxy) } = problem ?? {};
      return { kind: 'certificate', text: `no TLS connection to ${service}${reason} (${code})`, hint };
    }
  }
  if (!written) {
    const reason = CONNECT_MESSAGES[code] ?? describeProxy(message) ?? `the connection failed (${code || message})`;
    return { kind: 'unreachable', text: `cannot reach ${service}: ${reason}`, hint: unreachableHint(code, proxy) };
  }
  if (code === HTTP_2)
    return { kind: 'invalid-response', text: `${service}${ONLY_HTTP_2.reason}`, hint: ONLY_HTTP_2.hint };
  if (NOT_HTTP.has(code)) {
    const problem =
      code === 'UND_ERR_HEADERS_OVERFLOW' ? 'has more than 64 KB of headers' : `is not valid HTTP: ${message}`;
    return {
      kind: 'invalid-response',
      text: `the response from ${service} ${problem}`,
      hint: 'Check that the base URL is the address of the service, not of another server.',
    };
  }
  return {
    kind: 'interrupted',
    text: `the connection to ${service} was lost before the response was complete`,
    // A server that expects TLS may close the connection without a response.
    hint: origin.startsWith('http:')
      ? 'If the service uses https on this port, use https:// in the base URL. Otherwise, try again later.'
      : 'Try again later.',
  };
}

/** Codes of requests that failed because the client was closed. */
const CLOSED_HERE: ReadonlySet<string> = new Set(['ABORT_ERR', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const CONNECT_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host was not found',
  EAI_AGAIN: 'the name could not be resolved',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to the host',
  EMFILE: 'too many open files (EMFILE)',
  ENETUNREACH: 'the network is unreachable',
  ECONNABORTED: 'the connection was closed while it was being established',
  ECONNRESET: 'the connection was closed while it was being established',
  UND_ERR_SOCKET: 'the connection was closed while it was being established',
};

const CERTIFICATE_MESSAGES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'a certificate in its chain is self-signed',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its issuer is unknown',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it was issued for another host',
};

const ONLY_HTTP_2 = {
  reason: ' accepts only HTTP/2, but orgadm uses HTTP/1.1',
  hint: 'Allow HTTP/1.1 in the service, or in the gateway in front of it.',
};

const CLIENT_CERTIFICATE_HINT =
  'orgadm cannot send one. Use an address of the service without it, or a program on this machine that adds the certificate: --base-url http://localhost:<port>';

/** Reasons why a server rejects a TLS connection, as far as its alert shows them. */
const TLS_PROBLEMS: readonly { codes: RegExp; reason: string; hint: string }[] = [
  {
    codes: /ALERT_NO_APPLICATION_PROTOCOL$/,
    reason: `: the service${ONLY_HTTP_2.reason}`,
    hint: ONLY_HTTP_2.hint,
  },
  {
    codes: /PROTOCOL_VERSION$|UNSUPPORTED_PROTOCOL$/,
    reason: ': the service offers only TLS 1.1 or older, but orgadm requires TLS 1.2',
    hint: 'Enable TLS 1.2 or 1.3 in the service, or in the gateway in front of it.',
  },
  {
    codes:
      /ALERT_(CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_UNKNOWN|UNKNOWN_CA|ACCESS_DENIED)$/,
    reason: ': the service requires a client certificate',
    hint: CLIENT_CERTIFICATE_HINT,
  },
  {
    codes: /ALERT_HANDSHAKE_FAILURE$/,
    reason: ': the service requires a client certificate, or has no cipher in common with orgadm',
    hint: `If it requires a client certificate: ${CLIENT_CERTIFICATE_HINT}`,
  },
];

/** Hints for problems that trusting another authority would not solve. */
const CERTIFICATE_HINTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "Renew the certificate of the service. If it has not expired, set this machine's clock.",
  CERT_NOT_YET_VALID: "Set this machine's clock: it is probably behind.",
  ERR_TLS_CERT_ALTNAME_INVALID: 'Check the host in the base URL.',
};

const CERTIFICATE_CODE =
  /^(ERR_TLS_CERT|UND_ERR_PRX_TLS|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/;
/** The code of a response that begins with a frame of HTTP/2. */
const HTTP_2 = 'HTTP2';
const NOT_HTTP: ReadonlySet<string> = new Set(['HTTPParserError', 'UND_ERR_HEADERS_OVERFLOW']);

/** Describes the status of a proxy that opened no tunnel, which undici reports only in its message. */
function describeProxy(message: string): string | undefined {
  const status = /^Proxy response \((\d+)\)/.exec(message)?.[1];
  return status && `the proxy returned status ${status}`;
}

/** Returns what to check if there is no TLS connection: to the service, or to a proxy that is used with TLS itself. */
function tlsHint(proxy = ''): string {
  return proxy.startsWith('https:')
    ? 'If the proxy does not use TLS itself, as most do not, write it as http:// in HTTPS_PROXY.'
    : 'Check that the service uses https on the port in the base URL.';
}

export const PROXY_HINT =
  'Check the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), the credentials of the proxy, and the base URL.';

function unreachableHint(code: string, proxy: string | undefined): string {
  if (proxy) return PROXY_HINT;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'Check the host in the base URL and the network; behind a proxy, set HTTPS_PROXY.';
  }
  return 'Check that the base URL is correct and the service is running; behind a proxy, set HTTPS_PROXY.';
}

function codeAndMessage(cause: unknown): { code: string; message: string } {
  if (!(cause instanceof Error)) return { code: '', message: String(cause) };
  const { name, message } = cause;
  const code = systemErrorCode(cause);
  if (code !== undefined) return { code, message };
  // The settings of the server, which come first.
  if ('data' in cause && /^\0\0.\x04/s.test(String(cause.data))) return { code: HTTP_2, message };
  // Parser errors have no code. At EOF the connection was lost, so the response need not be malformed.
  return { code: name === 'HTTPParserError' && !/EOF state/i.test(message) ? name : '', message };
}
