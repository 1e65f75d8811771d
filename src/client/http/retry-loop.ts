import type { Clock } from '../../util/clock.ts';
import { ServiceError } from '../service-error.ts';
import { decideRetry, type RetryDecision, type RetryQuota } from './retry.ts';

/** A wait before a request is tried again. */
export interface RetryWait {
  reason: 'limited' | 'retry';
  ms: number;
  status?: number | undefined;
}

export interface RetryLoopOptions {
  policy: 'safe' | 'none';
  retries: number;
  retry500: number | undefined;
  maxRetryAfterMs: number;
  /** True when an attempt whose fate is unclear may have changed something. */
  isWrite: boolean;
  quota: RetryQuota;
  clock: Clock;
  random: () => number;
  /** Told before each wait, so that it can be named; what it returns is called when the wait is over. */
  onWait: ((wait: RetryWait) => () => void) | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Runs attempts until one succeeds or another is not allowed; then throws the last ServiceError, completed by what the
 * attempts before it mean. `unclear`: an earlier attempt of this write may have been applied.
 */
export async function withRetries<T>(
  once: () => Promise<T>,
  options: RetryLoopOptions,
): Promise<{ value: T; ambiguous: boolean }> {
  const { quota, clock, signal } = options;
  let ambiguous = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const value = await once();
      quota.refund();
      return { value, ambiguous };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const decision = decideRetry({ ...options, failure: error, attempt, quotaLeft: quota.left() });
      if (!decision.retry) throw withAttemptHistory(error, decision, { ...options, attempt, ambiguous });
      ambiguous ||= options.isWrite && error.processed === 'maybe';
      if (error.status !== 429) quota.take();
      const over = options.onWait?.({
        reason: error.status === 429 ? 'limited' : 'retry',
        ms: decision.delayMs,
        status: error.status,
      });
      await clock.sleep(decision.delayMs, signal);
      over?.();
      if (signal?.aborted)
        throw withAttemptHistory(abortedWhileWaiting(), decision, { ...options, attempt, ambiguous });
    }
  }
}

interface AttemptHistory extends Pick<RetryLoopOptions, 'isWrite' | 'maxRetryAfterMs'> {
  attempt: number;
  ambiguous: boolean;
}

/** The error as the user should read it: why nothing more was tried, and what the attempts may have done. */
function withAttemptHistory(error: ServiceError, decision: RetryDecision, past: AttemptHistory): ServiceError {
  const reason = decision.retry
    ? undefined
    : describeGivingUp(error, decision.reason, past.attempt, past.maxRetryAfterMs);
  const outcome = describeOutcome(error, past);
  if (!reason && !outcome) return error;
  const hint = [reason, outcome, error.hint].filter(Boolean).join(' ');
  return new ServiceError(error.code, error.exitCode, error.message, {
    kind: error.kind,
    processed: past.ambiguous ? 'maybe' : error.processed,
    messages: error.messages,
    retryAfterMs: error.retryAfterMs,
    response: error.response,
    status: error.status,
    requestId: error.requestId,
    cause: error.cause,
    hint,
  });
}

function describeGivingUp(error: ServiceError, reason: string, attempt: number, limitMs: number): string | undefined {
  if (reason === 'retry-after-too-long') {
    const requestedSeconds = Math.ceil((error.retryAfterMs ?? 0) / 1_000);
    return `The service asks to wait ${requestedSeconds} s, longer than the ${limitMs / 1_000} s that are waited for.`;
  }
  if (reason === 'quota') return 'Too many requests of this run have failed, so it was not tried again.';
  return reason === 'exhausted' && attempt > 1 ? `Gave up after ${attempt} attempts.` : undefined;
}

function abortedWhileWaiting(): ServiceError {
  return new ServiceError('aborted', 130, 'The request was stopped while waiting to try it again.', {
    kind: 'aborted',
    processed: 'no',
  });
}

/** A read changes nothing; of a write, whoever reads the error must know whether it may have. */
function describeOutcome(
  { kind, processed }: ServiceError,
  { isWrite, ambiguous }: AttemptHistory,
): string | undefined {
  if (ambiguous) {
    return 'An earlier attempt of this request got no clear answer and may have been applied: look at the present state first.';
  }
  return isWrite && processed === 'maybe' && kind !== 'redirect' ? 'The request may have been processed.' : undefined;
}
