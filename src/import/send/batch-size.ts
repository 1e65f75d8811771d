/** How much faster than the timeout a response has to be to show that the service is not slow. */
const FAST_SHARE = 1 / 4;

/** Whether the service took so long for a request that it is slow, or was stalled. Both in milliseconds. */
export function isSlow(tookMs: number, timeoutMs: number): boolean {
  return tookMs >= timeoutMs * FAST_SHARE;
}

/**
 * How many rows go into a request: half as many after a timeout, and twice as many after a fast response, because a service that
 * waits for a lock is slow for a while, whatever the size.
 */
export class BatchSize {
  /** As many as the user asked for, or fewer if the service has named a limit, or fails. */
  #most: number;
  #rows: number;

  constructor(asked: number) {
    this.#most = asked;
    this.#rows = asked;
  }

  get rows(): number {
    return this.#rows;
  }

  /** Whether timeouts have reduced the size, and it has not grown back. */
  get isReduced(): boolean {
    return this.#rows < this.#most;
  }

  /** Records a timeout of a request with so many rows. Returns whether the size is smaller now. */
  timedOut(rows: number): boolean {
    const half = Math.ceil(rows / 2);
    if (rows === 1 || half >= this.#rows) return false;
    this.#rows = half;
    return true;
  }

  /**
   * Records a fast response to a request with so many rows; one that was not full shows nothing about larger ones. Returns
   * whether the size is larger now.
   */
  wasFast(rows: number): boolean {
    if (rows < this.#rows || !this.isReduced) return false;
    this.#rows = Math.min(this.#most, 2 * this.#rows);
    return true;
  }

  /** Sends no more rows at once from now on. */
  limitTo(rows: number): void {
    this.#most = Math.min(this.#most, rows);
    this.#rows = Math.min(this.#rows, rows);
  }
}
