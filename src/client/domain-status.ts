import { repeatedKey } from '../util/json/repeated-key.ts';
import { incompleteResponse, isIncompleteStatus, staleness } from './gates.ts';
import type { DomainStatus } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/** Services return 500 both for an unknown domain and for an unreachable provider: more retries rarely help. */
const RETRIES_OF_500 = 1;

export interface GetDomainStatusOptions {
  /** Disables retries, for a caller that polls. */
  singleAttempt?: boolean;
  signal?: AbortSignal | undefined;
}

/** The response about a domain. */
export interface DomainResponse {
  readonly status: DomainStatus;
  /** The status of HTTP: 2xx, but neither 202 nor 206. */
  readonly httpStatus: number;
  /** A key that it has twice. */
  readonly repeatedKey: string | undefined;
  /** Why it is not the current status, see `staleness`. */
  readonly staleness: string | undefined;
}

/**
 * Reads the verification status of a domain (interface 4.3).
 *
 * @param domain in its ASCII form, without scheme and trailing dot
 * @throws ServiceError, also for a status that says that the response may be incomplete
 */
export async function getDomainStatus(
  client: ServiceClient,
  domain: string,
  { singleAttempt = false, signal }: GetDomainStatusOptions = {},
): Promise<DomainResponse> {
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
  if (isIncompleteStatus(response.status)) throw incompleteResponse(response);
  const parsed = parseResponse(response, domainResponseSchema, { mismatch: 'does not contain the domain status' });
  return {
    status: parsed,
    httpStatus: response.status,
    repeatedKey: repeatedKey(response.text),
    staleness: staleness(response.headers),
  };
}
