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
  const [response, { domainResponseSchema, parseResponse }] = await Promise.all([
    client.request(request),
    import('./response-schemas.ts'),
  ]);
  return parseResponse(response, domainResponseSchema, { subject: 'the domain status' });
}
