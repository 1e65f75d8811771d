import { understand } from './answer.ts';
import { textOf } from './body.ts';
import type { ServiceClient } from './client.ts';
import { type BulkAnswer, bulkAnswerSchema } from './contract.ts';
import { readCreatedRows } from './created-rows.ts';
import { parseJson } from './json.ts';

/**
 * One element of `members` as it goes out (interface 4.2), without what is undefined; the label's name may be another on
 * some services.
 */
export type WireEntry = Readonly<Record<string, string | number | boolean | undefined>>;

export interface AddOptions {
  /** Give the created members with all their fields; else they may come with their identifiers alone, which is faster. */
  wholeMembers: boolean;
  signal?: AbortSignal | undefined;
}

/**
 * Adds people in bulk (interface 4.2): a single attempt, for a repeated one could add them twice.
 *
 * @throws ServiceError; its `processed` tells whether some of them may have been added all the same
 */
export async function addPeople(
  client: ServiceClient,
  members: readonly WireEntry[],
  { wholeMembers, signal }: AddOptions,
): Promise<BulkAnswer> {
  const { bytes, ...head } = await client.requestBytes({
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members },
    retry: 'none',
    signal,
  });
  return (
    (wholeMembers ? undefined : readFast(bytes)) ??
    understand({ ...head, text: textOf(bytes) }, bulkAnswerSchema, { what: 'the result of a bulk creation' })
  );
}

/** What is in the answer; undefined where it has to be read the long way, also to tell what is wrong with it. */
function readFast(bytes: Buffer): BulkAnswer | undefined {
  const found = readCreatedRows(bytes);
  if (found === undefined) return undefined;
  const { success, data } = bulkAnswerSchema.safeParse(parseJson(textOf(found.rest)));
  return success ? { ...data, created: found.rows } : undefined;
}
