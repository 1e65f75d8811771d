import { staleness } from '../client/gates.ts';
import { headerOf, isJsonType } from '../client/http/headers.ts';
import { ServiceError } from '../client/http/service-error.ts';
import { type FindingsEnvelope, type FindingsResponse, listFindings } from '../client/list-findings.ts';
import { readNoFindings } from '../client/read-before-write.ts';
import { createClient, type ServiceClient } from '../client/service-client.ts';
import type { Connection, FieldNames } from '../config/settings.ts';
import { EXIT, OrgadmError, withHint } from '../util/errors.ts';
import { type Context, profileOption, sharedClientOptions } from './command-context.ts';
import { doubtBody, STALE_HINT } from './doubt-findings.ts';

/**
 * The result of a harmless read with a key; `error` says why it is not verified. `no-permission`: the service did not let the
 * key read findings.
 */
export type KeyVerification =
  | { result: 'verified'; error?: undefined }
  | { result: 'no-permission' | 'rejected' | 'unverified'; error: OrgadmError };

/** Describes why a key is not verified, with the service's message; returns null for a verified one. */
export function describeVerification({ result, error }: KeyVerification): string | null {
  if (error === undefined) return null;
  if (result !== 'no-permission') return error.message;
  const messages = error instanceof ServiceError ? error.messages.slice(0, SHOWN_MESSAGES).join('; ') : '';
  // The service may let it do nothing at all: some respond with a 403 to every request with an old kind of key.
  return `not allowed to read findings (403), so other commands may fail, too${messages === '' ? '' : `: ${messages}`}`;
}

const SHOWN_MESSAGES = 3;

/** Verifies a key that is not stored yet, over a connection of its own. */
export async function verifyKey(
  target: Connection & { baseUrl: string; apiKey: string },
  context: Context,
): Promise<KeyVerification> {
  const client = createClient({ ...target, ...sharedClientOptions(context) });
  try {
    return await probeKey(client, target.wire.findings, await profileOption(context));
  } finally {
    await client.close();
  }
}

/** One of the scopes that the interface names (4.4). */
const KNOWN_SCOPE = 'people';

/**
 * Reads findings (interface 4.4) to see whether the service accepts the key: those of a task that does not exist and, if the
 * service rejects that task, those of a scope. Only a list of findings verifies the key. With a 403 and a JSON error, the key has
 * no permission to read findings, which other commands do not need. A 401 rejects it. Everything else
 * leaves it unverified.
 *
 * @param settings the names of the query parameters, and the members of a response to ignore
 * @param profile see `profileOption`
 * @throws UsageError for a base URL, key or proxy that cannot be used
 */
export async function probeKey(
  client: ServiceClient,
  settings: FieldNames['findings'],
  profile: string,
): Promise<KeyVerification> {
  const { task, scope, ignore } = settings;
  const first = await readKeyState(() => readNoFindings(client, task), ignore, profile);
  // Services differ on whether an unknown task is an error.
  if (first.error?.status !== 400 && first.error?.status !== 404) return first;
  const ofScope = { name: scope, value: KNOWN_SCOPE };
  const second = await readKeyState(() => listFindings(client, ofScope), ignore, profile);
  return second.result === 'unverified' && second.error.code !== 'unverified' ? first : second;
}

async function readKeyState(
  send: () => Promise<FindingsResponse>,
  ignored: readonly string[],
  profile: string,
): Promise<KeyVerification> {
  try {
    const response = await send();
    for await (const _ of response.groups);
    return readEnvelope(response.envelope(), ignored, profile);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code === 'gateway') return { result: 'unverified', error };
    if (error.status === 401) return { result: 'rejected', error };
    // A 403 without JSON may be that of a gateway, too.
    const isJson = isJsonType(headerOf(error.response?.headers ?? {}, 'content-type'));
    if (error.status === 403 && isJson) return { result: 'no-permission', error };
    return { result: 'unverified', error: error.status === 404 && isJson ? notFoundError(error) : error };
  }
}

function readEnvelope(envelope: FindingsEnvelope, ignored: readonly string[], profile: string): KeyVerification {
  const { status, headers } = envelope;
  const old = staleness(headers);
  const body = doubtBody(envelope, ignored, profile);
  const { reasons, hint } = old === undefined ? body : { reasons: [old], hint: STALE_HINT };
  if (reasons.length === 0) return { result: 'verified' };
  const message = `the response (${status}) does not show that the service accepts the key: ${reasons.join('; ')}`;
  return { result: 'unverified', error: new OrgadmError('unverified', EXIT.failure, message, { hint, status }) };
}

function notFoundError(error: ServiceError): OrgadmError {
  return withHint(error, 'The service has no such path. Check the base URL.');
}
