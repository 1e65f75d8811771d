import type { ServiceError } from '../../client/service-error.ts';
import { EXIT, OrgadmError, withHint } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import { renderDuration } from '../../util/units.ts';
import { type Permit, RatePacer } from './rate-pacer.ts';
import { shortenMessage } from './row-messages.ts';
import type { AttemptResult } from './send-batch.ts';
import {
  BREAKER_PROBES,
  BREAKER_THRESHOLD,
  MAX_RETRY_AFTER_MS,
  OUTAGE_BACKOFF_MS,
  OUTAGE_PATIENCE_MS,
  RATE_LIMIT_PATIENCE_MS,
  SLOWEST_RESPONSE_FACTOR,
} from './send-limits.ts';

/** Why requests wait. */
export type ThrottleReason = 'rate-limited' | 'ambiguous' | 'unreachable' | 'key-rejected';

export interface ThrottleOptions {
  clock: Clock;
  random: () => number;
  /** Further attempts after the first, of a request known not to have been processed; 0 ends the run at the first. */
  retries: number;
  /** Our own timeout, in milliseconds. */
  timeoutMs: number;
  /** The shortest quiet period, in milliseconds. */
  quietPeriodMs: number;
  /** Called when requests have to wait, with the end of the wait in milliseconds since the epoch. */
  onWait: (reason: ThrottleReason, untilMs: number) => void;
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal;
}

/** What follows from the result of a request: why the run should end, and whether to send the same rows again. */
interface Decision {
  end?: OrgadmError | undefined;
  again?: boolean;
}

/** Permission to send one request. */
export interface Admission {
  /** Whether the request is the probe. */
  readonly isProbe: boolean;
  readonly permit: Permit;
}

/** A kind of failure that is retried for a minute: when it began, and how often it happened since. */
interface Outage {
  sinceMs: number;
  failures: number;
}

/**
 * Decides when the next request may be sent, and when to give up. All workers share it: what one of them learns about the
 * state of the service applies to the others.
 *
 * While it is blocked, all workers wait until the deadline. Then a single request, the probe, is admitted, and the others
 * follow once the service has responded to it. Rate limits have a pacer of their own.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  #blockedUntil = 0;
  #mustProbe = false;
  #isProbing = false;
  #waiting: (() => void)[] = [];
  /** When the service began to reject all requests because of its rate limit. */
  #limitedSince: number | undefined;
  #limitedUntil = 0;
  readonly #pacer: RatePacer;
  #ambiguousInARow = 0;
  #ambiguousProbes = 0;
  #unreachable: Outage | undefined;
  #keyRejected: Outage | undefined;
  /** When the service last accepted the key. */
  #keyAcceptedAt: number | undefined;
  #slowestMs = 0;
  #lastAmbiguous = Number.NEGATIVE_INFINITY;
  #lastTimeout = Number.NEGATIVE_INFINITY;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#pacer = new RatePacer(options.random);
    options.signal.addEventListener('abort', () => this.#notify());
  }

  /** Whether a rate limit has delayed or rejected any request. */
  get isRateLimited(): boolean {
    return this.#pacer.isLimited;
  }

  /**
   * Resolves when a request may be sent, or with undefined at once when the signal is aborted. The end of the request must be
   * reported by `apply` or `unused`.
   */
  async acquire(): Promise<Admission | undefined> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      const now = clock.now();
      const limitedUntil = this.#pacer.opensAt(now);
      const openAt = Math.max(this.#blockedUntil, limitedUntil);
      if (openAt === Number.POSITIVE_INFINITY || (this.#mustProbe && this.#isProbing)) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      } else if (openAt > now) {
        if (limitedUntil > this.#blockedUntil) this.#reportLimit(limitedUntil);
        await clock.sleep(openAt - now, signal);
      } else {
        const isProbe = this.#mustProbe;
        if (isProbe) this.#isProbing = true;
        return { isProbe, permit: this.#pacer.send(now) };
      }
    }
    return undefined;
  }

  /** Reports that nothing was sent. */
  unused({ isProbe, permit }: Admission): void {
    this.#pacer.dropped(permit);
    this.#probeDone(isProbe);
  }

  /** Applies the result of a request, and waits before a request that was not sent is to be sent again. */
  async apply(result: AttemptResult, { isProbe, permit }: Admission): Promise<Decision> {
    const { clock, onWait, signal } = this.#options;
    this.#pace(result, permit);
    const { waitMs, ...decision } = this.#decide(result, isProbe, permit);
    this.#probeDone(isProbe);
    if (waitMs !== undefined) {
      onWait('unreachable', clock.now() + waitMs);
      await clock.sleep(waitMs, signal);
    }
    return decision;
  }

  /** Records that the service responded, in whatever way, after this long. */
  recordDuration(durationMs: number): void {
    this.#slowestMs = Math.max(this.#slowestMs, durationMs);
  }

  /** Records that a request of unknown outcome has ended now. */
  recordAmbiguous(timedOut: boolean): void {
    const nowMs = this.#options.clock.now();
    this.#lastAmbiguous = nowMs;
    if (timedOut) this.#lastTimeout = nowMs;
  }

  /**
   * Returns when rows of unknown outcome may be sent again, in milliseconds since the epoch; 0 if nothing was ambiguous.
   * Until then the service may be processing the first request, and may add a user twice.
   */
  quietUntil(): number {
    const { quietPeriodMs, timeoutMs } = this.#options;
    const pause = Math.max(quietPeriodMs, SLOWEST_RESPONSE_FACTOR * this.#slowestMs);
    return Math.max(0, this.#lastAmbiguous + pause, this.#lastTimeout + timeoutMs);
  }

  #decide(result: AttemptResult, isProbe: boolean, permit: Permit): Decision & { waitMs?: number } {
    const { clock } = this.#options;
    if (result.kind === 'response') {
      this.#keyAcceptedAt = clock.now();
      // The service may still be working on the rows that a response leaves out: they wait like other ambiguous rows.
      if (result.coverage !== 'all') this.recordAmbiguous(false);
      if (result.coverage === 'none') return { end: this.#ambiguous(isProbe, emptyResponse()) };
      this.#responded(isProbe);
      return {};
    }
    const { failure, error } = result;
    switch (failure.kind) {
      case 'rate-limited':
        return { end: this.#rateLimited(permit, failure.retryAfterMs, error), again: true };
      case 'not-sent':
        return { ...this.#notSent(error), again: true };
      case 'ambiguous':
        this.recordAmbiguous(failure.timedOut);
        return { end: this.#ambiguous(isProbe, error) };
      case 'fatal':
        // A service whose database is down may reject a key that it accepted a moment ago.
        if (error.status === 401 && this.#keyAcceptedAt !== undefined)
          return { end: this.#rejectedKey(error, this.#keyAcceptedAt), again: true };
        return { end: error };
      default:
        // The service validates the key before the entries.
        this.#keyAcceptedAt = clock.now();
        this.#responded(isProbe);
        return {};
    }
  }

  #responded(isProbe: boolean): void {
    this.#limitedSince = undefined;
    this.#ambiguousInARow = 0;
    this.#ambiguousProbes = 0;
    this.#unreachable = undefined;
    this.#keyRejected = undefined;
    if (isProbe) this.#mustProbe = false;
  }

  /** A 429 proves that nothing was done, and costs no retry while other requests are accepted. */
  #rateLimited({ isProbe }: Permit, retryAfterMs: number | undefined, error: ServiceError): OrgadmError | undefined {
    const { clock, retries } = this.#options;
    this.#unreachable = undefined;
    if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS)
      return gaveUp(error, `the service limits requests and asks to wait ${renderDuration(retryAfterMs)}`);
    this.#limitedSince ??= clock.now();
    const lasted = clock.now() - this.#limitedSince;
    if (lasted >= RATE_LIMIT_PATIENCE_MS || (retries === 0 && isProbe))
      return gaveUp(error, `the service has accepted no request for ${renderDuration(lasted)}`);
    return undefined;
  }

  /** There was no connection. Waits for longer than a restart of the service takes. */
  #notSent(error: ServiceError): { end?: OrgadmError; waitMs?: number } {
    // Before the first response this is a wrong base URL, not an outage.
    if (this.#keyAcceptedAt === undefined && isUnknownHost(error)) return { end: error };
    this.#unreachable ??= { sinceMs: this.#options.clock.now(), failures: 0 };
    const waitMs = this.#outageWait(this.#unreachable);
    return waitMs === undefined ? { end: error } : { waitMs };
  }

  #rejectedKey(error: ServiceError, acceptedAt: number): OrgadmError | undefined {
    const { clock } = this.#options;
    this.#unreachable = undefined;
    this.#keyRejected ??= { sinceMs: clock.now(), failures: 0 };
    const wait = this.#outageWait(this.#keyRejected);
    if (wait === undefined) return rejectedLater(error, clock.now() - acceptedAt);
    this.#block(clock.now() + wait, 'key-rejected');
    return undefined;
  }

  /** Several ambiguous requests in a row block all workers for the quiet period. */
  #ambiguous(isProbe: boolean, error: OrgadmError): OrgadmError | undefined {
    this.#unreachable = undefined;
    const isOpen = this.#ambiguousInARow >= BREAKER_THRESHOLD;
    this.#ambiguousInARow++;
    if (isOpen && isProbe) this.#ambiguousProbes++;
    if (this.#ambiguousProbes >= BREAKER_PROBES)
      return gaveUp(error, `the outcome of ${this.#ambiguousInARow} requests in a row is unknown`);
    if (this.#ambiguousInARow >= BREAKER_THRESHOLD) this.#block(this.quietUntil(), 'ambiguous');
    return undefined;
  }

  /** Returns how long to wait before the next attempt, in milliseconds; undefined if it is time to give up. */
  #outageWait(outage: Outage): number | undefined {
    const { clock, random, retries } = this.#options;
    const left = outage.sinceMs + OUTAGE_PATIENCE_MS - clock.now();
    if (retries === 0 || left <= 0) return undefined;
    return Math.min(left, (OUTAGE_BACKOFF_MS / 2) * (1 + random()) * Math.min(8, 2 ** outage.failures++));
  }

  #probeDone(isProbe: boolean): void {
    if (isProbe) this.#isProbing = false;
    this.#notify();
  }

  /** Reports to the pacer how a request ended. */
  #pace(result: AttemptResult, permit: Permit): void {
    const now = this.#options.clock.now();
    if (result.kind === 'response') this.#pacer.accepted(permit, result.rateLimit);
    else if (result.failure.kind === 'rate-limited') {
      this.#pacer.rejected(permit, now, result.error.rateLimit, result.failure.retryAfterMs);
    } else if (result.error.status !== undefined) this.#pacer.accepted(permit, result.error.rateLimit);
    else this.#pacer.dropped(permit);
  }

  #reportLimit(untilMs: number): void {
    if (untilMs === this.#limitedUntil) return;
    this.#limitedUntil = untilMs;
    this.#options.onWait('rate-limited', untilMs);
  }

  /** Blocks all workers until `untilMs`, or longer if they are blocked longer already. */
  #block(untilMs: number, reason: ThrottleReason): void {
    this.#mustProbe = true;
    if (untilMs <= this.#blockedUntil) return;
    this.#blockedUntil = untilMs;
    this.#options.onWait(reason, untilMs);
  }

  #notify(): void {
    for (const resume of this.#waiting.splice(0)) resume();
  }
}

function isUnknownHost({ cause }: ServiceError): boolean {
  return cause instanceof Error && /\bENOTFOUND\b/.test(cause.message);
}

function rejectedLater(error: ServiceError, sinceMs: number): OrgadmError {
  const response = shortenMessage([error.status, error.messages[0]].join(' '));
  const hint =
    'The service may be failing, or the key may have been revoked. Continue with --resume, and with a new key if necessary.';
  const message = `the API key was accepted until ${renderDuration(sinceMs)} ago and has been rejected since (${response})`;
  return withHint(error, hint, { message });
}

function gaveUp(error: OrgadmError, reason: string): OrgadmError {
  const hint = 'Try again later: --resume continues where this run stopped.';
  return withHint(error, hint, { exitCode: EXIT.unreachable, message: `${reason}: ${error.message}` });
}

function emptyResponse(): OrgadmError {
  return new OrgadmError('invalid-response', EXIT.failure, 'the response mentions none of the rows that were sent');
}
