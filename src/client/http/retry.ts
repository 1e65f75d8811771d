import type { Clock } from '../../util/host.ts';
import type { OutageStep, Outages } from './outage.ts';
import { isTransientFailure, ServiceError, type ServiceErrorDetails } from './service-error.ts';

/** Upper bound of the first backoff, in milliseconds; it doubles with each attempt ... */
const RETRY_BACKOFF_BASE_MS = 250;
/** ... up to this. */
const RETRY_BACKOFF_CAP_MS = 10_000;
/** Maximum jitter added to a wait for the service, in milliseconds, so that clients do not all return at once. */
const RETRY_AFTER_JITTER_MS = 1_000;
/** Shortest wait after a 429, in milliseconds, whatever the service announces; it doubles with each of them ... */
const LIMITED_BACKOFF_BASE_MS = 1_000;
/** ... up to this. */
const LIMITED_BACKOFF_CAP_MS = 60_000;
/** How long a request waits for a rate limit in all, in milliseconds: longer than the window of a minute. */
const REQUEST_PATIENCE_MS = 120_000;
/** A longer wait requested by the service ends the call, in milliseconds. */
const MAX_REQUESTED_WAIT_MS = 60_000;

/** The rules for retries, the same for all attempts of a request. */
interface RetryRules {
  /** `safe`: the request may be repeated; `none`: the caller has its own rules. */
  policy: 'safe' | 'none';
  /** Extra attempts allowed after the first. */
  retries: number;
  /** A smaller number of them for a status 500, which some services return for permanent errors. */
  retry500?: number | undefined;
  /** From 0 up to 1. */
  random: () => number;
}

interface FailedAttempt extends RetryRules {
  failure: Pick<ServiceErrorDetails, 'kind' | 'processed' | 'status' | 'retryAfterMs'>;
  /** Attempts made so far, 1 after the first; those that a rate limit rejected do not count. */
  attempt: number;
  /** Attempts that a rate limit has rejected so far, and how long the request has waited after them in milliseconds. */
  limited: { attempts: number; waitedMs: number };
}

type GivingUpReason = 'policy' | 'final' | 'exhausted' | 'retry-after-too-long' | 'limited-too-long';

type RetryDecision = { retry: false; reason: GivingUpReason } | { retry: true; delayMs: number };

/**
 * Decides whether to retry a failed attempt, and after how long: full jitter, but never less than Retry-After. A 429 proves
 * that nothing was done, and uses up time instead of attempts. Rejections in a row are at least 1, 2, 4 … 60 s apart.
 */
function decideRetry(failed: FailedAttempt): RetryDecision {
  const { failure, attempt, random } = failed;
  if (failed.policy === 'none') return { retry: false, reason: 'policy' };
  if (!isTransientFailure(failed.failure)) return { retry: false, reason: 'final' };
  if (failure.status === 429) return decideLimitedRetry(failed);
  const allowed = failure.status === 500 ? Math.min(failed.retries, failed.retry500 ?? failed.retries) : failed.retries;
  if (attempt > allowed) return { retry: false, reason: 'exhausted' };
  if ((failure.retryAfterMs ?? 0) > MAX_REQUESTED_WAIT_MS) return { retry: false, reason: 'retry-after-too-long' };
  const backoff = random() * Math.min(RETRY_BACKOFF_CAP_MS, RETRY_BACKOFF_BASE_MS * 2 ** (attempt - 1));
  if (failure.retryAfterMs === undefined) return { retry: true, delayMs: Math.round(backoff) };
  return {
    retry: true,
    delayMs: Math.max(failure.retryAfterMs, Math.round(backoff)) + Math.round(random() * RETRY_AFTER_JITTER_MS),
  };
}

function decideLimitedRetry({ failure, retries, limited, random }: FailedAttempt): RetryDecision {
  if (retries === 0) return { retry: false, reason: 'exhausted' };
  const requestedMs = failure.retryAfterMs ?? 0;
  if (requestedMs > MAX_REQUESTED_WAIT_MS) return { retry: false, reason: 'retry-after-too-long' };
  if (limited.waitedMs >= REQUEST_PATIENCE_MS) return { retry: false, reason: 'limited-too-long' };
  const waitMs = Math.max(requestedMs, limitedBackoffMs(limited.attempts));
  return { retry: true, delayMs: waitMs + Math.round(random() * RETRY_AFTER_JITTER_MS) };
}

/** Returns the shortest wait after so many rejections in a row because of a rate limit, in milliseconds: 1, 2, 4 … 60 s. */
export function limitedBackoffMs(rejections: number): number {
  return Math.min(LIMITED_BACKOFF_CAP_MS, LIMITED_BACKOFF_BASE_MS * 2 ** (rejections - 1));
}

/** A wait before a request is tried again. */
export interface RetryWait {
  reason: 'limited' | 'retry';
  ms: number;
  status?: number | undefined;
}

interface WaitOptions {
  clock: Clock;
  /** Called before each wait; the function it returns is called after the wait. */
  onWait?: ((wait: RetryWait) => () => void) | undefined;
}

/** Waits, and reports the wait. */
async function waitFor(wait: RetryWait, { clock, onWait }: WaitOptions): Promise<void> {
  const over = onWait?.(wait);
  await clock.sleep(wait.ms);
  over?.();
}

interface RetryLoopOptions extends RetryRules, WaitOptions {
  /** Whether an attempt with an unknown outcome may have changed something. */
  isWrite: boolean;
  outages: Outages;
  /** Whether an attempt may still be repeated; default true. */
  mayRetry?: (() => boolean) | undefined;
}

/**
 * Runs attempts until one succeeds or no other is allowed; then throws the last ServiceError, which also describes the
 * attempts before it.
 */
export async function withRetries<T>(once: () => Promise<T>, options: RetryLoopOptions): Promise<T> {
  const { outages, retries, mayRetry = () => true } = options;
  /** An earlier attempt of this write may have been applied. */
  let ambiguous = false;
  let attempt = 1;
  const limited = { attempts: 0, waitedMs: 0 };
  for (;;) {
    try {
      return await once();
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isLimited = error.status === 429;
      if (isLimited) limited.attempts++;
      const policy = mayRetry() ? options.policy : 'none';
      // A service that has never responded may be the wrong one: then the number of attempts counts.
      const mayPass = policy === 'safe' && outages.hasResponded;
      const outage = mayPass ? outages.next(error, retries) : undefined;
      const decision =
        outage === undefined
          ? decideRetry({ ...options, policy, failure: error, attempt, limited })
          : decisionOf(outage);
      if (!decision.retry) {
        const last = outage !== undefined && 'error' in outage ? outage.error : error;
        const hints = [
          describeGivingUp(error, decision.reason, attempt),
          describeOutcome(error, options.isWrite, ambiguous),
          last.hint,
        ];
        throw new ServiceError(last.code, last.exitCode, last.message, {
          ...error,
          processed: ambiguous ? 'maybe' : error.processed,
          cause: last.cause,
          hint: hints.filter(Boolean).join(' '),
        });
      }
      ambiguous ||= options.isWrite && error.processed === 'maybe';
      if (isLimited) limited.waitedMs += decision.delayMs;
      else attempt++;
      const reason = isLimited ? 'limited' : 'retry';
      await waitFor({ reason, ms: decision.delayMs, status: error.status }, options);
    }
  }
}

function decisionOf(outage: OutageStep): RetryDecision {
  return 'waitMs' in outage ? { retry: true, delayMs: outage.waitMs } : { retry: false, reason: 'exhausted' };
}

/** Says why there was no other attempt. */
function describeGivingUp(error: ServiceError, reason: GivingUpReason, attempt: number): string | undefined {
  if (reason === 'retry-after-too-long') {
    const requested = Math.ceil((error.retryAfterMs ?? 0) / 1_000);
    return `The service asked orgadm to wait ${requested} s, but the limit is ${MAX_REQUESTED_WAIT_MS / 1_000} s.`;
  }
  if (reason === 'limited-too-long') {
    return `Gave up after waiting ${REQUEST_PATIENCE_MS / 1_000} s for the rate limit.`;
  }
  return reason === 'exhausted' && attempt > 1 ? `Gave up after ${attempt} attempts.` : undefined;
}

/** Says that a write may have been applied. */
function describeOutcome({ kind, processed }: ServiceError, isWrite: boolean, ambiguous: boolean): string | undefined {
  if (ambiguous) {
    return 'The service may have processed an earlier attempt. Check the current state before you try again.';
  }
  const mayBeProcessed = isWrite && processed === 'maybe' && kind !== 'redirect';
  return mayBeProcessed ? 'The service may have processed the request.' : undefined;
}
