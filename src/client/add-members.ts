import type { RateLimit } from './http/rate-limit-headers.ts';
import { decodeText } from './http/response-body.ts';
import { parseResponse } from './parse-response.ts';
import type { BulkResponse } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * One element of `members` as it goes out (interface 4.2), without what is undefined; the label's name may be another on
 * some services.
 */
export type MemberRequestEntry = Readonly<Record<string, string | number | boolean | undefined>>;

/** The response to a bulk request. */
export interface BulkResult {
  response: BulkResponse;
  /** What the response says about the rate limit. */
  rateLimit: RateLimit | undefined;
}

/**
 * Adds people in bulk (interface 4.2): a single attempt, for a repeated one could add them twice.
 *
 * @throws ServiceError; its `processed` tells whether some of them may have been added all the same
 */
export async function addMembers(client: ServiceClient, members: readonly MemberRequestEntry[]): Promise<BulkResult> {
  const request = {
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members },
    retry: 'none',
  } as const;
  const [{ bytes, ...head }, { bulkResponseSchema }] = await Promise.all([
    client.requestBytes(request),
    import('./response-schemas.ts'),
  ]);
  const response = parseResponse({ ...head, text: decodeText(bytes) }, bulkResponseSchema, {
    subject: 'the result of a bulk creation',
  });
  return { response, rateLimit: head.rateLimit };
}
