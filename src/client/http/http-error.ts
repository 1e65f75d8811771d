import type { Redact } from '../../output/redact.ts';
import { type ErrorCode, EXIT } from '../../util/errors.ts';
import { isJsonObject, type JsonObject } from '../../util/json/json-object.ts';
import { isJson } from '../../util/json/parse-json.ts';
import { headerOf, requestIdOf } from './headers.ts';
import { parseLimitReset, parseRetryAfter, timeOfService } from './rate-limit-headers.ts';
import type { ErrorText } from './request-attempt.ts';
import { ServiceError, serviceFailure } from './service-error.ts';
import type { IncomingHeaders } from './transport.ts';

/** A response with a status other than 2xx. */
export interface FailedResponse extends ErrorText {
  base: URL;
  url: URL;
  status: number;
  headers: IncomingHeaders;
  /** The start of the body. */
  text: string;
  redact: Redact;
  /** Where the key comes from, and how to use another one; undefined for that of the sandbox. */
  keyHint: string | undefined;
  /** When it arrived, in milliseconds since the epoch. */
  nowMs: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Creates the error for a response with a status other than 2xx. A 4xx except 408 proves that nothing was processed. */
export function errorFromResponse(response: FailedResponse): ServiceError {
  const { status, headers, redact, keyHint } = response;
  const requestId = requestIdOf(headers, redact);
  const { base, url, text } = response;
  if (REDIRECTS.has(status)) return redirectError(response, requestId);
  if (status < 400 || status > 599) {
    return serviceFailure('invalid-response', `the service returned the unexpected status ${status}`, {
      processed: 'maybe',
      hint: 'Check that the base URL is the address of the service.',
      status,
      requestId,
    });
  }
  const contentType = headerOf(headers, 'content-type');
  const messages = extractErrorMessages(response.text, redact);
  const nowMs = timeOfService(headers) ?? response.nowMs;
  const resetMs = status === 429 ? parseLimitReset(headers, nowMs) : undefined;
  const retryAfterMs = parseRetryAfter(headerOf(headers, 'retry-after'), nowMs) ?? resetMs;
  const { code, exitCode, summary, hint } =
    GATEWAY_STATUS.has(status) && isWebPage(contentType, response.text)
      ? GATEWAY_PAGE
      : (HTTP_ERROR_RULES[status] ?? (status >= 500 ? SERVER_FAILURE : CLIENT_FAILURE));
  const detail = joinMessages(messages);
  return new ServiceError(code, exitCode, `${summary} (${status})${detail && `: ${detail}`}`, {
    kind: 'rejected',
    processed: status < 500 && status !== 408 ? 'no' : 'maybe',
    messages,
    hint:
      typeof hint === 'string'
        ? hint
        : hint({ status, messages, retryAfterMs, keyHint, base, namesResource: isJson(text) && hasId(url) }),
    status,
    requestId,
    retryAfterMs,
    response: { headers, text: response.text, isComplete: response.isComplete },
  });
}

/** Names the target of a redirect, without query and fragment, which may contain secrets. */
function redirectError(
  { base, url, status, headers, redact }: FailedResponse,
  requestId: string | undefined,
): ServiceError {
  const location = headerOf(headers, 'location');
  const parsed = location !== undefined && URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  const target = parsed && /^https?:$/.test(parsed.protocol) ? parsed : undefined;
  const destination = target ? redact(`${target.origin}${target.pathname}`).slice(0, 500) : 'an invalid address';
  const addsSlash = target?.origin === url.origin && target.pathname === `${url.pathname}/`;
  const moved = target && movedBase(base, url, target);
  const reason = addsSlash
    ? 'because the second request could lose its body, or do everything again'
    : 'because it would send the API key to another address';
  const hint = addsSlash
    ? `The service, or a gateway in front of it, adds a slash to the path. Let it accept ${url.pathname} without the slash.`
    : moved
      ? `If you trust that address, set --base-url to ${redact(moved).slice(0, 500)}`
      : 'Check the base URL.';
  return serviceFailure(
    'redirect',
    `the service returned a redirect (${status}) to ${destination}; orgadm does not follow redirects, ${reason}`,
    { processed: 'maybe', hint, status, requestId },
  );
}

/** Returns the base URL of the redirect's target, if the target is the same resource. */
function movedBase(base: URL, url: URL, target: URL): string | undefined {
  const resource = url.pathname.slice(base.pathname.replace(/\/+$/, '').length);
  const prefix = target.pathname.slice(0, -resource.length);
  return target.pathname.endsWith(resource) ? `${target.origin}${prefix}` : undefined;
}

/** An error message contains the service's first message, and more up to this number and these characters. */
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
  code: ErrorCode;
  exitCode: number;
  summary: string;
  hint: string | ((rejection: Rejection) => string);
}

interface Rejection {
  status: number;
  messages: readonly string[];
  retryAfterMs: number | undefined;
  keyHint: string | undefined;
  base: URL;
  /** Whether the request has the ID of something, and the response is JSON, as those of the API are. */
  namesResource: boolean;
}

const SERVER_FAILURE: HttpErrorRule = {
  code: 'service-failed',
  exitCode: EXIT.unreachable,
  summary: 'the service failed',
  hint: 'Try again later.',
};

const CLIENT_FAILURE: HttpErrorRule = {
  code: 'rejected',
  exitCode: EXIT.failure,
  summary: 'the service rejected the request',
  hint: ({ messages }) => {
    if (messages.some((message) => EXPECTS_TLS.test(message))) return 'Use https:// in the base URL.';
    return messages.length > 0
      ? 'Fix what the service reports, then try again.'
      : 'The service sent no reason; --debug shows the request and the response.';
  },
};

/** The words of nginx, Go, and Apache about http on a port for https. */
const EXPECTS_TLS = /\bHTTPS (?:port|server)\b|\bSSL-enabled server port\b/;

/** Statuses with which a gateway, a firewall, or a sign-on page responds in place of the service. */
const GATEWAY_STATUS: ReadonlySet<number> = new Set([401, 403, 429, 503]);

const GATEWAY_PAGE: HttpErrorRule = {
  code: 'gateway',
  exitCode: EXIT.failure,
  summary: 'a gateway or a firewall responded with a web page in place of the service',
  hint: ({ status, retryAfterMs }) =>
    status === 401 || status === 403
      ? 'The page says nothing about the API key. Connect to the VPN if the service needs it, or ask the administrator of the gateway to let API requests from your network through.'
      : [
          retryAfterMs === undefined ? 'Try again later.' : retryHint(retryAfterMs),
          'If the error persists, ask the administrator of the gateway.',
        ].join(' '),
};

function retryHint(ms: number): string {
  return `The service asks you to try again in ${Math.ceil(ms / 1_000)} s.`;
}

/** Whether a request has an ID, in its query or its path, unlike an import (interface 4.2) and a list of all findings (4.4). */
function hasId({ pathname, search }: URL): boolean {
  return search !== '' || !/\/v1\/(?:people\/bulk|findings)$/.test(pathname);
}

/** Whether the body of a response is HTML. The API itself sends JSON, and a page only where the base URL is wrong (404). */
function isWebPage(contentType: string | undefined, text: string): boolean {
  const start = text.trimStart().slice(0, 20);
  return (
    start !== '' && (/^text\/html\b|\bxhtml\b/i.test(contentType ?? '') || /^<(!doctype html|html)\b/i.test(start))
  );
}

const HTTP_ERROR_RULES: Readonly<Record<number, HttpErrorRule>> = {
  401: {
    code: 'unauthorized',
    exitCode: EXIT.auth,
    summary: 'the service rejected the API key',
    hint: ({ keyHint }) =>
      [
        'Check that the key is complete, has not expired, and belongs to this service.',
        'If the key worked before, the service may be unable to look up keys at the moment.',
        ...(keyHint === undefined ? [] : [keyHint]),
      ].join(' '),
  },
  403: {
    code: 'forbidden',
    exitCode: EXIT.auth,
    summary: 'the API key does not have permission',
    hint: 'Use a key that is allowed to do this. A key can have fewer permissions than the person who created it.',
  },
  404: {
    code: 'not-found',
    exitCode: EXIT.notFound,
    summary: 'not found',
    hint: ({ namesResource, base }) =>
      namesResource
        ? 'Check the ID or name, and make sure that the base URL and the key belong to the right organization.'
        : `The service has no such path. Check the base URL: ${base.href.replace(/\/$/, '')}`,
  },
  407: {
    code: 'unreachable',
    exitCode: EXIT.unreachable,
    summary: 'the proxy rejected the credentials',
    hint: 'Check the user name and password in HTTPS_PROXY or HTTP_PROXY.',
  },
  408: { ...SERVER_FAILURE, code: 'timeout', summary: 'the service timed out while waiting for the request' },
  409: {
    code: 'conflict',
    exitCode: EXIT.failure,
    summary: 'the request conflicts with the current state',
    hint: 'Another request changed the same resource. Check its current state, then try again.',
  },
  413: {
    code: 'too-large',
    exitCode: EXIT.failure,
    summary: 'the request is too large for the service',
    hint: 'Send a smaller request. For people bulk-add, lower --batch-size.',
  },
  429: {
    code: 'rate-limited',
    exitCode: EXIT.unreachable,
    summary: 'the request was rate limited',
    hint: ({ retryAfterMs }) => (retryAfterMs === undefined ? 'Try again later.' : retryHint(retryAfterMs)),
  },
};

/** Upper bound on the length of one message, in characters. */
const MAX_MESSAGE_LENGTH = 1_000;

/**
 * Extracts the service's own messages (untrusted) from the body of an error response: `message` (text or list), problem+json
 * (`title`, `detail`), `error` (text, or an object with any of these), and `errors`; a bare string; the title of an HTML page.
 * Any other body is one message, as it arrived. Each message has at most 1,000 characters. Never throws.
 *
 * @param redact removes the key before a message is cut
 */
export function extractErrorMessages(text: string, redact: Redact = (message) => message): string[] {
  const trimmed = text.trim();
  return (trimmed.startsWith('<') ? htmlTitle(trimmed) : messagesIn(trimmed))
    .map(redact)
    .map((one) => (one.length > MAX_MESSAGE_LENGTH ? `${one.slice(0, MAX_MESSAGE_LENGTH)}…` : one));
}

function messagesIn(text: string): string[] {
  let found: string[] = [];
  try {
    found = errorMessages(JSON.parse(text));
  } catch {
    // Plain text, truncated JSON, or JSON that is nested too deeply.
  }
  // An empty object says nothing.
  return found.length > 0 || /^\{\s*\}$/.test(text) ? found : plainTexts(text);
}

function errorMessages(body: unknown): string[] {
  if (!isJsonObject(body)) return plainTexts(body);
  const { error, errors } = body;
  const described = [describedIn(body), isJsonObject(error) ? describedIn(error) : plainTexts(error)];
  return [...(described.find(({ length }) => length > 0) ?? []), ...plainTexts(errors)];
}

/** Returns the texts of `message`, else of `title` and `detail`. */
function describedIn({ message, title, detail }: JsonObject): string[] {
  const texts = plainTexts(message);
  const problem = [title, detail].flatMap(plainTexts).join(': ');
  return texts.length > 0 || problem === '' ? texts : [problem];
}

/** Returns a text, or the elements of a list. Of anything else, returns its JSON. */
function plainTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(plainTexts);
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()];
  return isJsonObject(value) ? [JSON.stringify(value)] : [];
}

function htmlTitle(page: string): string[] {
  const title = /<title[^>]*>([^<]*)/i.exec(page.slice(0, 20_000))?.[1]?.replace(/\s+/g, ' ').trim();
  return title ? [title] : [];
}
