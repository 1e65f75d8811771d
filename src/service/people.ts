import { understand } from './answer.ts';
import type { ServiceClient } from './client.ts';
import { type BulkAnswer, bulkAnswerSchema } from './contract.ts';

/** One element of `members` as it goes out (interface 4.2); the label's name may be another on some services. */
export type WireEntry = Readonly<Record<string, string | number | boolean>>;

/**
 * Adds people in bulk (interface 4.2): a single attempt, for a repeated one could add them twice.
 *
 * @throws ServiceError; its `processed` tells whether some of them may have been added all the same
 */
export async function addPeople(
  client: ServiceClient,
  members: readonly WireEntry[],
  signal?: AbortSignal,
): Promise<BulkAnswer> {
  const answer = await client.request({
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members },
    retry: 'none',
    signal,
  });
  return understand(answer, bulkAnswerSchema, { what: 'the result of a bulk creation' });
}
