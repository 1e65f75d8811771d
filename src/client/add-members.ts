import type { Moment } from '../util/moment.ts';
import type { BulkResponse } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/**
 * One element of `members` (interface 4.2). JSON omits undefined fields. The label has a different name on some services.
 */
export type WireMember = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Adds people in bulk (interface 4.2), in a single attempt: repeating it could add them twice.
 *
 * @param options.endsAt when the response must be complete; nothing is sent from then on
 * @throws ServiceError; if its `processed` is `maybe`, some of them may have been added
 */
export async function addMembers(
  client: ServiceClient,
  members: readonly WireMember[],
  options: { endsAt: Moment },
): Promise<BulkResponse> {
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
  return parseResponse(response, bulkResponseSchema, { mismatch: 'is not an import result' });
}
