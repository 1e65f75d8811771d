import { adoptOthers } from './adopt-others.ts';
import { Confirmation } from './confirmation.ts';
import { Delivery, type DeliveryOptions } from './delivery.ts';
import { type ListPass, unsentBatches } from './list-batches.ts';
import { LimitReached, type SendEvent } from './send-events.ts';

export interface SendOptions extends DeliveryOptions {
  /** Returns a pass over the list. */
  readonly rows: () => ListPass;
  /** Rows to send at most that were never sent before; undefined for all. */
  readonly limit: number | undefined;
  /** Whether to send the failed rows again, too: they stay failed until a response says something else. */
  readonly resendsFailed: boolean;
}

/**
 * Sends the unsent rows of a run, then resolves those of unknown outcome (interface 4.2). Yields what happens; the last
 * event is `stopped` if the run ends early.
 *
 * The outcome of a request is in the journal before its event, and nothing is sent while the consumer processes an event. A
 * consumer that leaves the iteration ends the run as the signal does.
 *
 * @throws JournalWriteError
 */
export async function* send(options: SendOptions): AsyncGenerator<SendEvent, void> {
  const delivery = new Delivery(options);
  try {
    yield* sendAndConfirm(delivery, options);
    const { change } = delivery.service.batchSize;
    if (change !== undefined) yield { type: 'batch-size', ...change };
    if (delivery.stopReason !== undefined) yield { type: 'stopped', reason: delivery.stopReason };
  } finally {
    await delivery.settle();
  }
}

async function* sendAndConfirm(delivery: Delivery, options: SendOptions): AsyncGenerator<SendEvent, void> {
  const { run, limit, resendsFailed, signal } = options;
  const adopted = run.state.isUnfinished || resendsFailed ? await adoptOthers(options) : 0;
  yield* sendUnsent(delivery, { ...options, limit: limit === undefined ? undefined : limit - adopted });
  yield* new Confirmation(delivery, options).confirm();
  if (signal.aborted) delivery.stop(signal.reason);
  if (limit !== undefined && run.state.counts().unsent > 0) delivery.stop(new LimitReached(limit));
}

async function* sendUnsent(
  delivery: Delivery,
  { run: { state }, rows, resendsFailed, limit = Number.POSITIVE_INFINITY }: SendOptions,
): AsyncGenerator<SendEvent, void> {
  const { unsent, failed } = state.counts();
  const count = Math.min(limit, unsent + (resendsFailed ? failed : 0));
  if (count === 0 || delivery.hasEnded) return;
  yield { type: 'phase', rows: count };
  const isToSend = (number: number) => {
    const rowState = state.stateOf(number);
    return rowState === 'unsent' || (resendsFailed && rowState === 'failed');
  };
  yield* delivery.deliver(unsentBatches(rows(), isToSend, limit, () => delivery.service.firstRows));
}
