import type { CheckedRow } from '../checked-row.ts';
import type { RunState } from '../journal/run-state.ts';
import { Batch } from './batch.ts';
import type { PendingRow } from './send-events.ts';

/** A request of unknown outcome is sent again in so many parts: 500 rows end as single ones after three rounds. */
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

/** Yields a batch of the one row that is sent again before the others. */
export async function* probingBatch(rows: ListPass, wanted: number): AsyncGenerator<Batch, void> {
  for await (const chunk of rows)
    for (const { number, member } of chunk)
      if (number === wanted && member !== undefined) yield new Batch([{ number, member }], 'probe');
}

/** Yields the rows of each request of unknown outcome, except those that make the service fail, in parts of a tenth. */
export async function* confirmingBatches(
  rows: ListPass,
  state: RunState,
  failing: ReadonlySet<number>,
): AsyncGenerator<Batch, void> {
  const parts = new Map<number, PendingRow[]>();
  for await (const chunk of rows) {
    for (const { number, member } of chunk) {
      const unknown = failing.has(number) ? undefined : state.unknownRequest(number);
      if (unknown === undefined || member === undefined) continue;
      const part = parts.get(unknown.request) ?? [];
      parts.set(unknown.request, part);
      part.push({ number, member });
      if (part.length < Math.ceil(unknown.size / PARTS_PER_ROUND)) continue;
      parts.delete(unknown.request);
      yield new Batch(part, 'again');
    }
  }
  for (const part of parts.values()) yield new Batch(part, 'again');
}
