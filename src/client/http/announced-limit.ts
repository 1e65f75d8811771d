import type { RateLimit } from './rate-limit-headers.ts';

/** Requests do not wait for a reset later than this; the service may still reject them. Milliseconds. */
const MAX_ANNOUNCED_WAIT_MS = 10 * 60_000;
/** Resets are rounded to seconds: times that differ by less are the same, in milliseconds. */
const ROUNDING_MS = 1_500;
/** Added to a reset, so that the request arrives after it: milliseconds. */
const RESET_MARGIN_MS = 50;
/** Waits that have to end with nothing remaining again, until the headers are ignored. */
const MAX_USELESS_WAITS = 2;

/** The last report of the limit, with the time of its reset in milliseconds since the epoch. */
interface Report extends RateLimit {
  remaining: number;
  resetMs: number;
  resetAt: number;
}

/**
 * The limit that the headers of responses announce. A window is used up until its reset; a token bucket, recognized by a
 * reset that moves away with every request, gets the next token sooner.
 */
export class AnnouncedLimit {
  #last: Report | undefined;
  /** The first report of the window. */
  #first: Report | undefined;
  /** Tokens per millisecond, if the limit is a token bucket. */
  #refill: number | undefined;
  #uselessWaits = 0;

  /** Applies the headers of a response. */
  update(announced: RateLimit): void {
    const { policy, limit, remaining, resetMs, seenAt: now } = announced;
    if (remaining === undefined || resetMs === undefined) return;
    const report: Report = { ...announced, remaining, resetMs, resetAt: now + resetMs };
    const last = this.#last;
    const first = this.#first;
    if (last !== undefined && last.remaining === 0 && now >= last.resetAt)
      this.#uselessWaits = remaining === 0 && limit !== 1 ? this.#uselessWaits + 1 : 0;
    if (last === undefined || first === undefined || last.policy !== policy) {
      this.#first = report;
      this.#last = report;
      this.#refill = undefined;
      return;
    }
    if (
      limit !== undefined &&
      (this.#refill !== undefined || (remaining <= last.remaining && isRefilling(first, report)))
    ) {
      if (remaining < limit && resetMs > 0) this.#refill = (limit - remaining) / resetMs;
      this.#last = report;
      return;
    }
    const isSameWindow = now < last.resetAt && Math.abs(report.resetAt - last.resetAt) <= ROUNDING_MS;
    if (isSameWindow) {
      // Responses may arrive in another order than they were sent.
      report.remaining = Math.min(remaining, last.remaining);
      report.resetAt = Math.min(report.resetAt, last.resetAt);
    }
    if (!isSameWindow && (now >= first.resetAt || remaining >= first.remaining)) this.#first = report;
    this.#last = report;
  }

  /** A rejected request shows that the limit is real. */
  confirm(): void {
    this.#uselessWaits = 0;
  }

  /**
   * Returns when the next request may be sent, in milliseconds since the epoch: now or earlier if at once, infinity if a
   * response has to arrive first; undefined if nothing is announced.
   */
  opensAt(now: number, inFlight: number): number | undefined {
    const last = this.#last;
    if (last === undefined || this.#uselessWaits >= MAX_USELESS_WAITS) return undefined;
    const { remaining, resetAt, limit, seenAt } = last;
    // Requests in flight may not be counted yet.
    if (this.#refill !== undefined) return seenAt + Math.max(0, (1 + inFlight - remaining) / this.#refill);
    if (now >= resetAt + RESET_MARGIN_MS) {
      // After a wait, a single request shows whether the limit has been reset.
      const available = remaining === 0 ? 1 : (limit ?? Math.max(1, this.#first?.remaining ?? 1));
      return inFlight < available ? now : Number.POSITIVE_INFINITY;
    }
    if (remaining > inFlight || resetAt - now > MAX_ANNOUNCED_WAIT_MS) return now;
    return remaining > 0 && inFlight > 0 ? Number.POSITIVE_INFINITY : resetAt + RESET_MARGIN_MS;
  }

  /** Returns when a rejected request may be sent again, in milliseconds since the epoch; undefined if nothing is announced. */
  retryAt(now: number): number | undefined {
    const last = this.#last;
    if (last === undefined || last.resetAt - now > MAX_ANNOUNCED_WAIT_MS) return undefined;
    if (this.#refill !== undefined) return Math.max(now, last.seenAt + (1 - last.remaining) / this.#refill);
    return last.remaining === 0 ? last.resetAt + RESET_MARGIN_MS : undefined;
  }
}

/** Whether the reset moved away while requests were used up, as that of a bucket which takes longer to be full again. */
function isRefilling(first: Report, report: Report): boolean {
  return (
    report.seenAt < first.resetAt + ROUNDING_MS &&
    report.remaining < first.remaining &&
    report.resetMs >= first.resetMs + 1_000
  );
}
