import { AnnouncedLimit } from '../../client/http/announced-limit.ts';
import type { RateLimit } from '../../client/http/rate-limit-headers.ts';
import { LearnedLimit } from './learned-limit.ts';

/** A request that was allowed. */
export interface Permit {
  readonly sentAt: number;
  /** Whether it is to show if a limit that was used up accepts requests again. */
  readonly isProbe: boolean;
}

/**
 * Decides when requests may be sent so that a service which limits them rejects few: by what its responses announce, and
 * otherwise by what its rejections have shown. Times are in milliseconds since the epoch.
 */
export class RatePacer {
  readonly #announced = new AnnouncedLimit();
  readonly #learned: LearnedLimit;
  #inFlight = 0;
  #isLimited = false;

  /** @param random from 0 up to 1, for jitter */
  constructor(random: () => number) {
    this.#learned = new LearnedLimit(random);
  }

  /** Whether a limit has delayed or rejected any request. */
  get isLimited(): boolean {
    return this.#isLimited;
  }

  /** Returns when the next request may be sent: now or earlier if at once, infinity if a response has to arrive first. */
  opensAt(now: number): number {
    const announced = this.#learned.isRejecting ? undefined : this.#announced.opensAt(now, this.#inFlight);
    const opensAt = announced ?? this.#learned.opensAt(this.#inFlight);
    if (opensAt > now) this.#isLimited = true;
    return opensAt;
  }

  /** Records that a request is sent. Its end has to be recorded by `accepted`, `rejected` or `dropped`. */
  send(now: number): Permit {
    const isPaced = this.#announced.opensAt(now, this.#inFlight) === undefined;
    this.#inFlight++;
    return { sentAt: now, isProbe: this.#learned.send(now, isPaced) };
  }

  /** Records that the service processed a request, in whatever way. */
  accepted({ sentAt, isProbe }: Permit, limit: RateLimit | undefined): void {
    this.#inFlight--;
    if (limit !== undefined) this.#announced.update(limit);
    this.#learned.accept(sentAt, isProbe);
  }

  /**
   * Records that the service rejected a request because of its limit.
   *
   * @param retryAfterMs how long the service asks to wait
   */
  rejected(
    { sentAt, isProbe }: Permit,
    now: number,
    limit: RateLimit | undefined,
    retryAfterMs: number | undefined,
  ): void {
    this.#inFlight--;
    this.#isLimited = true;
    this.#announced.confirm();
    if (limit !== undefined) this.#announced.update(limit);
    const retryAt = this.#announced.retryAt(now);
    this.#learned.reject(sentAt, now, isProbe, retryAfterMs ?? (retryAt === undefined ? undefined : retryAt - now));
  }

  /** Records that a request ended without a response, or was not sent after all. */
  dropped({ isProbe }: Permit): void {
    this.#inFlight--;
    this.#learned.drop(isProbe);
  }
}
