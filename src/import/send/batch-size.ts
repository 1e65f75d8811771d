/** How much faster than the timeout a response has to be to show that the service is not slow. */
const FAST_SHARE = 1 / 4;

/** Whether the service took so long for a request that it is slow. Both in milliseconds. */
export function isSlow(tookMs: number, timeoutMs: number): boolean {
  return tookMs >= timeoutMs * FAST_SHARE;
}

/** How timeouts have changed the batch size. */
export interface SizeChange {
  readonly smallest: number;
}

/**
 * How many rows go into a request: half as many after a timeout, and twice as many after a fast response, because a service that
 * waits for a lock is slow for a while, whatever the size.
 */
export class BatchSize {
  /** As many as the user asked for, or fewer if the service rejects so many, or fails. */
  #most: number;
  #rows: number;
  #smallest: number | undefined;

  constructor(asked: number) {
    this.#most = asked;
    this.#rows = asked;
  }

  /** Rows in one request at most. */
  get rows(): number {
    return this.#rows;
  }

  /** How timeouts have changed the size; undefined if none has. */
  get change(): SizeChange | undefined {
    if (this.#smallest === undefined) return undefined;
    return { smallest: this.#smallest };
  }

  /** Records a timeout of a request with so many rows. That of a single row shows nothing about the size. */
  timedOut(rows: number): void {
    const half = Math.ceil(rows / 2);
    if (rows === 1 || half >= this.#rows) return;
    this.#rows = half;
    this.#smallest = Math.min(half, this.#smallest ?? half);
  }

  /** Records a fast response to a request with so many rows; one that was not full shows nothing about larger ones. */
  wasFast(rows: number): void {
    if (rows >= this.#rows) this.#rows = Math.min(this.#most, 2 * this.#rows);
  }

  /** Sends no more rows at once from now on. */
  limitTo(rows: number): void {
    this.#most = Math.min(this.#most, rows);
    this.#rows = Math.min(this.#rows, rows);
  }
}
