import { createClient, type ServiceClient, type ServiceResponse } from '../../client/service-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import type { Connection } from '../../config/connection.ts';
import { repeatedVersionHint } from '../../util/base-url.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { VERSION } from '../../util/version.ts';
import type { Context } from '../command-context.ts';

/**
 * What a harmless read showed of a key; `error` says why it is not verified. `no-permission`: the service accepted the
 * key and rejected the read.
 */
export type KeyVerification =
  | { result: 'verified'; error?: undefined }
  | { result: 'no-permission' | 'refused' | 'unverified'; error: OrgadmError };

/** Why a key is not verified, in a few words with the service's message; null for a verified one. */
export function describeProof({ result, error }: KeyVerification): string | null {
  if (error === undefined) return null;
  if (result !== 'no-permission') return error.message;
  const messages = error instanceof ServiceError ? error.messages.slice(0, SHOWN_MESSAGES).join('; ') : '';
  return `accepted, but without permission to read findings${messages === '' ? '' : `: ${messages}`}`;
}

const SHOWN_MESSAGES = 3;

export type VerificationTarget = Connection & { baseUrl: string; apiKey: string };

/** No task has this identifier: a service has nothing to look up and little to answer. */
const NONEXISTENT_TASK = 'orgadm-key-check';

/** Statuses that a service answers only after it has taken the key. */
const STATUS_AFTER_AUTHENTICATION: ReadonlySet<number | undefined> = new Set([400, 404]);

/**
 * Asks the service once for the findings of a task that is not there (interface 4.4), to see what it makes of the key.
 * A 2xx, or a 400 or 404 with a JSON error, proves the key; a 403 with one shows that it was accepted and may not read
 * findings, which other commands need not do; a 401 rejects it; everything else leaves it unverified.
 *
 * @throws UsageError for a base URL, key or proxy that cannot be used
 */
export async function verifyKey(target: VerificationTarget, context: Context): Promise<KeyVerification> {
  const client = connectToService(target, context);
  try {
    return interpretResponse(await requestProbe(client, target.wire.findings.task));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.status === 401) return { result: 'refused', error };
    if (!isJson(error)) return { result: 'unverified', error };
    if (error.status === 403) return { result: 'no-permission', error };
    // Paths that do not exist may be reported before the key is checked.
    const isAboutKey = repeatedVersionHint(target.baseUrl) === undefined || error.status !== 404;
    return STATUS_AFTER_AUTHENTICATION.has(error.status) && isAboutKey
      ? { result: 'verified' }
      : { result: 'unverified', error };
  } finally {
    await client.close();
  }
}

/** Whether the words of an error came as JSON, and not as the page of a gateway. */
function isJson({ response }: ServiceError): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(String(response?.headers['content-type'] ?? ''));
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

/** Nothing of the list is read but its head: a service that ignores the task may answer with everything it has. */
async function requestProbe(
  client: ServiceClient,
  parameter: string,
): Promise<Pick<ServiceResponse, 'status' | 'contentType'>> {
  const response = await client.stream({
    method: 'GET',
    path: ['v1', 'findings'],
    query: { [parameter]: NONEXISTENT_TASK },
    retry: 'none',
  });
  response.discard();
  return response;
}

/** A page says nothing about the key: it is that of a gateway, or of a base URL that is not the service's. */
function interpretResponse({ status, contentType }: Pick<ServiceResponse, 'status' | 'contentType'>): KeyVerification {
  if (!/html/i.test(contentType ?? '')) return { result: 'verified' };
  return {
    result: 'unverified',
    error: new OrgadmError('not-understood', EXIT.failure, `a web page answered (${status}), not the service`, {
      hint: 'Check that the base URL names the service itself.',
      status,
    }),
  };
}
