import { SLOWEST_RESPONSE_FACTOR } from './send-limits.ts';

/**
 * How long to leave the service alone before rows of unknown outcome are sent again: it may still be processing the first
 * request, and nothing there promises that a user is added only once.
 */
export class QuietPeriod {
  readonly #leastMs: number;
  readonly #timeoutMs: number;
  #slowestMs = 0;
  #lastAmbiguous: number | undefined;
  #lastTimeout: number | undefined;

  /**
   * @param leastMs the shortest pause
   * @param timeoutMs our own timeout: a request that ran into it gets as long again
   */
  constructor(leastMs: number, timeoutMs: number) {
    this.#leastMs = leastMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Records that the service responded, in whatever way, after this long. */
  responded(durationMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, durationMs);
  }

  /** Records that a request of unknown outcome ended at this time. */
  ambiguous(nowMs: number, timedOut: boolean): void {
    this.#lastAmbiguous = Math.max(this.#lastAmbiguous ?? nowMs, nowMs);
    if (timedOut) this.#lastTimeout = Math.max(this.#lastTimeout ?? nowMs, nowMs);
  }

  /** The end of the period, in milliseconds since the epoch; 0 where nothing was ambiguous. */
  until(): number {
    const pause = Math.max(this.#leastMs, SLOWEST_RESPONSE_FACTOR * this.#slowestMs);
    const afterAmbiguous = this.#lastAmbiguous === undefined ? 0 : this.#lastAmbiguous + pause;
    const afterTimeout = this.#lastTimeout === undefined ? 0 : this.#lastTimeout + this.#timeoutMs;
    return Math.max(afterAmbiguous, afterTimeout);
  }
}
