/** How much faster than the timeout a response has to be to show that the service is not slow. */
const FAST_SHARE = 1 / 4;

/** Whether the service took so long for a request that it is slow, or was stalled. Both in milliseconds. */
export function isSlow(tookMs: number, timeoutMs: number): boolean {
  return tookMs >= timeoutMs * FAST_SHARE;
}

/** The batch size after a change. `isReduced`: whether timeouts have reduced it, and it has not grown back. */
export interface SizeChange {
  readonly rows: number;
  readonly isReduced: boolean;
}

/**
 * How many rows go into a request: half as many after a timeout, and twice as many after a fast response, because a service that
 * waits for a lock is slow for a while, whatever the size.
 */
export class BatchSize {
  /** As many as the user asked for, or fewer if the service has named a limit, or fails. */
  #most: number;
  #rows: number;
  #hasChanged = false;

  constructor(asked: number) {
    this.#most = asked;
    this.#rows = asked;
  }

  /** Rows in one request at most. */
  get rows(): number {
    return this.#rows;
  }

  /** Returns the size, if timeouts or fast responses have changed it since the last call. */
  takeChange(): SizeChange | undefined {
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    return { rows: this.#rows, isReduced: this.#rows < this.#most };
  }

  /** Records a timeout of a request with so many rows. */
  timedOut(rows: number): void {
    const half = Math.ceil(rows / 2);
    if (rows > 1 && half < this.#rows) this.#change(half);
  }

  /** Records a fast response to a request with so many rows; one that was not full shows nothing about larger ones. */
  wasFast(rows: number): void {
    if (rows >= this.#rows && this.#rows < this.#most) this.#change(Math.min(this.#most, 2 * this.#rows));
  }

  #change(rows: number): void {
    this.#rows = rows;
    this.#hasChanged = true;
  }

  /** Sends no more rows at once from now on. */
  limitTo(rows: number): void {
    this.#most = Math.min(this.#most, rows);
    this.#rows = Math.min(this.#rows, rows);
  }
}
