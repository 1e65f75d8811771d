import { understand } from './answer.ts';
import type { ServiceClient } from './client.ts';
import type { DomainStatus } from './contract.ts';

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
  const [answer, { domainStatusSchema }] = await Promise.all([client.request(request), import('./contract.ts')]);
  return understand(answer, domainStatusSchema, { what: 'the domain status' });
}
