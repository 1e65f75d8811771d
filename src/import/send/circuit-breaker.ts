import type { Clock } from '../../util/clock.ts';

/** Why a gate is closed, for the progress line. */
export type WaitReason = 'limited' | 'unclear' | 'unreachable' | 'key-rejected';

/**
 * What all workers pass before each request. Closed, it holds everybody until its time is over; then a single request
 * goes through as a probe, and the others follow once that one has brought an answer.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #onWait: (reason: WaitReason, untilMs: number) => void;
  #closedUntil = 0;
  #mustProbe = false;
  #probing = false;
  #waiting: (() => void)[] = [];

  constructor(clock: Clock, onWait: (reason: WaitReason, untilMs: number) => void) {
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /**
   * Resolves when a request may go out, or at once when `signal` is aborted.
   *
   * @returns whether the request is the probe: its end must be told by `probed`
   */
  async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const wait = this.#closedUntil - this.#clock.now();
      if (wait > 0) await this.#clock.sleep(wait, signal);
      else if (!this.#mustProbe) return false;
      else if (!this.#probing) {
        this.#probing = true;
        return true;
      } else await this.#change(signal);
    }
    return false;
  }

  /** Closes the gate until `untilMs` at the least. */
  close(untilMs: number, reason: WaitReason): void {
    this.#mustProbe = true;
    if (untilMs <= this.#closedUntil) return;
    this.#closedUntil = untilMs;
    this.#onWait(reason, untilMs);
    this.#notify();
  }

  /** Ends a probe: an answered one opens the gate, after any other the next request probes again. */
  probeDone(hasResponse: boolean): void {
    this.#probing = false;
    if (hasResponse) this.#mustProbe = false;
    this.#notify();
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.push(done);
    });
  }

  #notify(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}
