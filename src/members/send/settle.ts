import { SETTLE_SLOWEST_FACTOR } from './limits.ts';

/**
 * How long to leave the service alone before rows of unclear fate are sent once more: it may still be at work on the
 * first attempt, and nothing there promises that a user is added once only.
 */
export class SettleTime {
  readonly #settleMs: number;
  readonly #timeoutMs: number;
  #slowestMs = 0;
  #lastUnclear: number | undefined;
  #lastTimeout: number | undefined;

  /**
   * @param settleMs the least pause
   * @param timeoutMs our own timeout: a request that ran into it is given as long again
   */
  constructor(settleMs: number, timeoutMs: number) {
    this.#settleMs = settleMs;
    this.#timeoutMs = timeoutMs;
  }

  /** Tells of an answer, however it came out, that took this long. */
  answered(durationMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, durationMs);
  }

  /** Tells of an attempt whose fate is unclear and that ended at this time. */
  unclear(nowMs: number, timedOut: boolean): void {
    this.#lastUnclear = Math.max(this.#lastUnclear ?? nowMs, nowMs);
    if (timedOut) this.#lastTimeout = Math.max(this.#lastTimeout ?? nowMs, nowMs);
  }

  /** The time at which a further attempt is safe, as far as one can tell. */
  until(): number {
    const pause = Math.max(this.#settleMs, SETTLE_SLOWEST_FACTOR * this.#slowestMs);
    const afterUnclear = this.#lastUnclear === undefined ? 0 : this.#lastUnclear + pause;
    const afterTimeout = this.#lastTimeout === undefined ? 0 : this.#lastTimeout + this.#timeoutMs;
    return Math.max(afterUnclear, afterTimeout);
  }
}
