import { checkService } from '../client/check-service.ts';
import { createClient, type ServiceClient } from '../client/service.ts';
import { ServiceError } from '../client/service-error.ts';
import type { Connection } from '../config/target.ts';
import type { OrgadmError } from '../util/errors.ts';
import { type Context, sharedClientOptions } from './command-context.ts';

/**
 * The result of a harmless read with a key; `error` says why it is not verified.
 * - `verified`: the API responded, and did not reject the key
 * - `no-permission`: the API did not let the key read findings
 * - `unverified`: the API responded with a failure that says nothing about the key
 * - `rejected`: the API rejected the key
 * - `unreachable`: what responded is not the API, or nothing did
 */
export type KeyVerification =
  | { result: 'verified'; error?: undefined }
  | { result: 'no-permission' | 'unverified' | 'rejected' | 'unreachable'; error: OrgadmError };

/** Describes why a key is not verified, with the service's message; returns null for a verified one. */
export function describeVerification({ result, error }: KeyVerification): string | null {
  if (error === undefined) return null;
  if (result !== 'no-permission') return error.message;
  const messages = error instanceof ServiceError ? error.messages.slice(0, SHOWN_MESSAGES).join('; ') : '';
  // The service may let it do nothing at all: some respond with a 403 to every request with an old kind of key.
  return `not allowed to read findings (403), so other commands may also fail${messages === '' ? '' : `: ${messages}`}`;
}

const SHOWN_MESSAGES = 3;

/** Verifies a key that is not stored yet, over a connection of its own. */
export async function verifyKey(
  target: Connection & { baseUrl: string; apiKey: string },
  context: Context,
): Promise<KeyVerification> {
  const client = createClient({ ...target, ...sharedClientOptions(context) });
  try {
    return await probeKey(client, target.wire.findings.task);
  } finally {
    await client.close();
  }
}

/**
 * Finds out by one harmless read whether the service accepts the key.
 *
 * @param parameter the service's name of the query parameter for tasks
 */
export async function probeKey(client: ServiceClient, parameter: string): Promise<KeyVerification> {
  try {
    const error = await checkService(client, parameter, false);
    if (error === undefined) return { result: 'verified' };
    const { status = 0 } = error;
    if (status === 403) return { result: 'no-permission', error };
    // Services differ on whether an unknown task is a 404.
    if (status >= 500) return { result: 'unverified', error };
    return { result: 'verified' };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { result: error.code === 'unauthorized' ? 'rejected' : 'unreachable', error };
  }
}
