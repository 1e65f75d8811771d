import type { ImportRun } from '../journal/import-run.ts';
import type { Delivery } from './delivery.ts';
import { confirmingBatches, type ListPass, probingBatch } from './list-batches.ts';
import type { SendEvent } from './send-events.ts';

/** Requests of one row in a row whose outcome is unknown, too, after which no other row is sent again. */
const MAX_UNKNOWN_PROBES = 3;

/**
 * Sends the rows of unknown outcome again, once all of their requests are over: one row first, then the others in rounds, each
 * in parts of a tenth of the round before. A row that makes the service fail is then alone in a request. Rounds go on until one
 * resolves nothing, unless it had so few requests that this may be chance.
 */
export class Confirmation {
  readonly #delivery: Delivery;
  readonly #run: ImportRun;
  readonly #rows: () => ListPass;
  /** The number of the first request that confirms rows. */
  readonly #firstRequest: number;
  /** Rows that were sent first, alone, and made the service fail: that may be chance, so they are sent again with the others. */
  readonly #failedProbes = new Set<number>();

  /** @param rows returns a pass over the list */
  constructor(delivery: Delivery, { run, rows }: { run: ImportRun; rows: () => ListPass }) {
    this.#delivery = delivery;
    this.#run = run;
    this.#rows = rows;
    this.#firstRequest = run.state.lastRequest + 1;
  }

  async *confirm(): AsyncGenerator<SendEvent, void> {
    const { service } = this.#delivery;
    const { state } = this.#run;
    service.startConfirming();
    for (;;) {
      if (service.mayBeStalled && !(yield* this.#confirmOneRow())) return;
      const { unknown } = state.counts();
      const failing = this.#failingRows();
      const rows = unknown - failing.size;
      if (rows === 0 || this.#delivery.hasEnded) return;
      yield* this.#delivery.wait('confirming', this.#run.unknownMs());
      if (this.#delivery.hasEnded) return;
      yield { type: 'phase', rows };
      const { lastRequest } = state;
      yield* this.#delivery.deliver(confirmingBatches(this.#rows(), state, failing));
      this.#failedProbes.clear();
      const hasResolved = state.counts().unknown < unknown;
      const hasSent = state.lastRequest > lastRequest;
      if (!hasResolved && (!hasSent || service.isFailing)) return;
    }
  }

  /**
   * Sends single rows again until a fast response shows that the service is not stalled. A locked table, for example, stalls the
   * first request of a row and this one alike, and then adds the person twice: so it is one person, not all of them.
   *
   * @returns whether the other rows may be sent again
   */
  async *#confirmOneRow(): AsyncGenerator<SendEvent, boolean> {
    const { service } = this.#delivery;
    const { state } = this.#run;
    for (let unknown = 0; unknown < MAX_UNKNOWN_PROBES; ) {
      const number = this.#nextProbe();
      if (number === undefined) return false;
      yield* this.#delivery.wait('confirming', this.#run.unknownMs());
      if (this.#delivery.hasEnded) return false;
      yield { type: 'phase', rows: 1 };
      service.startProbe();
      yield* this.#delivery.deliver(probingBatch(this.#rows(), number));
      if (this.#delivery.hasEnded) return false;
      const isUnknown = state.stateOf(number) === 'unknown';
      if (state.failing.has(number)) this.#failedProbes.add(number);
      if (!isUnknown && !service.mayBeStalled) return true;
      unknown = isUnknown ? unknown + 1 : 0;
      if (!isUnknown) yield* this.#delivery.wait('stalled', this.#run.longestLifetimeMs());
    }
    return false;
  }

  /**
   * Returns the row to send first: one that was sent again during a stall, so that no other is at risk, or else the first one.
   * Undefined if all of them make the service fail.
   */
  #nextProbe(): number | undefined {
    const { state } = this.#run;
    const { failing, stalled } = state;
    const rows = state.unknownRows().filter((number) => (failing.get(number) ?? 0) < this.#firstRequest);
    return rows.find((number) => stalled.has(number)) ?? rows.find((number) => !failing.has(number)) ?? rows[0];
  }

  /** Returns the rows of which this process has seen that they make the service fail: sending them again would not help. */
  #failingRows(): ReadonlySet<number> {
    const { failing } = this.#run.state;
    return new Set(
      [...failing].flatMap(([number, request]) =>
        request >= this.#firstRequest && !this.#failedProbes.has(number) ? number : [],
      ),
    );
  }
}
