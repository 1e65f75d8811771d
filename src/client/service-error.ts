import type { Redact } from '../output/redact.ts';
import { type ErrorCode, type ErrorDetails, EXIT, OrgadmError, systemErrorCode } from '../util/errors.ts';
import { SIGNAL_EXIT } from '../util/host.ts';
import { isJson as isJsonText } from '../util/json/parse-json.ts';
import { extractErrorMessages } from './error-messages.ts';
import { headerOf, type IncomingHeaders } from './headers.ts';

interface ServiceErrorDetails extends ErrorDetails {
  isAmbiguous: boolean;
  isTransient: boolean;
  messages?: readonly string[];
  retryAfterMs?: number | undefined;
  response?: ErrorResponse | undefined;
}

/** A response with an error status. */
export interface ErrorResponse {
  readonly headers: IncomingHeaders;
  readonly text: string;
}

/** A request that did not end in a complete 2xx response. Its texts contain no API key. */
export class ServiceError extends OrgadmError {
  /** Whether the service may have done what the request asks for. */
  readonly isAmbiguous: boolean;
  /** Whether the failure may pass, so that the same request may succeed later. */
  readonly isTransient: boolean;
  /** The service's own messages: untrusted, bounded in length. */
  readonly messages: readonly string[];
  /** The wait that the service asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Set if `status` is, unless the response is unusable for another reason than its status. */
  readonly response: ErrorResponse | undefined;

  constructor(code: ErrorCode, exitCode: number, message: string, details: ServiceErrorDetails) {
    super(code, exitCode, message, details);
    this.isAmbiguous = details.isAmbiguous;
    this.isTransient = details.isTransient;
    this.messages = details.messages ?? [];
    this.retryAfterMs = details.retryAfterMs;
    this.response = details.response;
  }

  /** Returns this error with other facts. */
  with(changes: Partial<ServiceErrorDetails>): ServiceError {
    return new ServiceError(this.code, this.exitCode, this.message, { ...this, cause: this.cause, ...changes });
  }
}

/** Returns the error of a complete 2xx response that does not say what it must. */
export function invalidResponse(
  { status, requestId }: { status: number; requestId: string | undefined },
  message: string,
  hint: string,
): ServiceError {
  return new ServiceError('invalid-response', EXIT.failure, message, {
    ...{ isAmbiguous: true, isTransient: false, hint, status, requestId },
  });
}

export function abortedError(isSent: boolean): ServiceError {
  return new ServiceError('aborted', SIGNAL_EXIT.SIGINT, 'the request was stopped', {
    isAmbiguous: isSent,
    isTransient: false,
    hint: isSent ? 'orgadm had already sent the request.' : 'Nothing was sent.',
  });
}

const MORE_TIME = 'Try again later, or allow more time with --timeout.';

/** @param state how far the request came by the time its deadline passed */
export function timeoutError(state: 'late' | 'connecting' | 'sent' | 'responding', url: URL, timeoutMs: number) {
  const within = `within ${timeoutMs / 1_000} s`;
  const messages = {
    late: `the request to ${url.origin} was not sent, because its deadline had passed before it could be sent`,
    connecting: `no connection to ${url.origin} ${within}`,
    sent: `no response from ${url.origin} ${within}`,
    responding: `the response from ${url.origin} stopped before its end`,
  };
  return new ServiceError('timeout', EXIT.unreachable, messages[state], {
    isAmbiguous: state === 'sent' || state === 'responding',
    isTransient: true,
    hint: state === 'connecting' ? CONNECTION_HINT : MORE_TIME,
  });
}

export function tooLargeError(maxBytes: number): ServiceError {
  const message = `the response is larger than ${maxBytes / 1024 / 1024} MiB`;
  return new ServiceError('response-too-large', EXIT.failure, message, {
    ...{ isAmbiguous: true, isTransient: false, hint: 'Narrow the request, for example to the findings of one task.' },
  });
}

const CONNECTION_HINT = 'Check the base URL, the network, and the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY).';

/** The codes of OpenSSL, Node.js, and undici for a TLS connection that failed, or that is not trusted. */
const TLS_CODE =
  /^(EPROTO$|ERR_SSL_|ERR_TLS_|UND_ERR_PRX_TLS|CERT_|CRL_|UNABLE_TO_|ERROR_IN_C|DEPTH_ZERO_|SELF_SIGNED_|INVALID_(CA|PURPOSE)|PATH_LENGTH_|HOSTNAME_MISMATCH)/;

/**
 * Returns the error of a connection, with the message and the code of Node.js.
 *
 * @param isSent whether a byte of the request may have left: otherwise, the service certainly did nothing
 */
export function connectionError(cause: Error, url: URL, isSent: boolean): ServiceError {
  const code = systemErrorCode(cause) ?? '';
  const quoted = quoteCause(cause, code);
  // undici reports a proxy's 407 as an error. The proxy did not pass the request on.
  const isProxyRejection = cause.message.includes('(407)');
  if (isProxyRejection || !isSent) {
    const isTls = TLS_CODE.test(code);
    const text = isTls ? `no trusted TLS connection to ${url.origin}` : `cannot reach ${url.origin}`;
    return new ServiceError(isTls ? 'certificate' : 'unreachable', EXIT.unreachable, `${text}: ${quoted}`, {
      isAmbiguous: false,
      isTransient: !isTls && !isProxyRejection,
      cause,
      hint: isTls
        ? "If the service has its own certificate authority, pass its certificate with --ca-cert <file>. Otherwise, check the base URL, the proxy, and this machine's clock."
        : CONNECTION_HINT,
    });
  }
  const isNoHttp = cause.name === 'HTTPParserError' && !/\bEOF\b/i.test(cause.message);
  if (isNoHttp || code === 'UND_ERR_HEADERS_OVERFLOW') {
    const message = `the response from ${url.origin} is not valid HTTP: ${quoted}`;
    return new ServiceError('invalid-response', EXIT.failure, message, {
      ...{ isAmbiguous: true, isTransient: false, hint: checkBaseUrl(url), cause },
    });
  }
  const message = `the connection to ${url.origin} was lost before the response was complete: ${quoted}`;
  return new ServiceError('interrupted', EXIT.unreachable, message, {
    ...{ isAmbiguous: true, isTransient: true, hint: 'Try again later.', cause },
  });
}

function quoteCause(cause: Error, code: string): string {
  // The error of a host with several addresses has no message of its own.
  const [first] = cause instanceof AggregateError ? cause.errors : [];
  const message = (cause.message || (first instanceof Error ? first.message : '')).trim();
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}

function checkBaseUrl({ origin }: URL): string {
  return `Check the base URL: ${origin}`;
}

/** A response with a status other than 2xx, as `errorFromResponse` needs it. */
export interface FailedResponse {
  readonly url: URL;
  readonly baseUrl: string;
  readonly status: number;
  readonly headers: IncomingHeaders;
  readonly text: string;
  readonly requestId: string | undefined;
  /** How to use another key, for the hint about a rejected one. */
  readonly keyHint: string | undefined;
  readonly redact: Redact;
  /** When it arrived, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The 4xx that do not prove that the service did nothing. */
const AMBIGUOUS_4XX: ReadonlySet<number> = new Set([408, 409, 425, 499]);
/** The statuses of failures that may pass, besides the 5xx. */
const TRANSIENT_4XX: ReadonlySet<number> = new Set([408, 425, 429]);
const NOT_IMPLEMENTED = 501;

/** The statuses that say what to do whoever sent the response. */
const SAYS_ENOUGH: ReadonlySet<number> = new Set([407, 413]);

/** Returns the error of a response with a status other than 2xx. */
export function errorFromResponse(failed: FailedResponse): ServiceError {
  const { status, headers, text, requestId, redact, nowMs } = failed;
  if (status < 400 || status > 599) return unexpectedStatus(failed);
  const isJson = isJsonText(text);
  const messages = extractErrorMessages(text, redact);
  const { code, exitCode, summary, hint } = ruleOf(status, isJson);
  const retryAfterMs = parseRetryAfter(headerOf(headers, 'retry-after'), nowMs);
  const detail = joinMessages(messages);
  const isTransient = TRANSIENT_4XX.has(status) || (status >= 500 && status !== NOT_IMPLEMENTED);
  return new ServiceError(code, exitCode, `${summary} (${status})${detail && `: ${detail}`}`, {
    isAmbiguous: status >= 500 || AMBIGUOUS_4XX.has(status),
    isTransient,
    messages,
    hint:
      isJson || isTransient || SAYS_ENOUGH.has(status) ? hint(failed, { retryAfterMs, messages }) : notFromApi(failed),
    status,
    requestId,
    retryAfterMs,
    response: { headers, text },
  });
}

function notFromApi({ status, baseUrl }: FailedResponse): string {
  const key = status === 401 || status === 403 ? ', and says nothing about the API key' : '';
  return `The response is not JSON, so it does not come from the API${key}. If there is a gateway in front of the service, ask its administrator. Check the base URL: ${baseUrl}`;
}

function unexpectedStatus({ status, headers, url, baseUrl, requestId, redact }: FailedResponse): ServiceError {
  const facts = { isAmbiguous: true, isTransient: false, hint: `Check the base URL: ${baseUrl}`, status, requestId };
  if (status < 300 || status > 399 || status === 304)
    return new ServiceError(
      'invalid-response',
      EXIT.failure,
      `the service returned the unexpected status ${status}`,
      facts,
    );
  const location = headerOf(headers, 'location');
  const target = location && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  // Without query and fragment, which may contain secrets.
  const destination =
    target === undefined ? 'an invalid address' : redact(`${target.origin}${target.pathname}`).slice(0, 500);
  const message = `the service returned a redirect (${status}) to ${destination}, which orgadm does not follow`;
  return new ServiceError('redirect', EXIT.failure, message, facts);
}

/** An error message has the service's first message, and more up to this number and these characters. */
const LISTED_MESSAGES = 10;
const LISTED_CHARACTERS = 1_000;

function joinMessages(messages: readonly string[]): string {
  const shown = messages.slice(0, 1);
  let characters = shown.join('').length;
  for (const message of messages.slice(1, LISTED_MESSAGES)) {
    characters += message.length;
    if (characters > LISTED_CHARACTERS) break;
    shown.push(message);
  }
  const rest = messages.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

interface StatusRule {
  readonly code: ErrorCode;
  readonly exitCode: number;
  readonly summary: string;
  /** The next step after a response from the API. */
  hint(failed: FailedResponse, found: { retryAfterMs: number | undefined; messages: readonly string[] }): string;
}

function ruleOf(status: number, isJson: boolean): StatusRule {
  const rule = RULES[status] ?? (status >= 500 ? SERVER_FAILURE : CLIENT_FAILURE);
  if (isJson || (status !== 401 && status !== 403)) return rule;
  // The status decides the exit code, but only the API can reject a key.
  return { ...rule, code: 'gateway', summary: 'a gateway or another server responded in place of the service' };
}

const laterHint: StatusRule['hint'] = (_, { retryAfterMs }) =>
  retryAfterMs === undefined
    ? 'Try again later.'
    : `The service asks you to try again in ${Math.ceil(retryAfterMs / 1_000)} s.`;

const SERVER_FAILURE: StatusRule = {
  code: 'service-failed',
  exitCode: EXIT.unreachable,
  summary: 'the service failed',
  hint: laterHint,
};

const CLIENT_FAILURE: StatusRule = {
  code: 'rejected',
  exitCode: EXIT.failure,
  summary: 'the service rejected the request',
  hint: (_, { messages }) =>
    messages.length > 0
      ? 'Fix what the service reports, then try again.'
      : 'The service sent no reason; --debug shows the request and the response.',
};

const RULES: Readonly<Record<number, StatusRule>> = {
  401: {
    code: 'unauthorized',
    exitCode: EXIT.auth,
    summary: 'the service rejected the API key',
    hint: ({ keyHint = '' }) =>
      `Check that the key is complete, has not expired, and belongs to this service. ${keyHint}`.trim(),
  },
  403: {
    code: 'forbidden',
    exitCode: EXIT.auth,
    summary: 'the API key does not have permission',
    hint: () =>
      'Use a key that is allowed to do this. A key can have fewer permissions than the person who created it.',
  },
  404: {
    code: 'not-found',
    exitCode: EXIT.notFound,
    summary: 'not found',
    hint: ({ url, baseUrl }) =>
      hasId(url)
        ? 'Check the ID or name, and make sure that the base URL and the key belong to the right organization.'
        : `The service has no such path. Check the base URL: ${baseUrl}`,
  },
  407: {
    code: 'unreachable',
    exitCode: EXIT.unreachable,
    summary: 'the proxy rejected the credentials',
    hint: () => CONNECTION_HINT,
  },
  408: { ...SERVER_FAILURE, code: 'timeout', summary: 'the service timed out while waiting for the request' },
  409: {
    code: 'conflict',
    exitCode: EXIT.failure,
    summary: 'the request conflicts with the current state',
    hint: () => 'Another request changed the same resource. Check its current state, then try again.',
  },
  413: {
    code: 'too-large',
    exitCode: EXIT.failure,
    summary: 'the request is too large for the service',
    hint: () => 'Send a smaller request. For people bulk-add, lower --batch-size.',
  },
  429: { ...SERVER_FAILURE, code: 'rate-limited', summary: 'the request was rate limited' },
};

/** Whether a request has an ID, in its query or its path, unlike an import (interface 4.2) and a list of all findings (4.4). */
function hasId({ pathname, search }: URL): boolean {
  return search !== '' || !/\/v1\/(?:people\/bulk|findings)$/.test(pathname);
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header: seconds, perhaps with a fraction, or an HTTP date.
 *
 * @returns milliseconds to wait, 0 for a date in the past; undefined for anything else
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}(\.\d*)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const dateMs = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}
