import type { ImportRun } from '../journal/import-run.ts';
import type { UnknownRequest } from '../journal/unknown-requests.ts';
import type { Delivery } from './delivery.ts';
import { confirmingBatches, type ListPass, probingBatch } from './list-batches.ts';
import type { SendEvent, WaitReason } from './send-events.ts';

/** Probes in a row whose outcome is unknown, too, after which no other row is sent again. */
const MAX_UNKNOWN_PROBES = 3;
/** Where the single rows that are sent first are in their request: the last one, the first one, the middle, and so on. */
const SINGLE_ROWS = [1, 0, 1 / 2, 1 / 4, 3 / 4, 1 / 8, 3 / 8, 5 / 8];
/** How many times as many rows are in the next probe after that. */
const GROWTH = 4;

/**
 * Sends the rows of unknown outcome again once their requests are over. A request is over a lifetime after its end and after the
 * first later request that created somebody. If there is no such proof, some of its rows are probed until there is one. Then all
 * rows are confirmed in rounds: in the size of their request, and then in tenths, so a row that makes the service fail ends alone.
 * Rounds go on until one resolves nothing, unless it had so few requests that this may be chance.
 */
export class Confirmation {
  readonly #delivery: Delivery;
  readonly #run: ImportRun;
  readonly #rows: () => ListPass;
  /** The number of the first request that sends rows again. */
  readonly #firstRequest: number;

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
      if (!(yield* this.#prove())) return;
      const { unknown } = state.counts();
      const pending = this.#pending();
      const rows = [...pending.values()].reduce((sum, { length }) => sum + length, 0);
      if (rows === 0 || this.#delivery.hasEnded) return;
      yield* this.#wait(reasonOf([...pending.keys()]), () =>
        Math.max(...[...pending.keys()].map((request) => this.#run.remainingMs(request))),
      );
      if (this.#delivery.hasEnded) return;
      yield { type: 'phase', rows };
      const { lastRequest } = state;
      const isPending = (number: number) => !this.#makesServiceFail(number);
      yield* this.#delivery.deliver(confirmingBatches(this.#rows(), state, isPending, () => service.batchSize.rows));
      const hasResolved = state.counts().unknown < unknown;
      const hasSent = state.lastRequest > lastRequest;
      if (!hasResolved && (!hasSent || service.isFailing)) return;
    }
  }

  /**
   * Probes the requests without a proof: sends few of their rows again, until one of these is created. So if a request is still
   * running, few people are added twice, and the report names them.
   *
   * @returns whether all requests have a proof, so that their rows may be sent again
   */
  async *#prove(): AsyncGenerator<SendEvent, boolean> {
    const { state } = this.#run;
    /** Probes that were answered, by the request that they probed. */
    const answered = new Map<number, number>();
    let [unknown, last]: [number, UnknownRequest | undefined] = [0, undefined];
    while (unknown < MAX_UNKNOWN_PROBES) {
      const [request, rows] = this.#nextUnproven() ?? [];
      if (request === undefined || rows === undefined) return true;
      const { restart } = state;
      yield* this.#wait(restart === undefined ? reasonOf([request]) : 'stalled', () =>
        this.#untilProbeMs(request, last),
      );
      if (this.#delivery.hasEnded) return false;
      const count = answered.get(request.request) ?? 0;
      const numbers = new Set(rowsToProbe(rows, count, this.#delivery.service.batchSize.rows));
      yield { type: 'phase', rows: numbers.size };
      yield* this.#delivery.deliver(probingBatch(this.#rows(), numbers, request.probed));
      if (this.#delivery.hasEnded) return false;
      last = [...numbers].map((number) => state.unknownRequest(number)).find((found) => found !== undefined);
      unknown = last === undefined ? 0 : unknown + 1;
      if (last === undefined) answered.set(request.request, count + 1);
      if (state.restart !== restart) answered.clear();
    }
    return false;
  }

  /** Returns how long the next row of a request is not probed, in milliseconds. */
  #untilProbeMs(request: UnknownRequest, last: UnknownRequest | undefined): number {
    const lastMs = last === undefined ? 0 : this.#run.lifetimeLeftMs(last);
    return Math.max(this.#run.lifetimeLeftMs(request), lastMs, this.#run.restartMs());
  }

  /** Returns a request without a proof, and its rows: a probe, so that no other person is at risk, or the one that ended first. */
  #nextUnproven(): [UnknownRequest, readonly number[]] | undefined {
    const unproven = [...this.#pending()].filter(([{ proof }]) => proof === undefined);
    const probe = unproven.findLast(([{ purpose }]) => purpose === 'probe');
    const leftMs = ([request]: [UnknownRequest, unknown]) => this.#run.lifetimeLeftMs(request);
    return (
      probe ??
      unproven.reduce<(typeof unproven)[number] | undefined>(
        (first, next) => (first !== undefined && leftMs(first) <= leftMs(next) ? first : next),
        undefined,
      )
    );
  }

  /** Returns the rows to send again, by their requests. */
  #pending(): Map<UnknownRequest, readonly number[]> {
    const pending = new Map<UnknownRequest, readonly number[]>();
    for (const [request, all] of this.#run.state.unknownRequests()) {
      const rows = all.filter((number) => !this.#makesServiceFail(number));
      if (rows.length > 0) pending.set(request, rows);
    }
    return pending;
  }

  /** Whether this process has seen that a row makes the service fail: sending it again would not help. */
  #makesServiceFail(number: number): boolean {
    return (this.#run.state.failing.get(number) ?? 0) >= this.#firstRequest;
  }

  /** Waits until `leftMs` returns 0, also if the machine has slept meanwhile. */
  async *#wait(reason: WaitReason, leftMs: () => number): AsyncGenerator<SendEvent, void> {
    for (let ms = leftMs(); ms > 0 && !this.#delivery.hasEnded; ms = leftMs()) yield* this.#delivery.wait(reason, ms);
  }
}

function reasonOf(requests: readonly UnknownRequest[]): WaitReason {
  return requests.every(({ purpose }) => purpose === 'others') ? 'earlier-requests' : 'confirming';
}

/**
 * Returns the rows of the next probe: single ones from all over the request, then four times as many each time.
 *
 * @param rows those that are left, in order
 * @param answered probes of the request that were answered, and created nobody
 * @param most rows in one request at most
 */
function rowsToProbe(rows: readonly number[], answered: number, most: number): number[] {
  const single = SINGLE_ROWS[answered];
  if (single !== undefined) return rows.slice(Math.round(single * (rows.length - 1))).slice(0, 1);
  const size = Math.min(rows.length, most, GROWTH ** (answered - SINGLE_ROWS.length + 1));
  return Array.from({ length: size }, (_, at) => rows[Math.floor(((at + 0.5) * rows.length) / size)]).filter(
    (number) => number !== undefined,
  );
}
