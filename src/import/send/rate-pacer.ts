import { AnnouncedLimit } from '../../client/http/announced-limit.ts';
import type { RateLimit } from '../../client/http/rate-limit-headers.ts';

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

/** Requests that exceed the rate are allowed to catch up with, after a pause of our own. */
const MAX_CATCH_UP = 5;
/**
 * Each request accepted makes the pace of a token bucket faster by this share for each accepted since the last rejection, to
 * find out whether the limit allows more: 10 % after 100 requests, twice the pace after 260.
 */
const PACE_GROWTH = 0.00002;
/** Rejections in a row after which the pace that was learned is forgotten. */
const MAX_PACED_REJECTIONS = 5;
/** Accepted requests over which the rate of a token bucket is measured: then the older half is forgotten. */
const MAX_MEASURED = 200;
/** After this many windows without a rejected request, the next window shows whether the limit allows more. */
const WINDOWS_UNTIL_EXPLORED = 4;
/** First pause before a rejected request is sent again; it doubles ... */
const BACKOFF_BASE_MS = 1_000;
/** ... up to this. */
const BACKOFF_CAP_MS = 60_000;
/** Lengths that windows usually have, in milliseconds: a wait does not skip the end of one. */
const USUAL_LENGTHS_MS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600].map((seconds) => seconds * 1000);
const MINUTE_MS = 60_000;

/** How far after the expected end of a window a request is sent, in milliseconds: so that it arrives after it. */
const marginOf = (lengthMs: number) => Math.min(250, lengthMs / 20);

/**
 * A limit that is known from its rejections only. The requests that a window accepted, and when it reopened, pace the
 * windows that follow. If few requests are accepted after a wait, the limit is a token bucket: then its rate paces single
 * requests.
 *
 * Times are in milliseconds since the epoch.
 */
class LearnedLimit {
  readonly #random: () => number;
  /** When the first request of the present window was sent. */
  #startedAt = 0;
  #sent = 0;
  #accepted = 0;
  /** Whether the window is used up: a single request shows whether it has reopened. */
  #isClosed = false;
  #isProbing = false;
  #reopensAt = 0;
  /** When a request of this window was rejected first. */
  #rejectedAt: number | undefined;
  #rejections = 0;
  /** Requests that a window accepts; infinity if that is not known. */
  #count = Number.POSITIVE_INFINITY;
  /** The window before, if it was closed by a rejection: until the next one closes, requests start slowly. */
  #previous: { accepted: number; rejectedAt: number } | undefined;
  /** A window is longer than this ... */
  #longerThan = 0;
  /** ... and at most this long. */
  #atMost = Number.POSITIVE_INFINITY;
  #windowsWithoutRejection = 0;
  /** Requests per millisecond, if the limit is a token bucket. */
  #rate: number | undefined;
  #nextAt = 0;
  /** When the token bucket was empty, and how many requests were accepted since. */
  #measuredSince = 0;
  #measured = 0;

  /** @param random from 0 up to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Whether a request was rejected, and none accepted since. */
  get isRejecting(): boolean {
    return this.#rejectedAt !== undefined;
  }

  /** Returns when the next request may be sent: infinity if a response has to arrive first. */
  opensAt(inFlight: number): number {
    if (this.#isClosed) return this.#isProbing ? Number.POSITIVE_INFINITY : this.#reopensAt;
    if (this.#previous !== undefined && inFlight > this.#accepted / 4) return Number.POSITIVE_INFINITY;
    return this.#rate === undefined ? 0 : this.#nextAt;
  }

  /**
   * Counts a request that is sent now.
   *
   * @param isPaced whether what was learned paces the requests, rather than what the service announces
   * @returns whether the request is to show if the window has reopened
   */
  send(now: number, isPaced: boolean): boolean {
    if (this.#isClosed) {
      this.#isProbing = true;
      return true;
    }
    if (this.#sent++ === 0) this.#startedAt = now;
    if (this.#rate !== undefined)
      this.#nextAt = Math.max(this.#nextAt, now - MAX_CATCH_UP / this.#rate) + 1 / this.#rate;
    else if (isPaced && this.#sent >= this.#count && this.#atMost < Number.POSITIVE_INFINITY) {
      this.#isClosed = true;
      this.#reopensAt = this.#startedAt + this.#expectedLength(now - this.#startedAt);
    }
    return false;
  }

  /** Records that the service accepted a request, in whatever way. */
  accept(sentAt: number, wasProbe: boolean): void {
    this.#measured++;
    if (!wasProbe) {
      this.#accepted++;
      if (this.#rate !== undefined) this.#rate *= 1 + PACE_GROWTH * this.#accepted;
      return;
    }
    if (this.#rate === undefined) this.#learn(sentAt);
    if (this.#rate !== undefined && this.#rejectedAt !== undefined)
      this.#nextAt = Math.max(this.#rejectedAt + 2 / this.#rate, sentAt - MAX_CATCH_UP / this.#rate);
    this.#isClosed = false;
    this.#isProbing = false;
    this.#startedAt = sentAt;
    this.#sent = 1;
    this.#accepted = 1;
    this.#rejectedAt = undefined;
    this.#rejections = 0;
  }

  /**
   * Records a rejected request.
   *
   * @param waitMs how long the service asks to wait
   */
  reject(sentAt: number, now: number, wasProbe: boolean, waitMs: number | undefined): void {
    // One of several that were in flight when the first was rejected.
    if (!wasProbe && this.isRejecting) return;
    const startedAt = this.#startedAt;
    this.#rejections++;
    this.#rejectedAt ??= now;
    this.#isClosed = true;
    if (wasProbe) {
      this.#isProbing = false;
      this.#longerThan = Math.max(this.#longerThan, sentAt - startedAt);
      if (this.#longerThan >= this.#atMost) this.#extend();
    } else if (this.#rate !== undefined) this.#measureRate(now);
    if (this.#rejections > MAX_PACED_REJECTIONS) this.#rate = undefined;

    if (waitMs !== undefined && waitMs > 0) {
      this.#longerThan = Math.max(this.#longerThan, now + waitMs - 1_000 - startedAt);
      if (this.#longerThan >= this.#atMost) this.#atMost = Number.POSITIVE_INFINITY;
      this.#reopensAt = now + waitMs + 20 + this.#random() * Math.min(1_000, waitMs * 0.03);
    } else if (this.#rate !== undefined && this.#rejections === 1) this.#reopensAt = now + 1 / this.#rate;
    else if (this.#rate === undefined && now - startedAt < this.#atMost && this.#atMost < Number.POSITIVE_INFINITY)
      this.#reopensAt = Math.max(now + 100, startedAt + this.#expectedLength(now - startedAt));
    else this.#reopensAt = this.#backoffEnd(now, startedAt);
  }

  /** Records that a request ended without a response. */
  drop(wasProbe: boolean): void {
    if (wasProbe) this.#isProbing = false;
  }

  /** The window has reopened: learns how long it was, and what it accepted. */
  #learn(reopenedAt: number): void {
    const length = reopenedAt - this.#startedAt;
    if (length <= this.#longerThan) this.#longerThan = 0;
    this.#atMost = Math.min(this.#atMost, length);
    if (this.#rejectedAt === undefined) {
      this.#previous = undefined;
      this.#windowsWithoutRejection++;
      if (this.#windowsWithoutRejection >= WINDOWS_UNTIL_EXPLORED) this.#count = Number.POSITIVE_INFINITY;
      return;
    }
    this.#windowsWithoutRejection = 0;
    const previous = this.#previous;
    const accepted = this.#accepted;
    if (previous !== undefined && accepted < previous.accepted / 2) {
      this.#rate = 0;
      this.#measuredSince = previous.rejectedAt;
      this.#measured = accepted;
      this.#measureRate(this.#rejectedAt);
      // The request that has just been accepted.
      this.#measured++;
      this.#previous = undefined;
    } else {
      this.#count = Math.max(1, accepted);
      this.#previous = { accepted, rejectedAt: this.#rejectedAt };
    }
  }

  /**
   * A token bucket is empty again: its rate is what it accepted since it was empty. One more may be in it at the end: too high
   * a rate is corrected by the next rejection, too low a one is not.
   */
  #measureRate(now: number): void {
    this.#rate = (this.#measured + 1) / Math.max(1, now - this.#measuredSince);
    if (this.#measured < MAX_MEASURED) return;
    this.#measuredSince = (this.#measuredSince + now) / 2;
    this.#measured /= 2;
  }

  /** The window is longer than was learned: somewhat at first, then by an unknown time. */
  #extend(): void {
    if (this.#rejections > 3) this.#atMost = Number.POSITIVE_INFINITY;
    else this.#atMost = this.#longerThan * (this.#rejections > 1 ? 1.2 : 1.05) + 200;
  }

  /** Returns the length to try for the window, in milliseconds: a usual one that fits, else the middle of the bounds. */
  #expectedLength(elapsedMs: number): number {
    const from = Math.max(this.#longerThan, elapsedMs);
    const usual = USUAL_LENGTHS_MS.map((length) => length + marginOf(length)).find((length) => length > from);
    if (usual !== undefined && usual < this.#atMost) return usual;
    const isNarrow = this.#atMost - from <= this.#atMost / 10;
    return isNarrow || from >= this.#atMost ? this.#atMost + marginOf(this.#atMost) / 5 : (from + this.#atMost) / 2;
  }

  /** Exponential backoff with jitter, but not beyond the end of a usual window or of a calendar minute. */
  #backoffEnd(now: number, startedAt: number): number {
    const backoff =
      Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (this.#rejections - 1)) * (0.5 + this.#random() / 2);
    const minute = Math.ceil(now / MINUTE_MS) * MINUTE_MS + marginOf(MINUTE_MS);
    const ends = [...USUAL_LENGTHS_MS.map((length) => startedAt + length + marginOf(length)), minute];
    return Math.min(now + backoff, ...ends.filter((end) => end > now + 300));
  }
}
