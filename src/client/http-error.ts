import { repeatedVersionHint } from '../util/base-url.ts';
import { EXIT } from '../util/errors.ts';
import { extractErrorMessages } from './error-messages.ts';
import type { IncomingHeaders } from './http/pending-request.ts';
import type { RateLimit } from './http/rate-limit-headers.ts';
import { redactHeaders } from './http/trace.ts';
import type { Redact } from './redactor.ts';
import { ServiceError } from './service-error.ts';

/** An answer that is no success, with what is needed to explain it. */
export interface FailedResponse {
  base: URL;
  url: URL;
  status: number;
  contentType: string | undefined;
  headers: IncomingHeaders;
  requestId: string | undefined;
  location: string | undefined;
  retryAfterMs: number | undefined;
  rateLimit: RateLimit | undefined;
  /** The start of the body, without the key. */
  text: string;
  redact: Redact;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The typed error for an answer with a status other than 2xx. A 4xx, save 408, is proof that nothing was processed. */
export function errorFromResponse(response: FailedResponse): ServiceError {
  const { status, requestId, retryAfterMs, rateLimit } = response;
  if (REDIRECTS.has(status)) return redirectError(response);
  if (status < 400 || status > 599) {
    return new ServiceError(
      'not-understood',
      EXIT.failure,
      `The service answered with the unexpected status ${status}.`,
      {
        kind: 'not-understood',
        processed: 'maybe',
        hint: 'Check that the base URL names the service itself.',
        status,
        requestId,
      },
    );
  }
  const described = extractErrorMessages(status, response.contentType, response.text);
  // The body holds no key any more; a message that was put together out of parts of it has to be checked again.
  const messages = described.messages.map(response.redact);
  const { code, exitCode, message, hint } = describeHttpError({
    status,
    messages,
    errorCode: described.code && response.redact(described.code),
    retryAfterMs,
    contentType: response.contentType,
  });
  return new ServiceError(code, exitCode, message, {
    kind: 'refused',
    processed: status < 500 && status !== 408 ? 'no' : 'maybe',
    messages,
    hint: withVersionHint(hint, response),
    status,
    requestId,
    retryAfterMs,
    rateLimit,
    response: { headers: redactHeaders(response.headers, response.redact), text: response.text },
  });
}

/** Statuses that say something else than that the path leads nowhere. */
const NOT_ABOUT_THE_PATH: ReadonlySet<number> = new Set([408, 413, 429]);

/** The hint, and what else may be wrong with a request whose path has `/v1` twice. */
function withVersionHint(hint: string, { base, url, status, redact }: FailedResponse): string {
  if (status >= 500 || NOT_ABOUT_THE_PATH.has(status) || !url.pathname.startsWith(`${base.pathname}/v1/`)) return hint;
  const more = repeatedVersionHint(base.href);
  if (more === undefined) return hint;
  return redact(status === 404 || status === 405 ? more : `${hint} ${more}`);
}

/** Names where the service points, without query and fragment, which may hold secrets. */
function redirectError({ base, url, status, location, requestId, redact }: FailedResponse): ServiceError {
  const target = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  const destination =
    target && /^https?:$/.test(target.protocol)
      ? redact(`${target.origin}${target.pathname}`).slice(0, 500)
      : undefined;
  const moved = target && destination ? movedBase(base, url, target) : undefined;
  return new ServiceError(
    'redirect',
    EXIT.failure,
    `The service answered with a redirect (${status}) to ${destination ?? 'nowhere'}. Redirects are not followed: they would carry the API key.`,
    {
      kind: 'redirect',
      processed: 'maybe',
      hint: moved
        ? `If you trust that address, set --base-url to ${redact(moved).slice(0, 500)}`
        : 'Check the base URL.',
      status,
      requestId,
    },
  );
}

/** The base URL that would have led to the target, where the same resource stands there. */
function movedBase(base: URL, url: URL, target: URL): string | undefined {
  const resource = url.pathname.slice(base.pathname.replace(/\/+$/, '').length);
  const prefix = target.pathname.slice(0, -resource.length);
  return target.pathname.endsWith(resource) ? `${target.origin}${prefix}` : undefined;
}

export interface HttpErrorDescription {
  code: string;
  exitCode: number;
  message: string;
  hint: string;
}

export interface HttpErrorInfo {
  /** From 400 to 599. */
  status: number;
  messages: readonly string[];
  /** The service's machine word, told when it gave no other. */
  errorCode: string | undefined;
  retryAfterMs: number | undefined;
  contentType: string | undefined;
}

/** The words, code word and exit code for an answer with an error status: the service's own words, then what to do. */
function describeHttpError(info: HttpErrorInfo): HttpErrorDescription {
  const { status, messages } = info;
  const rule = HTTP_ERROR_RULES[status] ?? (status >= 500 ? SERVER_FAILURE : CLIENT_FAILURE);
  const detail = joinMessages(messages) || info.errorCode;
  return {
    code: rule.code,
    exitCode: rule.exitCode,
    message: `${rule.summary} (${status})${detail ? `: ${detail}` : '.'}`,
    hint: rule.hint(info),
  };
}

/** The text for people repeats the first message, and more of them up to this number and these characters. */
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

interface HttpErrorRule {
  code: string;
  exitCode: number;
  summary: string;
  hint: (info: HttpErrorInfo) => string;
}

const SERVER_FAILURE: HttpErrorRule = {
  code: 'service-failed',
  exitCode: EXIT.unreachable,
  summary: 'The service failed',
  hint: () => 'Try again later.',
};

const CLIENT_FAILURE: HttpErrorRule = {
  code: 'refused',
  exitCode: EXIT.failure,
  summary: 'The service refused the request',
  hint: ({ messages }) =>
    messages.length > 0
      ? 'Fix what the service names and try again.'
      : 'The service gave no reason; --debug shows the whole exchange.',
};

const HTTP_ERROR_RULES: Readonly<Record<number, HttpErrorRule>> = {
  401: {
    code: 'unauthorized',
    exitCode: EXIT.auth,
    summary: 'The service did not accept the API key',
    hint: () =>
      'Check that the key is whole, has not expired, and belongs to this service; orgadm auth login stores another.',
  },
  403: {
    code: 'forbidden',
    exitCode: EXIT.auth,
    summary: 'The API key lacks permission',
    hint: ({ messages }) => missingPermission(messages),
  },
  404: {
    code: 'not-found',
    exitCode: EXIT.notFound,
    summary: 'The service does not know this',
    hint: ({ contentType }) =>
      /html/i.test(contentType ?? '')
        ? 'A web page answered, so the base URL probably lacks a part of its path or names another server.'
        : 'Check the identifier, and that the base URL and the key belong to the right organization.',
  },
  407: {
    code: 'unreachable',
    exitCode: EXIT.unreachable,
    summary: 'The proxy wants other credentials',
    hint: () => 'Check the user name and password in HTTPS_PROXY or HTTP_PROXY.',
  },
  408: { ...SERVER_FAILURE, code: 'timeout', summary: 'The service waited too long for the request' },
  409: {
    code: 'conflict',
    exitCode: EXIT.failure,
    summary: 'The service reports a conflict',
    hint: () => 'Another request changed the same thing meanwhile. Look at its present state, then try again.',
  },
  413: {
    code: 'too-large',
    exitCode: EXIT.failure,
    summary: 'The request is too large for the service',
    hint: () => 'Send less at once; for people bulk-add, use a smaller --batch-size.',
  },
  429: {
    code: 'rate-limited',
    exitCode: EXIT.unreachable,
    summary: 'The service limits the number of requests',
    hint: ({ retryAfterMs }) =>
      retryAfterMs === undefined
        ? 'Try again later.'
        : `Try again in ${Math.ceil(retryAfterMs / 1_000)} s; the service asked for that.`,
  },
};

const NARROWER_ROLE = 'a key may act with a narrower role than its scopes suggest';

/** A permission such as 'control:delete' is the most useful part of such a message. */
function missingPermission(messages: readonly string[]): string {
  const permission = messages.map((text) => /['"`]([\w.-]{1,80}:[\w.*-]{1,80})['"`]/.exec(text)?.[1]).find(Boolean);
  return permission
    ? `The role of the key does not have ${permission}: ${NARROWER_ROLE}. Check that role, or use another key.`
    : `Check which permissions the role of the key has: ${NARROWER_ROLE}. Or use another key.`;
}
