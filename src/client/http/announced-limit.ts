import type { RateLimit } from './rate-limit-headers.ts';

/** Requests do not wait for a reset later than this; the service may still reject them. Milliseconds. */
const MAX_ANNOUNCED_WAIT_MS = 10 * 60_000;
/** Resets are rounded to seconds: times that differ by less are the same, in milliseconds. */
const ROUNDING_MS = 1_500;
/** Added to a reset, so that the request arrives after it: milliseconds. */
const RESET_MARGIN_MS = 50;

/** The last report of the limit. */
interface Report {
  policy: string;
  limit: number | undefined;
  remaining: number;
  /** In milliseconds since the epoch. */
  resetAt: number;
}

/** The limit that the headers of responses announce: if nothing remains, requests wait for the reset. */
export class AnnouncedLimit {
  #last: Report | undefined;

  /** Applies the headers of a response. */
  update({ policy, limit, remaining, resetMs, seenAt }: RateLimit): void {
    if (remaining === undefined || resetMs === undefined) return;
    const last = this.#last;
    const resetAt = seenAt + resetMs;
    const isSameWindow =
      last?.policy === policy && seenAt < last.resetAt && Math.abs(resetAt - last.resetAt) <= ROUNDING_MS;
    // Responses may arrive in another order than they were sent.
    this.#last = isSameWindow
      ? { policy, limit, remaining: Math.min(remaining, last.remaining), resetAt: Math.min(resetAt, last.resetAt) }
      : { policy, limit, remaining, resetAt };
  }

  /**
   * Returns when the next request may be sent, in milliseconds since the epoch: now or earlier if at once, infinity if a
   * response has to arrive first; undefined if nothing is announced.
   */
  opensAt(now: number, inFlight: number): number | undefined {
    const last = this.#last;
    if (last === undefined) return undefined;
    const { remaining, resetAt, limit } = last;
    if (now >= resetAt + RESET_MARGIN_MS) {
      // After a wait, a single request shows whether the limit has been reset.
      const available = remaining === 0 ? 1 : (limit ?? 1);
      return inFlight < available ? now : Number.POSITIVE_INFINITY;
    }
    // Requests in flight may not be counted yet.
    if (remaining > inFlight || resetAt - now > MAX_ANNOUNCED_WAIT_MS) return now;
    return remaining > 0 ? Number.POSITIVE_INFINITY : resetAt + RESET_MARGIN_MS;
  }

  /** Returns when a rejected request may be sent again, in milliseconds since the epoch; undefined if nothing is announced. */
  retryAt(now: number): number | undefined {
    const last = this.#last;
    if (last?.remaining !== 0 || last.resetAt - now > MAX_ANNOUNCED_WAIT_MS) return undefined;
    return last.resetAt + RESET_MARGIN_MS;
  }
}
