import type { DomainStatus } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/** Services return 500 both for an unknown domain and for an unreachable provider: more retries rarely help. */
const RETRIES_OF_500 = 1;

export interface GetDomainStatusOptions {
  /** Disables retries, for a caller that polls. */
  singleAttempt?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Reads the verification status of a domain (interface 4.3).
 *
 * @param domain in its ASCII form, without scheme and trailing dot
 * @throws ServiceError
 */
export async function getDomainStatus(
  client: ServiceClient,
  domain: string,
  { singleAttempt = false, signal }: GetDomainStatusOptions = {},
): Promise<DomainStatus> {
  const request = {
    method: 'GET',
    path: ['v1', 'trust-portal', 'domain', 'status'],
    query: { domain },
    retry: singleAttempt ? 'none' : 'safe',
    retry500: RETRIES_OF_500,
    signal,
  } as const;
  const [response, { domainStatusSchema, parseResponse }] = await Promise.all([
    client.request(request),
    import('./response-schemas.ts'),
  ]);
  return parseResponse(response, domainStatusSchema, { subject: 'the domain status' });
}

export type MisconfiguredState = 'yes' | 'no' | 'unknown';

/**
 * Reads `misconfigured`, whose shape is not fixed (interface 2.4): a boolean, or an object with a boolean of that name.
 * Anything else is unknown, also null (the provider was unreachable).
 *
 * @returns undefined if the response does not have the field
 */
export function misconfiguredState(status: DomainStatus): MisconfiguredState | undefined {
  const value = status.misconfigured;
  if (value === undefined) return undefined;
  const inner =
    typeof value === 'object' && value !== null ? (value as { misconfigured?: unknown }).misconfigured : value;
  if (typeof inner !== 'boolean') return 'unknown';
  return inner ? 'yes' : 'no';
}

/** Whether a domain is verified and not misconfigured. Unknown is not ready; a status without the field can be. */
export function isReady(status: DomainStatus): boolean {
  const misconfigured = misconfiguredState(status);
  return status.verified && (misconfigured === undefined || misconfigured === 'no');
}
