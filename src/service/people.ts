import type { ZodMiniType } from 'zod/mini';
import { understand } from './answer.ts';
import { textOf } from './body.ts';
import type { ServiceClient } from './client.ts';
import type { BulkAnswer } from './contract.ts';
import { readCreatedRows } from './created-rows.ts';

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
  const request = {
    method: 'POST',
    path: ['v1', 'people', 'bulk'],
    body: { members },
    retry: 'none',
    signal,
  } as const;
  const [{ bytes, ...head }, { bulkAnswerSchema }] = await Promise.all([
    client.requestBytes(request),
    import('./contract.ts'),
  ]);
  return (
    (wholeMembers ? undefined : readFast(bytes, bulkAnswerSchema)) ??
    understand({ ...head, text: textOf(bytes) }, bulkAnswerSchema, { what: 'the result of a bulk creation' })
  );
}

/** What is in the answer; undefined where it has to be read the long way, also to tell what is wrong with it. */
function readFast(bytes: Buffer, schema: ZodMiniType<BulkAnswer>): BulkAnswer | undefined {
  const found = readCreatedRows(bytes);
  if (found === undefined) return undefined;
  const { success, data } = schema.safeParse(found.rest);
  return success ? { ...data, created: found.rows } : undefined;
}
