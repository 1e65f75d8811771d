import { limitedBackoffMs } from '../../client/http/retry.ts';
import { keyOutageError, type ServiceError } from '../../client/service-error.ts';
import { EXIT, type OrgadmError, withHint } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import { renderDuration } from '../../util/units.ts';
import { shortenMessage } from './row-messages.ts';
import type { WaitReason } from './send-events.ts';

/** Maximum time added to a pause for a rate limit, in milliseconds, so that clients do not all return at once. */
const MAX_JITTER_MS = 500;
/** How long the service may limit requests without accepting any, in milliseconds. A longer Retry-After ends the run at once. */
const RUN_PATIENCE_MS = 10 * 60_000;
/** How long to try again during an outage, in milliseconds. */
const OUTAGE_PATIENCE_MS = 60_000;
/** First pause during an outage, in milliseconds: a service that restarts is back within seconds. It doubles three times. */
const OUTAGE_BACKOFF_MS = 1_000;

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

/** A kind of failure that may pass: when it began, when it last happened, and how often since it began. */
interface Outage {
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly failures: number;
}

/**
 * Decides when the next request may be sent, and when to give up: rate limits, lost connections, and keys that are rejected
 * although they are valid. Several requests that fail at the same time count once.
 */
export class Pace {
  readonly #options: PaceOptions;
  #concurrency: number;
  /** When a rejection last halved the requests in flight, in milliseconds since the epoch. */
  #halvedAtMs = 0;
  #pause: Pause = { reason: 'rate-limited', untilMs: 0 };
  /** Whether one request at a time is sent until the service responds. */
  #isCautious = false;
  #limited: Outage | undefined;
  #unreachable: Outage | undefined;
  #keyRejected: Outage | undefined;
  /** When the service last accepted the key. */
  #keyAcceptedAtMs: number | undefined;
  /** The last status from 500 on, if the service has not accepted the key since. */
  #serverErrorStatus: number | undefined;

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

  /** Records that the service processed or rejected a request: it accepted the key. */
  accepted(): void {
    this.#keyAcceptedAtMs = this.#options.clock.now();
    this.#serverErrorStatus = undefined;
    this.#isCautious = false;
    this.#limited = undefined;
    this.#unreachable = undefined;
    this.#keyRejected = undefined;
  }

  /** Records a request of unknown outcome. */
  unknown({ status = 0 }: ServiceError): void {
    this.#unreachable = undefined;
    if (status >= 500) this.#serverErrorStatus = status;
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
    const { retryAfterMs } = error;
    const nowMs = clock.now();
    this.#unreachable = undefined;
    if (retryAfterMs !== undefined && retryAfterMs > RUN_PATIENCE_MS)
      return gaveUp(error, `the service limits requests and asks orgadm to wait ${renderDuration(retryAfterMs)}`);
    if (retryAfterMs === undefined && sentAtMs >= this.#halvedAtMs) {
      this.#halvedAtMs = nowMs;
      this.#concurrency = Math.max(1, Math.floor(this.#concurrency / 2));
    }
    this.#limited = continueOutage(this.#limited, nowMs, sentAtMs);
    const { sinceMs, failures } = this.#limited;
    const lastedMs = nowMs - sinceMs;
    if (lastedMs >= RUN_PATIENCE_MS)
      return gaveUp(error, `the service has accepted no request for ${renderDuration(lastedMs)}`);
    if (retries === 0 && failures > 1) return error;
    const pauseMs = Math.max(limitedBackoffMs(failures), retryAfterMs ?? 0);
    const untilMs = nowMs + pauseMs + random() * Math.min(MAX_JITTER_MS, pauseMs / 10);
    if (untilMs > this.#pause.untilMs) this.#pause = { reason: 'rate-limited', untilMs };
    return undefined;
  }

  /** Records that there was no connection, and pauses. Returns why the run should end, if it should. */
  notSent(error: ServiceError, sentAtMs: number): OrgadmError | undefined {
    // Before the first response, this is a wrong base URL and not an outage.
    if (this.#keyAcceptedAtMs === undefined && isUnknownHost(error)) return error;
    const outage = continueOutage(this.#unreachable, this.#options.clock.now(), sentAtMs);
    this.#unreachable = outage;
    return this.#waitForOutage(outage, 'unreachable') ? undefined : error;
  }

  /**
   * Records that the service rejected the key (401). A service whose database is down cannot look up the key: after it has
   * accepted the key, or after a status from 500 on, this is an outage.
   *
   * @returns why the run should end, if it should
   */
  rejectedKey(error: ServiceError, sentAtMs: number): OrgadmError | undefined {
    if (this.#keyAcceptedAtMs === undefined && this.#serverErrorStatus === undefined) return error;
    const outage = continueOutage(this.#keyRejected, this.#options.clock.now(), sentAtMs);
    this.#keyRejected = outage;
    if (this.#waitForOutage(outage, 'outage')) return undefined;
    if (this.#serverErrorStatus !== undefined) return keyOutageError(error, this.#serverErrorStatus);
    const response = shortenMessage([error.status, error.messages[0]].filter(Boolean).join(' '));
    const sinceMs = this.#options.clock.now() - (this.#keyAcceptedAtMs ?? 0);
    return withHint(error, 'The service may be failing, or the key may have been revoked.', {
      message: `the service accepted the API key until ${renderDuration(sinceMs)} ago and has rejected it since (${response})`,
    });
  }

  /** Pauses for an outage. Returns false if it is time to give up. */
  #waitForOutage({ sinceMs, failures }: Outage, reason: WaitReason): boolean {
    const { clock, random, retries } = this.#options;
    const leftMs = sinceMs + OUTAGE_PATIENCE_MS - clock.now();
    if (retries === 0 || leftMs <= 0) return false;
    const backoffMs = OUTAGE_BACKOFF_MS * Math.min(8, 2 ** (failures - 1)) * (0.5 + random() / 2);
    this.pauseUntil(reason, clock.now() + Math.min(leftMs, backoffMs));
    return true;
  }
}

/** Counts a failure, unless its request was sent before the last one that was counted. */
function continueOutage(outage: Outage | undefined, nowMs: number, sentAtMs: number): Outage {
  if (outage === undefined) return { sinceMs: nowMs, lastMs: nowMs, failures: 1 };
  if (sentAtMs < outage.lastMs) return outage;
  return { sinceMs: outage.sinceMs, lastMs: nowMs, failures: outage.failures + 1 };
}

function isUnknownHost({ cause }: ServiceError): boolean {
  return cause instanceof Error && /\bENOTFOUND\b/.test(cause.message);
}

/** Returns the error of a run that ends because of failures that may pass. */
export function gaveUp(error: OrgadmError, reason: string): OrgadmError {
  return withHint(error, 'Try again later.', { exitCode: EXIT.unreachable, message: `${reason}: ${error.message}` });
}
