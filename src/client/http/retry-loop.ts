import type { Clock } from '../../util/clock.ts';
import { ServiceError } from '../service-error.ts';
import { decideRetry, type RetryDecision, type RetryQuota } from './retry.ts';

/** A wait before a request is tried again. */
export interface Wait {
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
  onWait: ((wait: Wait) => () => void) | undefined;
  signal: AbortSignal | undefined;
}

/**
 * Runs attempts until one succeeds or another is not allowed; then throws the last ServiceError, completed by what the
 * attempts before it mean. `unclear`: an earlier attempt of this write may have been applied.
 */
export async function withRetries<T>(
  once: () => Promise<T>,
  options: RetryLoopOptions,
): Promise<{ value: T; unclear: boolean }> {
  const { quota, clock, signal } = options;
  let unclear = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const value = await once();
      quota.refund();
      return { value, unclear };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const decision = decideRetry({ ...options, failure: error, attempt, quotaLeft: quota.left() });
      if (!decision.retry) throw completed(error, decision, { ...options, attempt, unclear });
      unclear ||= options.isWrite && error.processed === 'maybe';
      if (error.status !== 429) quota.take();
      const over = options.onWait?.({
        reason: error.status === 429 ? 'limited' : 'retry',
        ms: decision.delayMs,
        status: error.status,
      });
      await clock.sleep(decision.delayMs, signal);
      over?.();
      if (signal?.aborted) throw completed(stopped(), decision, { ...options, attempt, unclear });
    }
  }
}

interface Past extends Pick<RetryLoopOptions, 'isWrite' | 'maxRetryAfterMs'> {
  attempt: number;
  unclear: boolean;
}

/** The error as the user should read it: why nothing more was tried, and what the attempts may have done. */
function completed(error: ServiceError, decision: RetryDecision, past: Past): ServiceError {
  const why = decision.retry ? undefined : giveUpWords(error, decision.reason, past.attempt, past.maxRetryAfterMs);
  const fate = fateWords(error, past);
  if (!why && !fate) return error;
  const hint = [why, fate, error.hint].filter(Boolean).join(' ');
  return new ServiceError(error.code, error.exitCode, error.message, {
    kind: error.kind,
    processed: past.unclear ? 'maybe' : error.processed,
    messages: error.messages,
    retryAfterMs: error.retryAfterMs,
    answer: error.answer,
    status: error.status,
    requestId: error.requestId,
    cause: error.cause,
    hint,
  });
}

function giveUpWords(error: ServiceError, reason: string, attempt: number, limitMs: number): string | undefined {
  if (reason === 'retry-after-too-long') {
    const asked = Math.ceil((error.retryAfterMs ?? 0) / 1_000);
    return `The service asks to wait ${asked} s, longer than the ${limitMs / 1_000} s that are waited for.`;
  }
  if (reason === 'quota') return 'Too many requests of this run have failed, so it was not tried again.';
  return reason === 'exhausted' && attempt > 1 ? `Gave up after ${attempt} attempts.` : undefined;
}

function stopped(): ServiceError {
  return new ServiceError('aborted', 130, 'The request was stopped while waiting to try it again.', {
    kind: 'aborted',
    processed: 'no',
  });
}

/** A read changes nothing; of a write, whoever reads the error must know whether it may have. */
function fateWords({ kind, processed }: ServiceError, { isWrite, unclear }: Past): string | undefined {
  if (unclear) {
    return 'An earlier attempt of this request got no clear answer and may have been applied: look at the present state first.';
  }
  return isWrite && processed === 'maybe' && kind !== 'redirect' ? 'The request may have been processed.' : undefined;
}
