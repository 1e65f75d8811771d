import type { Clock } from '../util/host.ts';
import { ServiceError } from './service-error.ts';

/** The first wait without a Retry-After, in milliseconds; each one is twice as long as the one before ... */
const FIRST_WAIT_MS = 1_000;
/** ... up to this. A longer wait that the service asks for ends the request. */
const LONGEST_WAIT_MS = 60_000;
/** Share of a wait that is added at random, so that clients do not all return at once. */
const JITTER = 0.1;

/** A wait before a request is sent again. */
export interface RetryWait {
  readonly ms: number;
  /** The failure that it follows. */
  readonly error: ServiceError;
}

export interface RetryOptions {
  /** Attempts after the first. */
  readonly retries: number;
  readonly clock: Clock;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
  onWait?(wait: RetryWait): void;
}

/** Returns the wait after so many failures in a row without a Retry-After, in milliseconds: 1, 2, 4 … 60 s. */
export function backoffMs(failures: number): number {
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
}

/**
 * Sends a request that may be repeated until it succeeds, fails for good, or no attempt is left. Waits 1, 2, 4 … 60 s, or as long
 * as the service asks.
 *
 * @throws ServiceError the last one; ambiguous if the service may have done what any of the attempts asked for
 */
export async function withRetries<T>(send: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retries, clock, random, onWait } = options;
  let isAmbiguous = false;
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      isAmbiguous ||= error.isAmbiguous;
      const requestedMs = error.retryAfterMs ?? 0;
      if (!error.isTransient || attempt > retries || requestedMs > LONGEST_WAIT_MS) {
        const attempts = error.isTransient && attempt > 1 ? `Gave up after ${attempt} attempts. ` : '';
        throw error.with({ isAmbiguous, hint: `${attempts}${error.hint ?? ''}` });
      }
      const ms = Math.round(Math.max(requestedMs, backoffMs(attempt)) * (1 + random() * JITTER));
      onWait?.({ ms, error });
      await clock.sleep(ms);
    }
  }
}
