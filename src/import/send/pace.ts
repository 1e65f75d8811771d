import { backoffMs } from '../../client/retry.ts';
import type { ServiceError } from '../../client/service-error.ts';
import { EXIT, type OrgadmError, withHint } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import { renderDuration } from '../../util/units.ts';
import type { WaitReason } from './send-events.ts';

/** Maximum time added to a pause for a rate limit, in milliseconds, so that clients do not all return at once. */
const MAX_JITTER_MS = 500;
/** How long the service may limit requests without accepting any, in milliseconds. A longer Retry-After ends the run at once. */
const RUN_PATIENCE_MS = 10 * 60_000;
/** How long a run tries to reach the service, in milliseconds. */
const OUTAGE_PATIENCE_MS = 60_000;
/** Longest pause between two attempts, in milliseconds: a service that restarts is back within seconds. */
const MAX_OUTAGE_PAUSE_MS = 8_000;

export interface PaceOptions {
  readonly clock: Clock;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  /** Further attempts of a request that was not processed; 0 ends the run at the first failure. */
  readonly retries: number;
  /** Requests in flight at most. */
  readonly concurrency: number;
}

/** Until when nothing is sent, and why. */
export interface Pause {
  readonly reason: WaitReason;
  /** In milliseconds since the epoch. */
  readonly untilMs: number;
}

/** Rejections because of a rate limit in a row. Times in milliseconds since the epoch. */
interface Limited {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly rejections: number;
}

/** Failures to reach the service in a row. Times in milliseconds since the epoch. */
interface Outage {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failures: number;
}

/** Decides when the next request may be sent, and when to give up because of rate limits and outages. */
export class Pace {
  readonly #options: PaceOptions;
  #concurrency: number;
  /** When a rejection last halved the requests in flight, in milliseconds since the epoch. */
  #halvedAtMs = 0;
  #pause: Pause = { reason: 'rate-limited', untilMs: 0 };
  /** Whether one request at a time is sent until the service responds, after a pause. */
  #isCautious = false;
  #limited: Limited | undefined;
  #outage: Outage | undefined;
  /** Whether the service has accepted a request of this run, and so its key. */
  #hasAccepted = false;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency;
  }

  /** Requests in flight at most. */
  get concurrency(): number {
    return this.#isCautious ? 1 : this.#concurrency;
  }

  /** Returns until when the next request has to wait; undefined if it may be sent now. */
  pause(): Pause | undefined {
    return this.#pause.untilMs > this.#options.clock.now() ? this.#pause : undefined;
  }

  /** Sends nothing until `untilMs`, and then one request at a time until the service responds. */
  pauseUntil(reason: WaitReason, untilMs: number): void {
    this.#isCautious = true;
    if (untilMs > this.#pause.untilMs) this.#pause = { reason, untilMs };
  }

  /** Forgets since when the service limits requests, because the run has waited for another reason. */
  resetPatience(): void {
    this.#limited = undefined;
  }

  /** Records a response of any kind: there is a connection. */
  reached(): void {
    this.#outage = undefined;
  }

  /** Records a response that orgadm understands. */
  accepted(): void {
    this.#isCautious = false;
    this.#limited = undefined;
    this.reached();
    this.#hasAccepted = true;
  }

  /**
   * Records a rejection because of a rate limit (429), and pauses: as long as the service asks, but never less than 1, 2,
   * 4 … 60 s after rejections in a row. A service that announces no time may limit the requests in flight: half as many are
   * sent at once from then on.
   *
   * @returns why the run should end, if it should
   */
  limited(error: ServiceError, sentAtMs: number): OrgadmError | undefined {
    const { clock, random, retries } = this.#options;
    this.reached();
    const requestedMs = error.retryAfterMs ?? 0;
    const nowMs = clock.now();
    if (requestedMs > RUN_PATIENCE_MS)
      return gaveUp(error, `the service limits requests and asks orgadm to wait ${renderDuration(requestedMs)}`);
    if (error.retryAfterMs === undefined && sentAtMs >= this.#halvedAtMs) {
      this.#halvedAtMs = nowMs;
      this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    }
    const { sinceMs, lastMs, rejections: before } = this.#limited ?? { sinceMs: nowMs, lastMs: 0, rejections: 0 };
    // Several requests that were rejected at the same time count once.
    const rejections = sentAtMs >= lastMs ? before + 1 : before;
    this.#limited = { sinceMs, lastMs: nowMs, rejections };
    const lastedMs = nowMs - sinceMs;
    if (lastedMs >= RUN_PATIENCE_MS)
      return gaveUp(error, `the service has accepted no request for ${renderDuration(lastedMs)}`);
    if (retries === 0 && rejections > 1) return error;
    const pauseMs = Math.max(backoffMs(rejections), requestedMs);
    const untilMs = nowMs + pauseMs + random() * Math.min(MAX_JITTER_MS, pauseMs / 10);
    if (untilMs > this.#pause.untilMs) this.#pause = { reason: 'rate-limited', untilMs };
    return undefined;
  }

  /**
   * Pauses for up to a minute if there was no connection.
   *
   * @returns why the run should end, if it should: the failure is another one, or has lasted too long
   */
  failed(error: ServiceError, sentAtMs: number): OrgadmError | undefined {
    if (error.code === 'unauthorized' && this.#hasAccepted) return keyNoLongerAccepted(error);
    const { clock, random, retries } = this.#options;
    const nowMs = clock.now();
    const { sinceMs, lastMs, failures: before } = this.#outage ?? { sinceMs: nowMs, lastMs: 0, failures: 0 };
    const leftMs = sinceMs + OUTAGE_PATIENCE_MS - nowMs;
    if (!error.isTransient || retries === 0 || leftMs <= 0) return error;
    // Several requests that failed at the same time count once.
    const failures = sentAtMs >= lastMs ? before + 1 : before;
    this.#outage = { sinceMs, lastMs: nowMs, failures };
    const pauseMs = Math.min(MAX_OUTAGE_PAUSE_MS, backoffMs(failures)) * (0.5 + random() / 2);
    this.pauseUntil('unreachable', nowMs + Math.round(Math.min(leftMs, pauseMs)));
    return undefined;
  }
}

/** Returns the error of a key that the service rejects after it has accepted it. */
function keyNoLongerAccepted(error: ServiceError): OrgadmError {
  const hint =
    'The service accepted the key earlier in this run, so it may be unable to check keys. Run the command again.';
  return withHint(error, hint);
}

/** Returns the error of a run that ends because of failures that may pass. */
export function gaveUp(error: OrgadmError, reason: string): OrgadmError {
  return withHint(error, 'Try again later.', { exitCode: EXIT.unreachable, message: `${reason}: ${error.message}` });
}
