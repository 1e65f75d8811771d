import { repeatedVersionHint } from '../util/base-url.ts';
import { EXIT } from '../util/errors.ts';
import { describeHttpError } from './describe-http-error.ts';
import { extractErrorMessages } from './error-messages.ts';
import type { IncomingHeaders } from './http/pending-request.ts';
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
  /** The start of the body, without the key. */
  text: string;
  redact: Redact;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The typed error for an answer with a status other than 2xx. A 4xx, save 408, is proof that nothing was processed. */
export function errorFromResponse(response: FailedResponse): ServiceError {
  const { status, requestId, retryAfterMs } = response;
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
