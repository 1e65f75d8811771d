import type { ServiceError } from '../../client/service-error.ts';
import type { Clock } from '../../util/clock.ts';
import { renderDuration } from '../../util/duration.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { shortenMessage } from './row-messages.ts';
import type { AttemptResult } from './send-batch.ts';
import {
  BREAKER_PROBES,
  BREAKER_THRESHOLD,
  LIMIT_JITTER,
  MAX_RETRY_AFTER_MS,
  OUTAGE_BACKOFF_MS,
  OUTAGE_PATIENCE_MS,
  SLOWEST_RESPONSE_FACTOR,
  THROTTLE_BACKOFF_BASE_MS,
  THROTTLE_BACKOFF_CAP_MS,
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
 * follow once the service has responded to it.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  #blockedUntil = 0;
  #mustProbe = false;
  #isProbing = false;
  #waiting: (() => void)[] = [];
  #limitedProbes = 0;
  #ambiguousInARow = 0;
  #ambiguousProbes = 0;
  /** Whether too many ambiguous requests in a row have opened the circuit breaker. */
  #isOpen = false;
  #unreachable: Outage | undefined;
  #keyRejected: Outage | undefined;
  #keyAccepted = false;
  #lastResponseMs: number | undefined;
  #slowestMs = 0;
  #lastAmbiguous: number | undefined;
  #lastTimeout: number | undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  /**
   * Resolves when a request may be sent, or at once when the signal is aborted. The end of the request must be reported by
   * `apply` or `unused`.
   *
   * @returns whether the request is the probe
   */
  async acquire(): Promise<boolean> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      const wait = this.#blockedUntil - clock.now();
      if (wait > 0) await clock.sleep(wait, signal);
      else if (!this.#mustProbe) return false;
      else if (!this.#isProbing) {
        this.#isProbing = true;
        return true;
      } else await this.#change(signal);
    }
    return false;
  }

  /** Reports that nothing was sent, or that the request shows nothing about the state of the service. */
  unused(isProbe: boolean): void {
    if (!isProbe) return;
    this.#isProbing = false;
    this.#notify();
  }

  /** Applies the result of a request, and waits before a request that was not sent is to be sent again. */
  async apply(result: AttemptResult, isProbe: boolean): Promise<Decision> {
    const { clock, onWait, signal } = this.#options;
    const { waitMs, ...decision } = this.#decide(result, isProbe);
    this.unused(isProbe);
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
   * Returns when rows of unknown outcome may be sent again, in milliseconds since the epoch; 0 where nothing was ambiguous.
   * Until then the service may be processing the first request, and may add a user twice.
   */
  quietUntil(): number {
    const { quietPeriodMs, timeoutMs } = this.#options;
    const pause = Math.max(quietPeriodMs, SLOWEST_RESPONSE_FACTOR * this.#slowestMs);
    const afterAmbiguous = this.#lastAmbiguous === undefined ? 0 : this.#lastAmbiguous + pause;
    const afterTimeout = this.#lastTimeout === undefined ? 0 : this.#lastTimeout + timeoutMs;
    return Math.max(afterAmbiguous, afterTimeout);
  }

  #decide(result: AttemptResult, isProbe: boolean): Decision & { waitMs?: number } {
    if (result.kind === 'response') {
      this.#keyAccepted = true;
      // The service may still be working on the rows that a response leaves out: they wait like other ambiguous rows.
      if (result.coverage !== 'all') this.recordAmbiguous(false);
      if (result.coverage === 'none') return { end: this.#ambiguous(isProbe, emptyResponse()) };
      this.#responded(isProbe);
      return {};
    }
    const { failure, error } = result;
    switch (failure.kind) {
      case 'rate-limited':
        return { end: this.#rateLimited(isProbe, failure.retryAfterMs, error), again: true };
      case 'not-sent':
        return { ...this.#notSent(error), again: true };
      case 'ambiguous':
        this.recordAmbiguous(failure.timedOut);
        return { end: this.#ambiguous(isProbe, error) };
      case 'fatal':
        // A service whose database is down may reject a key that it accepted a moment ago.
        if (error.status === 401 && this.#keyAccepted) return { end: this.#rejectedKey(error), again: true };
        return { end: error };
      default:
        // The service validates the key before the entries.
        this.#keyAccepted = true;
        this.#responded(isProbe);
        return {};
    }
  }

  #responded(isProbe: boolean): void {
    this.#limitedProbes = 0;
    this.#ambiguousInARow = 0;
    this.#ambiguousProbes = 0;
    this.#isOpen = false;
    this.#unreachable = undefined;
    this.#keyRejected = undefined;
    this.#lastResponseMs = this.#options.clock.now();
    if (isProbe) this.#mustProbe = false;
  }

  /** A 429 costs no retry as long as other requests are processed. */
  #rateLimited(isProbe: boolean, retryAfterMs: number | undefined, error: ServiceError): OrgadmError | undefined {
    const { clock, random, retries } = this.#options;
    this.#unreachable = undefined;
    if (isProbe) this.#limitedProbes++;
    if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS)
      return gaveUp(error, `the service limits requests and asks to wait ${renderDuration(retryAfterMs)}`);
    if (this.#limitedProbes > retries)
      return gaveUp(error, `the service still limits requests after ${this.#limitedProbes} waits`);
    // A Retry-After in the past does not say when to return.
    const wait = retryAfterMs ? retryAfterMs * (1 + LIMIT_JITTER * random()) : backoff(this.#limitedProbes, random);
    this.#block(clock.now() + wait, 'rate-limited');
    return undefined;
  }

  /** There was no connection. Waits for longer than a restart of the service takes. */
  #notSent(error: ServiceError): { end?: OrgadmError; waitMs?: number } {
    // Before the first response this is a wrong base URL, not an outage.
    if (this.#lastResponseMs === undefined && isUnknownHost(error)) return { end: error };
    this.#unreachable ??= { sinceMs: this.#options.clock.now(), failures: 0 };
    const waitMs = this.#outageWait(this.#unreachable);
    return waitMs === undefined ? { end: error } : { waitMs };
  }

  #rejectedKey(error: ServiceError): OrgadmError | undefined {
    const { clock } = this.#options;
    this.#unreachable = undefined;
    this.#keyRejected ??= { sinceMs: clock.now(), failures: 0 };
    const wait = this.#outageWait(this.#keyRejected);
    if (wait === undefined) return rejectedLater(error, clock.now() - (this.#lastResponseMs ?? clock.now()));
    this.#block(clock.now() + wait, 'key-rejected');
    return undefined;
  }

  /** Several ambiguous requests in a row block all workers for the quiet period. */
  #ambiguous(isProbe: boolean, error: OrgadmError): OrgadmError | undefined {
    this.#unreachable = undefined;
    this.#ambiguousInARow++;
    if (this.#isOpen && isProbe) this.#ambiguousProbes++;
    if (this.#ambiguousProbes >= BREAKER_PROBES)
      return gaveUp(error, `the outcome of ${this.#ambiguousInARow} requests in a row is unknown`);
    if (this.#ambiguousInARow >= BREAKER_THRESHOLD) {
      this.#isOpen = true;
      this.#block(this.quietUntil(), 'ambiguous');
    }
    return undefined;
  }

  /** Returns how long to wait before the next attempt, in milliseconds; undefined where it is time to give up. */
  #outageWait(outage: Outage): number | undefined {
    const { clock, random, retries } = this.#options;
    const left = outage.sinceMs + OUTAGE_PATIENCE_MS - clock.now();
    if (retries === 0 || left <= 0) return undefined;
    outage.failures++;
    return Math.min(left, (OUTAGE_BACKOFF_MS / 2) * (1 + random()) * Math.min(8, 2 ** (outage.failures - 1)));
  }

  /** Blocks all workers until `untilMs`, or longer where they are blocked longer already. */
  #block(untilMs: number, reason: ThrottleReason): void {
    this.#mustProbe = true;
    if (untilMs <= this.#blockedUntil) return;
    this.#blockedUntil = untilMs;
    this.#options.onWait(reason, untilMs);
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

/** Full jitter below a cap that doubles with every failure (from 1). */
function backoff(failures: number, random: () => number): number {
  return random() * Math.min(THROTTLE_BACKOFF_CAP_MS, THROTTLE_BACKOFF_BASE_MS * 2 ** Math.max(0, failures - 1));
}

function isUnknownHost({ cause }: ServiceError): boolean {
  return cause instanceof Error && /\bENOTFOUND\b/.test(cause.message);
}

function rejectedLater(error: ServiceError, sinceMs: number): OrgadmError {
  const response = shortenMessage([error.status, error.messages[0]].join(' '));
  return new OrgadmError(
    error.code,
    error.exitCode,
    `the API key was accepted until ${renderDuration(sinceMs)} ago and has been rejected since (${response})`,
    {
      status: error.status,
      requestId: error.requestId,
      hint: 'The service may be failing, or the key may have been revoked. Continue with --resume, and with a new key if necessary.',
      cause: error,
    },
  );
}

function gaveUp(error: OrgadmError, reason: string): OrgadmError {
  return new OrgadmError(error.code, EXIT.unreachable, `${reason}: ${error.message}`, {
    status: error.status,
    requestId: error.requestId,
    hint: 'Try again later: --resume continues where this run stopped.',
    cause: error,
  });
}

function emptyResponse(): OrgadmError {
  return new OrgadmError('not-understood', EXIT.failure, 'the response mentions none of the rows that were sent');
}
