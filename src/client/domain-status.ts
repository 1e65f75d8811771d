import { understand } from './parse-response.ts';
import type { DomainStatus } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/** A domain that the service does not hold and a provider out of reach both answer 500: asking often does not help. */
const RETRIES_OF_500 = 1;

export interface DomainStatusOptions {
  /** Failures are not tried again: for a caller that asks again later anyway. */
  once?: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Reads the verification status of a domain (interface 4.3).
 *
 * @param domain in its ASCII form, without scheme and trailing dot
 * @throws ServiceError
 */
export async function domainStatus(
  client: ServiceClient,
  domain: string,
  { once = false, signal }: DomainStatusOptions = {},
): Promise<DomainStatus> {
  const request = {
    method: 'GET',
    path: ['v1', 'trust-portal', 'domain', 'status'],
    query: { domain },
    retry: once ? 'none' : 'safe',
    retry500: RETRIES_OF_500,
    signal,
  } as const;
  const [answer, { domainStatusSchema }] = await Promise.all([
    client.request(request),
    import('./response-schemas.ts'),
  ]);
  return understand(answer, domainStatusSchema, { what: 'the domain status' });
}
