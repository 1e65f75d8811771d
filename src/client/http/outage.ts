import { EXIT } from '../../util/errors.ts';
import type { Clock } from '../../util/host.ts';
import { renderDuration } from '../../util/units.ts';
import { isTransientFailure, ServiceError } from './service-error.ts';

/** How long orgadm tries again during an outage, in milliseconds. */
export const OUTAGE_MS = 60_000;
/** First wait during an outage, in milliseconds: a service that restarts is back within seconds. It doubles three times. */
const OUTAGE_BACKOFF_MS = 1_000;

/** How to go on after a failure that is an outage: try again after a wait, or end with an error. */
export type OutageStep = { readonly waitMs: number } | { readonly error: ServiceError };

/** Responses that show that the service accepted the key, although it rejected the request. */
const AUTHENTICATED: ReadonlySet<number> = new Set([400, 403, 409, 413, 422]);

/**
 * The outages of a service, as all requests of a process see them: how long to wait, when to give up, and which rejections of
 * the key count. These failures are an outage:
 * - a request that was never sent, because there was no connection
 * - a 401 after the service accepted the key, or after a status from 500 on: a service whose database is down cannot look up
 *   the key
 *
 * Several requests that fail at the same time count once. An outage ends when the service accepts the key.
 */
export class Outages {
  readonly #clock: Clock;
  /** From 0 up to 1, for jitter. */
  readonly #random: () => number;
  #outage: { sinceMs: number; lastMs: number; failures: number; status: number | undefined } | undefined;
  /** When the service last accepted the key, in milliseconds since the epoch. */
  #acceptedAtMs: number | undefined;
  /** The last status from 500 on, if the service has not accepted the key since. */
  #serverErrorStatus: number | undefined;
  #hasResponded = false;

  constructor({ clock, random }: { clock: Clock; random: () => number }) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Whether the service has ever responded. Before that, the base URL may be wrong. */
  get hasResponded(): boolean {
    return this.#hasResponded;
  }

  /** Records that the service accepted the key. */
  accepted(): void {
    this.#hasResponded = true;
    this.#acceptedAtMs = this.#clock.now();
    this.#serverErrorStatus = undefined;
    this.#outage = undefined;
  }

  /** @param sentAtMs when orgadm began to send the request, in milliseconds since the epoch */
  failed(error: ServiceError, sentAtMs: number): void {
    const { status, code } = error;
    this.#hasResponded ||= status !== undefined;
    if ((status ?? 0) >= 500) this.#serverErrorStatus = status;
    // The page of a gateway says nothing about the key.
    if (AUTHENTICATED.has(status ?? 0) && code !== 'gateway') this.accepted();
    else if (this.#isOutage(error)) this.#extend(status, sentAtMs);
    // There is a connection again. A service that cannot look up keys also returns other failures in between.
    else if (this.#outage?.status === undefined) this.#outage = undefined;
  }

  /**
   * Returns how to go on after a failure.
   *
   * @param retries further attempts that the user allows; 0 ends at the first failure
   * @returns undefined if the failure is not an outage
   */
  next(error: ServiceError, retries: number): OutageStep | undefined {
    if (!this.#isOutage(error)) return undefined;
    const nowMs = this.#clock.now();
    // The service may have accepted another request since.
    const { sinceMs, failures } = this.#outage ?? { sinceMs: nowMs, failures: 1 };
    const leftMs = sinceMs + OUTAGE_MS - nowMs;
    if (retries === 0 || leftMs <= 0) return { error: this.#describe(error) };
    const backoffMs = OUTAGE_BACKOFF_MS * Math.min(8, 2 ** (failures - 1)) * (0.5 + this.#random() / 2);
    return { waitMs: Math.round(Math.min(leftMs, backoffMs)) };
  }

  #isOutage(error: ServiceError): boolean {
    const { status, code, processed } = error;
    if (status === undefined) return processed === 'no' && isTransientFailure(error);
    const hasWorked = this.#acceptedAtMs !== undefined || this.#serverErrorStatus !== undefined;
    return status === 401 && code !== 'gateway' && hasWorked;
  }

  #extend(status: number | undefined, sentAtMs: number): void {
    const lastMs = this.#clock.now();
    if (this.#outage === undefined) this.#outage = { sinceMs: lastMs, lastMs, failures: 1, status };
    else if (sentAtMs >= this.#outage.lastMs)
      this.#outage = { ...this.#outage, lastMs, failures: this.#outage.failures + 1, status };
  }

  #describe(error: ServiceError): ServiceError {
    if (error.status !== 401) return error;
    const rejection = [error.status, error.messages[0]].filter(Boolean).join(' ');
    if (this.#serverErrorStatus !== undefined) {
      const message = `the service is failing: ${this.#serverErrorStatus}, then ${rejection}`;
      const details = { ...error, cause: error, hint: 'Try again later.' };
      return new ServiceError('service-failed', EXIT.unreachable, message, details);
    }
    const since = renderDuration(this.#clock.now() - (this.#acceptedAtMs ?? 0));
    const message = `the service accepted the API key until ${since} ago and has rejected it since (${rejection})`;
    const hint = 'The service may be failing, or someone revoked the key.';
    return new ServiceError(error.code, error.exitCode, message, { ...error, hint, cause: error });
  }
}
