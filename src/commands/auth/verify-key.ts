import { parseIdentifier } from '../../client/bulk-response.ts';
import { headerOf, isJsonType } from '../../client/http/headers.ts';
import { readPrefix } from '../../client/http/request-attempt.ts';
import { authenticatedUserSchema } from '../../client/response-schemas.ts';
import { createClient, type ServiceClient } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Connection } from '../../config/settings.ts';
import { isJsonObject } from '../../output/json.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import type { AuthStatus } from '../schema/setup-output.ts';

/**
 * What a harmless read showed about a key; `error` says why it is not verified. `no-permission`: the service accepted the
 * key and rejected the read. `user` is set if the response names the caller, as some services do in every response.
 */
export type KeyVerification =
  | { result: 'verified'; user?: AuthStatus['user']; error?: undefined }
  | { result: 'no-permission' | 'rejected' | 'unverified'; user?: undefined; error: OrgadmError };

/** Describes why a key is not verified, with the service's message; returns null for a verified one. */
export function describeVerification({ result, error }: KeyVerification): string | null {
  if (error === undefined) return null;
  if (result !== 'no-permission') return error.message;
  const messages = error instanceof ServiceError ? error.messages.slice(0, SHOWN_MESSAGES).join('; ') : '';
  return `accepted, but without permission to read findings${messages === '' ? '' : `: ${messages}`}`;
}

const SHOWN_MESSAGES = 3;

type VerificationTarget = Connection & { baseUrl: string; apiKey: string };

/** No task has this identifier, so the response is small. */
const NONEXISTENT_TASK = 'orgadm-key-check';

/** Matches messages about a path that does not exist, which may be reported before the key is checked. */
const ABOUT_A_ROUTE = /\bcannot (?:get|post)\b|\b(?:routes?|paths?|endpoints?|urls?)\b|\/findings|=orgadm-key-check/i;

/** Verifies a key as `probeKey` does, over a connection of its own. */
export async function verifyKey(target: VerificationTarget, context: Context): Promise<KeyVerification> {
  const client = connectToService(target, context);
  try {
    return await probeKey(client, target.wire.findings.task);
  } finally {
    await client.close();
  }
}

/**
 * Requests the findings of a task that does not exist (interface 4.4), once, to see whether the service accepts the key.
 * A 2xx, a 400 with a JSON error, or a 404 with one about the task verifies the key. A 403 with a JSON error shows that it
 * is accepted without permission to read findings, which other commands do not need. A 401 rejects it. Everything else
 * leaves it unverified.
 *
 * @param parameter name of the query parameter that holds a task, or another selector with its own `value`
 * @throws UsageError for a base URL, key or proxy that cannot be used
 */
export async function probeKey(
  client: ServiceClient,
  parameter: string,
  value = NONEXISTENT_TASK,
): Promise<KeyVerification> {
  try {
    return await requestProbe(client, parameter, value);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401) return { result: 'rejected', error };
    // Otherwise it may be the page of a gateway.
    if (!isJsonType(headerOf(error.response?.headers ?? {}, 'content-type'))) return { result: 'unverified', error };
    if (error.status === 403) return { result: 'no-permission', error };
    if (error.status === 404) return interpretNotFound(error, client.baseUrl);
    return error.status === 400 ? { result: 'verified' } : { result: 'unverified', error };
  }
}

/** A 404 verifies the key if it is about the task. One about the path may be due to a wrong base URL. */
function interpretNotFound(error: ServiceError, baseUrl: string): KeyVerification {
  const isAbout = (pattern: RegExp) => error.messages.some((message) => pattern.test(message));
  const isAboutTask = isAbout(/orgadm-key-check|\btasks?\b/i) && !isAbout(ABOUT_A_ROUTE);
  const versionHint = repeatedVersionHint(baseUrl);
  if (isAboutTask && versionHint === undefined) return { result: 'verified' };
  const hint =
    versionHint ?? 'Check the base URL: this path may not exist there, so the key may not have been checked.';
  return { result: 'unverified', error: withHint(error, hint) };
}

function connectToService(target: VerificationTarget, { host, flags, output }: Context): ServiceClient {
  const show = (line: string) => output.trace(line);
  return createClient({
    ...target,
    retries: 0,
    userAgent: `orgadm/${VERSION}`,
    clock: host.clock,
    random: host.random,
    ...(flags.verbose || flags.debug ? { trace: { request: show, ...(flags.debug ? { detail: show } : {}) } } : {}),
  });
}

/** Bytes of a response that are read for the caller: a service that ignores the task may return all of its findings. */
const MAX_READ_BYTES = 64 * 1024;

async function requestProbe(client: ServiceClient, parameter: string, value: string): Promise<KeyVerification> {
  const response = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: { [parameter]: value },
    retry: 'none',
  });
  const text = await readPrefix(response.chunks, MAX_READ_BYTES);
  response.discard();
  const { status, contentType } = response;
  if (!/html/i.test(contentType ?? '')) return { result: 'verified', user: authenticatedUserIn(text) };
  // It comes from a gateway, or from a base URL that is not the service's.
  const message = `the response (${status}) is a web page, not from the service`;
  const hint = 'Check that the base URL is the address of the service.';
  const error = new OrgadmError('invalid-response', EXIT.failure, message, { hint, status });
  return { result: 'unverified', error };
}

/** Returns the caller as responses name it (interface 4.2). */
function authenticatedUserIn(text: string): AuthStatus['user'] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const user = isJsonObject(body) ? authenticatedUserSchema.parse(body.authenticatedUser) : undefined;
  const [id = null, email = null] = [user?.id, user?.email].map(parseIdentifier);
  return id === null && email === null ? null : { id, email };
}
