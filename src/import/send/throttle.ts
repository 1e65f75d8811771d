import type { ServiceError } from '../../client/service-error.ts';
import type { Clock } from '../../util/clock.ts';
import { renderDuration } from '../../util/duration.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { CircuitBreaker, type WaitReason } from './circuit-breaker.ts';
import type { QuietPeriod } from './quiet-period.ts';
import { shortenMessage } from './row-messages.ts';
import {
  BREAKER_PROBES,
  BREAKER_THRESHOLD,
  LIMIT_JITTER,
  MAX_RETRY_AFTER_MS,
  OUTAGE_BACKOFF_MS,
  OUTAGE_PATIENCE_MS,
  THROTTLE_BACKOFF_BASE_MS,
  THROTTLE_BACKOFF_CAP_MS,
} from './send-limits.ts';

export interface ThrottleOptions {
  clock: Clock;
  random: () => number;
  /** Further attempts after the first, of a request known not to have been processed; 0 ends the run at the first. */
  retries: number;
  quiet: QuietPeriod;
  onWait: (reason: WaitReason, untilMs: number) => void;
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal;
}

/** A kind of failure that is tried again for a minute: when it began, and how often it happened since. */
interface Outage {
  sinceMs: number;
  failures: number;
}

/**
 * Decides when the next request may be sent, and when it is of no use to continue. All workers share it: what one of them
 * learns about the state of the service holds for the others.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #circuitBreaker: CircuitBreaker;
  #limitedProbes = 0;
  #ambiguousInARow = 0;
  #ambiguousProbes = 0;
  #isOpen = false;
  #unreachable: Outage | undefined;
  #keyRejected: Outage | undefined;
  #lastResponseMs: number | undefined;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#circuitBreaker = new CircuitBreaker(options.clock, options.onWait);
  }

  /** Waits until a request may be sent. The end of each such request must be reported by one of the methods below. */
  acquire(): Promise<boolean> {
    return this.#circuitBreaker.acquire(this.#options.signal);
  }

  /** Nothing was sent after all, or the request ended in a way that shows nothing about the service's state. */
  unused(probe: boolean): void {
    if (probe) this.#circuitBreaker.probeDone(false);
  }

  /** The service responded, whatever it said. */
  responded(probe: boolean): void {
    this.#limitedProbes = 0;
    this.#ambiguousInARow = 0;
    this.#ambiguousProbes = 0;
    this.#isOpen = false;
    this.#unreachable = undefined;
    this.#keyRejected = undefined;
    this.#lastResponseMs = this.#options.clock.now();
    if (probe) this.#circuitBreaker.probeDone(true);
  }

  /**
   * The service limits requests (429). Costs no retry as long as other requests are processed.
   *
   * @returns why the run should end, where it should
   */
  rateLimited(probe: boolean, retryAfterMs: number | undefined, error: ServiceError): OrgadmError | undefined {
    const { clock, random, retries } = this.#options;
    this.#unreachable = undefined;
    if (probe) this.#limitedProbes++;
    if (retryAfterMs !== undefined && retryAfterMs > MAX_RETRY_AFTER_MS) {
      if (probe) this.#circuitBreaker.probeDone(false);
      return ended(error, `the service limits requests and asks to wait ${renderDuration(retryAfterMs)}`);
    }
    if (this.#limitedProbes > retries) {
      if (probe) this.#circuitBreaker.probeDone(false);
      return ended(error, `the service still limits requests after ${this.#limitedProbes} waits`);
    }
    // A time that is already over does not say when to come back: then the backoff does.
    const wait = retryAfterMs ? retryAfterMs * (1 + LIMIT_JITTER * random()) : backoff(this.#limitedProbes, random);
    this.#circuitBreaker.close(clock.now() + wait, 'limited');
    if (probe) this.#circuitBreaker.probeDone(false);
    return undefined;
  }

  /**
   * There was no connection; the request was not sent. Waits before it is tried again, for a minute after the first such
   * failure, which is longer than a restart of the service takes.
   *
   * @returns why the run should end, where it should
   */
  async notSent(probe: boolean, error: ServiceError): Promise<OrgadmError | undefined> {
    const { clock, onWait, signal } = this.#options;
    if (probe) this.#circuitBreaker.probeDone(false);
    // Before the first response this is a wrong base URL, not an outage.
    if (this.#lastResponseMs === undefined && isUnknownHost(error)) return error;
    this.#unreachable ??= { sinceMs: clock.now(), failures: 0 };
    const wait = this.#outageWait(this.#unreachable);
    if (wait === undefined) return error;
    onWait('unreachable', clock.now() + wait);
    await clock.sleep(wait, signal);
    return undefined;
  }

  /**
   * The service rejects the key (401) that it accepted before in this process, as services do whose database is down.
   * Blocks all workers before it is tried again, for a minute.
   *
   * @returns why the run should end, where it should
   */
  keyRejected(probe: boolean, error: ServiceError): OrgadmError | undefined {
    const { clock } = this.#options;
    this.#unreachable = undefined;
    this.#keyRejected ??= { sinceMs: clock.now(), failures: 0 };
    const wait = this.#outageWait(this.#keyRejected);
    if (wait !== undefined) this.#circuitBreaker.close(clock.now() + wait, 'key-rejected');
    if (probe) this.#circuitBreaker.probeDone(false);
    return wait === undefined ? rejectedLater(error, clock.now() - (this.#lastResponseMs ?? clock.now())) : undefined;
  }

  /**
   * The outcome of a request is unknown. Several in a row open the circuit breaker for the quiet period; then single
   * probes are sent.
   *
   * @returns why the run should end, where it should
   */
  ambiguous(probe: boolean, error: OrgadmError): OrgadmError | undefined {
    this.#unreachable = undefined;
    this.#ambiguousInARow++;
    if (this.#isOpen && probe) this.#ambiguousProbes++;
    if (this.#ambiguousProbes >= BREAKER_PROBES) {
      if (probe) this.#circuitBreaker.probeDone(false);
      return ended(error, `the outcome of ${this.#ambiguousInARow} requests in a row is unknown`);
    }
    if (this.#ambiguousInARow >= BREAKER_THRESHOLD) {
      this.#isOpen = true;
      this.#circuitBreaker.close(this.#options.quiet.until(), 'unclear');
    }
    if (probe) this.#circuitBreaker.probeDone(false);
    return undefined;
  }

  /** How long to wait before the next attempt, in milliseconds; undefined where the patience is over. */
  #outageWait(outage: Outage): number | undefined {
    const { clock, random, retries } = this.#options;
    const left = outage.sinceMs + OUTAGE_PATIENCE_MS - clock.now();
    if (retries === 0 || left <= 0) return undefined;
    outage.failures++;
    return Math.min(left, (OUTAGE_BACKOFF_MS / 2) * (1 + random()) * Math.min(8, 2 ** (outage.failures - 1)));
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
      hint: 'The service may be failing, or the key may have been revoked. Continue with --resume, with a new key if need be.',
      cause: error,
    },
  );
}

function ended(error: OrgadmError, reason: string): OrgadmError {
  return new OrgadmError(error.code, EXIT.unreachable, `${reason}: ${error.message}`, {
    status: error.status,
    requestId: error.requestId,
    hint: 'Try again later: --resume continues where this run stopped.',
    cause: error,
  });
}
