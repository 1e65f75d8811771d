import { parseIdentifier } from '../../client/bulk-response.ts';
import { isListOfFindings } from '../../client/gates.ts';
import { headerOf, isJsonType } from '../../client/http/headers.ts';
import { readPrefix } from '../../client/http/request-attempt.ts';
import { authenticatedUserSchema } from '../../client/response-schemas.ts';
import { createClient, type ServiceClient, type StreamedResponse } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Connection } from '../../config/settings.ts';
import { isJsonObject } from '../../output/json.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import { VERSION } from '../../util/package-version.ts';
import type { Context } from '../command-context.ts';
import type { AuthStatus } from './auth-output.ts';

/**
 * The result of a harmless read with a key; `error` says why it is not verified. `no-permission`: the service accepted the
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

type VerificationTarget = Connection & { baseUrl: string; apiKey: string; apiKeyFrom?: string | undefined };

/** Verifies a key as `probeKey` does, over a connection of its own. */
export async function verifyKey(target: VerificationTarget, context: Context): Promise<KeyVerification> {
  const client = connectToService(target, context);
  try {
    return await probeKey(client, target.wire.findings);
  } finally {
    await client.close();
  }
}

/** No task has this identifier, so the response is small. */
const NONEXISTENT_TASK = 'orgadm-key-check';
/** One of the scopes that the interface names (4.4). */
const KNOWN_SCOPE = 'people';

/**
 * Reads findings (interface 4.4) to see whether the service accepts the key: those of a task that does not exist and, if the
 * service rejects that task, those of a scope. Only a list of findings verifies the key. A 403 with a JSON error shows that it
 * is accepted without permission to read findings, which other commands do not need. A 401 rejects it. Everything else
 * leaves it unverified.
 *
 * @param names of the query parameters that hold a task and a scope
 * @throws UsageError for a base URL, key or proxy that cannot be used
 */
export async function probeKey(
  client: ServiceClient,
  names: { readonly task: string; readonly scope: string },
): Promise<KeyVerification> {
  const first = await readFindings(client, names.task, NONEXISTENT_TASK);
  // Services differ on whether an unknown task is an error.
  if (first.error?.status !== 400 && first.error?.status !== 404) return first;
  const second = await readFindings(client, names.scope, KNOWN_SCOPE);
  return second.result === 'unverified' && second.error.code !== 'unverified' ? first : second;
}

async function readFindings(client: ServiceClient, parameter: string, value: string): Promise<KeyVerification> {
  try {
    return await requestFindings(client, parameter, value);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401) return { result: 'rejected', error };
    // A 403 without JSON may be the page of a gateway.
    const isJson = isJsonType(headerOf(error.response?.headers ?? {}, 'content-type'));
    if (error.status === 403 && isJson) return { result: 'no-permission', error };
    return { result: 'unverified', error: error.status === 404 && isJson ? notFoundError(error, client) : error };
  }
}

function notFoundError(error: ServiceError, { baseUrl }: ServiceClient): OrgadmError {
  const hint = 'Check the base URL. This path may not exist there, so the service may not have checked the key.';
  return withHint(error, repeatedVersionHint(baseUrl) ?? hint);
}

function connectToService(target: VerificationTarget, { host, flags, output }: Context): ServiceClient {
  const show = (line: string) => output.trace(line);
  return createClient({
    ...target,
    keyFrom: target.apiKeyFrom,
    retries: 0,
    userAgent: `orgadm/${VERSION}`,
    clock: host.clock,
    random: host.random,
    ...(flags.verbose || flags.debug ? { trace: { request: show, ...(flags.debug ? { detail: show } : {}) } } : {}),
  });
}

/** The part of a response that is read: a service that ignores the task may return all of its findings. */
const MAX_READ_BYTES = 1024 * 1024;

async function requestFindings(client: ServiceClient, parameter: string, value: string): Promise<KeyVerification> {
  const response = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: { [parameter]: value },
    retry: 'none',
  });
  const text = await readPrefix(response.chunks, MAX_READ_BYTES);
  response.discard();
  const body = parseJsonPrefix(text);
  if (isListOfFindings(body) || isStartOfList(text)) return { result: 'verified', user: callerIn(body) };
  return { result: 'unverified', error: unusableResponse(response, text) };
}

/** Whether a text that is too long to be read to its end starts like an array of objects. */
function isStartOfList(text: string): boolean {
  return Buffer.byteLength(text) > MAX_READ_BYTES - MAX_CHARACTER_BYTES && /^\s*\[\s*\{/.test(text);
}

/** The last character of the part that is read may be incomplete. */
const MAX_CHARACTER_BYTES = 4;

const QUOTED_CHARACTERS = 200;

function unusableResponse({ status, contentType }: StreamedResponse, text: string): OrgadmError {
  if (/html/i.test(contentType ?? '')) {
    // It comes from a gateway, or from a base URL that is not the service's.
    const message = `the response (${status}) is a web page, so it is not from the service`;
    const hint = 'Check that the base URL is the address of the service.';
    return new OrgadmError('invalid-response', EXIT.failure, message, { hint, status });
  }
  const content = text.trim() === '' ? ': it is empty' : `; it starts with: ${text.slice(0, QUOTED_CHARACTERS)}`;
  const message = `the response (${status}) is not a list of findings${content}`;
  const hint = 'Only a list of findings shows that the service accepts the key. --debug shows the response.';
  return new OrgadmError('unverified', EXIT.failure, message, { hint, status });
}

function parseJsonPrefix(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the caller as responses name it (interface 4.2). */
function callerIn(body: unknown): AuthStatus['user'] {
  const user = isJsonObject(body) ? authenticatedUserSchema.parse(body.authenticatedUser) : undefined;
  const [id = null, email = null] = [user?.id, user?.email].map(parseIdentifier);
  return id === null && email === null ? null : { id, email };
}
