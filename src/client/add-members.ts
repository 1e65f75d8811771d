import type { RateLimit } from './http/rate-limit-headers.ts';
import type { BulkResponse } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * One element of `members` (interface 4.2). JSON omits undefined fields. The label has a different name on some services.
 */
export type MemberRequestEntry = Readonly<Record<string, string | number | boolean | undefined>>;

/** The response to a bulk request. */
export interface BulkResult {
  response: BulkResponse;
  /** The rate limit that the response announces. */
  rateLimit: RateLimit | undefined;
}

/**
 * Adds people in bulk (interface 4.2), in a single attempt: repeating it could add them twice.
 *
 * @param options.endsAtMs when the response must be complete, in milliseconds since the epoch
 * @throws ServiceError; if its `processed` is `maybe`, some of them may have been added
 */
export async function addMembers(
  client: ServiceClient,
  members: readonly MemberRequestEntry[],
  options: { endsAtMs: number },
): Promise<BulkResult> {
  const request = {
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members },
    retry: 'none',
    ...options,
  } as const;
  const [response, { bulkResponseSchema, parseResponse }] = await Promise.all([
    client.request(request),
    import('./response-schemas.ts'),
  ]);
  const result = parseResponse(response, bulkResponseSchema, { subject: 'the result of a bulk creation' });
  return { response: result, rateLimit: response.rateLimit };
}
