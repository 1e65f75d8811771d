import { describe, expect, test } from 'vitest';
import { createRetryQuota, decideRetry, type FailedAttempt } from '../../../src/client/http/retry.ts';

const TIMEOUT: FailedAttempt = {
  policy: 'safe',
  failure: { kind: 'timeout', processed: 'maybe' },
  attempt: 1,
  limited: { attempts: 1, waitedMs: 0 },
  retries: 4,
  maxRetryAfterMs: 60_000,
  quotaLeft: 20,
  random: () => 0.5,
};
const USED_UP = { policy: '', limit: 100, remaining: 0, resetMs: 42_000, seenAt: 0 };
const withStatus = (status: number, more: Partial<FailedAttempt['failure']> = {}): Partial<FailedAttempt> => ({
  failure: { kind: 'rejected', processed: 'maybe', status, ...more },
});
const withKind = (kind: FailedAttempt['failure']['kind']): Partial<FailedAttempt> => ({
  failure: { kind, processed: 'maybe' },
});

describe('decideRetry', () => {
  test.each<[string, Partial<FailedAttempt>, number]>([
    ['a timeout', {}, 125],
    ['a refused connection', withKind('unreachable'), 125],
    ['a truncated response', withKind('interrupted'), 125],
    ['a 408', withStatus(408), 125],
    ['a 425', withStatus(425), 125],
    ['a 429', withStatus(429), 750],
    ['the fifth 429', { ...withStatus(429), limited: { attempts: 5, waitedMs: 9_000 } }, 12_000],
    ['the tenth 429, capped', { ...withStatus(429), limited: { attempts: 10, waitedMs: 99_000 } }, 22_500],
    ['a 429 after all retries', { ...withStatus(429), attempt: 5 }, 750],
    ['a 429 with a reset', withStatus(429, { rateLimit: USED_UP }), 42_500],
    ['a 429 while requests remain', withStatus(429, { rateLimit: { ...USED_UP, remaining: 3 } }), 750],
    ['a 500', withStatus(500), 125],
    ['a 502', withStatus(502), 125],
    ['a 503', withStatus(503), 125],
    ['a 504', withStatus(504), 125],
    ['the second failure', { attempt: 2 }, 250],
    ['the third', { attempt: 3 }, 500],
    ['the fourth', { attempt: 4 }, 1_000],
    ['the twentieth, capped', { attempt: 20, retries: 50 }, 5_000],
    ['no jitter', { random: () => 0 }, 0],
    ['the most jitter', { random: () => 0.999_999 }, 250],
    ['Retry-After, never less', { ...withStatus(503, { retryAfterMs: 7_000 }), random: () => 0 }, 7_000],
    ['Retry-After and some more', withStatus(429, { retryAfterMs: 7_000 }), 7_500],
    ['Retry-After at the limit', { ...withStatus(429, { retryAfterMs: 60_000 }), random: () => 0 }, 60_000],
    ['a Retry-After of nothing', { ...withStatus(429, { retryAfterMs: 0 }), random: () => 0 }, 500],
    ['a 429 without quota', { ...withStatus(429), quotaLeft: 0 }, 750],
    ['the first 500 of one allowed', { ...withStatus(500), retry500: 1 }, 125],
    ['a 503 despite a limit for 500', { ...withStatus(503), attempt: 2, retry500: 1 }, 250],
  ])('%s is tried again', (_name, given, delayMs) => {
    expect(decideRetry({ ...TIMEOUT, ...given })).toEqual({ retry: true, delayMs });
  });

  test.each<[string, Partial<FailedAttempt>, string]>([
    ['a call with rules of its own', { policy: 'none' }, 'policy'],
    ['a certificate', withKind('certificate'), 'final'],
    ['a response that is not valid HTTP', withKind('invalid-response'), 'final'],
    ['a response that is too large', withKind('response-too-large'), 'final'],
    ['a redirect', { failure: { kind: 'redirect', processed: 'maybe', status: 307 } }, 'final'],
    ['a stop', withKind('aborted'), 'final'],
    ['a 400', withStatus(400), 'final'],
    ['a 401', withStatus(401), 'final'],
    ['a 403', withStatus(403), 'final'],
    ['a 404', withStatus(404), 'final'],
    ['a 409', withStatus(409), 'final'],
    ['a 422', withStatus(422), 'final'],
    ['a 501', withStatus(501), 'final'],
    ['the last attempt', { attempt: 5 }, 'exhausted'],
    ['no retries wanted', { retries: 0 }, 'exhausted'],
    ['the second 500 of one allowed', { ...withStatus(500), attempt: 2, retry500: 1 }, 'exhausted'],
    ['a limit for 500 above the general one', { ...withStatus(500), retries: 0, retry500: 1 }, 'exhausted'],
    ['a longer wait than allowed', withStatus(429, { retryAfterMs: 60_001 }), 'retry-after-too-long'],
    [
      'a longer reset than allowed',
      withStatus(429, { rateLimit: { ...USED_UP, resetMs: 60_001 } }),
      'retry-after-too-long',
    ],
    [
      'a 429 after two minutes',
      { ...withStatus(429), limited: { attempts: 9, waitedMs: 120_000 } },
      'limited-too-long',
    ],
    ['a 429 without retries', { ...withStatus(429), retries: 0 }, 'exhausted'],
    ['no quota', { quotaLeft: 0 }, 'quota'],
  ])('%s is not', (_name, given, reason) => {
    expect(decideRetry({ ...TIMEOUT, ...given })).toEqual({ retry: false, reason });
  });
});

test('the quota is spent by retries and filled again by successes, up to its size', () => {
  const quota = createRetryQuota(2);
  quota.refund();
  expect(quota.left()).toBe(2);
  quota.take();
  quota.take();
  quota.take();
  expect(quota.left()).toBe(0);
  quota.refund();
  expect(quota.left()).toBe(1);
});
