import type { CheckedRow } from '../checked-row.ts';
import type { RunState } from '../journal/run-state.ts';
import type { UnknownRequest } from '../journal/unknown-requests.ts';
import { Batch } from './batch.ts';
import type { PendingRow } from './send-events.ts';

/** A confirming request of unknown outcome is sent again in so many parts: 500 rows end as single ones after four rounds. */
const PARTS_PER_ROUND = 10;

/** A pass over the rows of a run, in order. */
export type ListPass = AsyncIterable<readonly CheckedRow[]>;

/**
 * Yields the rows that `isToSend` accepts in batches. Each row at most once: it may fail again.
 *
 * @param limit rows at most
 * @param batchSize returns the rows of a batch
 */
export async function* unsentBatches(
  rows: ListPass,
  isToSend: (number: number) => boolean,
  limit: number,
  batchSize: () => number,
): AsyncGenerator<Batch, void> {
  let left = limit;
  let batch: PendingRow[] = [];
  for await (const chunk of rows)
    for (const { number, member } of chunk) {
      if (left === 0) return;
      if (member === undefined || !isToSend(number)) continue;
      batch.push({ number, member });
      left--;
      if (batch.length < batchSize() && left > 0) continue;
      yield new Batch(batch, 'first');
      batch = [];
    }
  if (batch.length > 0) yield new Batch(batch, 'first');
}

/** Yields a batch of the rows of a request that are sent again before the others. */
export async function* probingBatch(
  rows: ListPass,
  wanted: ReadonlySet<number>,
  probed: number,
): AsyncGenerator<Batch, void> {
  const batch: PendingRow[] = [];
  for await (const chunk of rows)
    for (const { number, member } of chunk) {
      if (wanted.has(number) && member !== undefined) batch.push({ number, member });
      if (batch.length < wanted.size) continue;
      yield new Batch(batch, 'probe', probed);
      return;
    }
}

/**
 * Yields the rows of each request of unknown outcome in the size of their request, and in tenths of one that sent them again.
 *
 * @param isPending whether a row of unknown outcome is to be sent again
 * @param batchSize returns the rows of a batch at most
 */
export async function* confirmingBatches(
  rows: ListPass,
  state: RunState,
  isPending: (number: number) => boolean,
  batchSize: () => number,
): AsyncGenerator<Batch, void> {
  const parts = new Map<number, PendingRow[]>();
  for await (const chunk of rows) {
    for (const { number, member } of chunk) {
      const unknown = state.unknownRequest(number);
      if (unknown === undefined || member === undefined || !isPending(number)) continue;
      const part = parts.get(unknown.request) ?? [];
      parts.set(unknown.request, part);
      part.push({ number, member });
      if (part.length < Math.min(partSize(unknown), batchSize())) continue;
      parts.delete(unknown.request);
      yield new Batch(part, 'again');
    }
  }
  for (const part of parts.values()) yield new Batch(part, 'again');
}

function partSize({ purpose, size }: UnknownRequest): number {
  return purpose === 'first' || purpose === 'others' ? size : Math.ceil(size / PARTS_PER_ROUND);
}
