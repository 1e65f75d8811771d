import type { Member } from '../../client/bulk-response.ts';
import type { PendingRow } from './send-batch.ts';
import type { ThrottleReason } from './throttle.ts';

/** Why nothing is sent at the moment. */
export type WaitReason = ThrottleReason | 'quiet-period' | 'request-lifetime';

/** What happens while a list is sent. */
export type SendEvent =
  /** A request is about to be sent. `inFlight`: number of requests in flight, this one included. */
  | { type: 'batch-sent'; inFlight: number }
  /**
   * A request has ended, or rows were finalized without one: they may have new states, which are in the journal.
   * `created`: the members that the service returned, by the number of their row. `inFlight`: as above, without this request.
   */
  | { type: 'rows'; rows: readonly PendingRow[]; created: ReadonlyMap<number, Member>; inFlight: number }
  /** Requests wait between these times, in milliseconds since the epoch. */
  | { type: 'waiting'; reason: WaitReason; fromMs: number; untilMs: number }
  /** A response contradicts itself or its request. */
  | { type: 'inconsistency'; message: string }
  /** A response also lists a deactivated membership of these users. */
  | { type: 'deactivated'; userIds: readonly string[] }
  /** The last event of a run that ends early: the reason of the abort signal, or an error. */
  | { type: 'stopped'; reason: unknown };

interface QueuedEvent<T> {
  readonly event: T;
  readonly processed: () => void;
}

/** Passes events from concurrent producers to one consumer, which iterates over them. */
export class EventChannel<T> implements AsyncIterable<T> {
  #queue: QueuedEvent<T>[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  /**
   * Queues an event.
   *
   * @returns resolves when the consumer has processed it: a producer that waits is as slow as the consumer. Resolves at
   *   once when the consumer has left
   */
  push(event: T): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#queue.push({ event, processed: resolve });
      this.#wake();
    });
  }

  /** Ends the iteration after the events that are queued. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    let current: QueuedEvent<T> | undefined;
    try {
      for (;;) {
        current = this.#queue.shift();
        if (current !== undefined) {
          yield current.event;
          current.processed();
        } else if (this.#isClosed) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      // The consumer has left: no producer waits for it any longer.
      this.#isClosed = true;
      for (const { processed } of [...(current ? [current] : []), ...this.#queue.splice(0)]) processed();
    }
  }
}
