import { describe, expect, it } from 'vitest';
import { Outages } from '../../../src/client/http/outage.ts';
import { decideRetry, type FailedAttempt, withRetries } from '../../../src/client/http/retry.ts';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/http/service-error.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const TIMEOUT: FailedAttempt = {
  policy: 'safe',
  failure: { kind: 'timeout', processed: 'maybe' },
  attempt: 1,
  limited: { attempts: 1, waitedMs: 0 },
  retries: 4,
  random: () => 0.5,
};
const withStatus = (status: number, more: Partial<FailedAttempt['failure']> = {}): Partial<FailedAttempt> => ({
  failure: { kind: 'rejected', processed: 'maybe', status, ...more },
});
const withKind = (kind: FailedAttempt['failure']['kind']): Partial<FailedAttempt> => ({
  failure: { kind, processed: 'maybe' },
});

describe('decideRetry', () => {
  it.each<[string, Partial<FailedAttempt>, number]>([
    ['a timeout', {}, 125],
    ['a refused connection', withKind('unreachable'), 125],
    ['a 408', withStatus(408), 125],
    ['a 425', withStatus(425), 125],
    ['a 429', withStatus(429), 1_500],
    ['the fifth 429', { ...withStatus(429), limited: { attempts: 5, waitedMs: 9_000 } }, 16_500],
    ['the tenth 429, capped', { ...withStatus(429), limited: { attempts: 10, waitedMs: 99_000 } }, 60_500],
    ['a 429 after as many attempts as are allowed', { ...withStatus(429), attempt: 5 }, 1_500],
    ['a 500', withStatus(500), 125],
    ['a 503', withStatus(503), 125],
    ['a second failure', { attempt: 2 }, 250],
    ['a twentieth failure, capped', { attempt: 20, retries: 50 }, 5_000],
    ['a timeout with no jitter', { random: () => 0 }, 0],
    ['a 503, never sooner than Retry-After', { ...withStatus(503, { retryAfterMs: 7_000 }), random: () => 0 }, 7_000],
    ['a 503 with Retry-After and jitter', withStatus(503, { retryAfterMs: 7_000 }), 7_500],
    ['a 429 with Retry-After and jitter', withStatus(429, { retryAfterMs: 7_000 }), 7_500],
    ['a 429 with the longest Retry-After', withStatus(429, { retryAfterMs: 60_000 }), 60_500],
    ['a 429 with a Retry-After of 0', { ...withStatus(429, { retryAfterMs: 0 }), random: () => 0 }, 1_000],
    ["a gateway's 522", withStatus(522), 125],
    ['the first 500 of one allowed', { ...withStatus(500), retry500: 1 }, 125],
    ['a 503 despite a limit for 500', { ...withStatus(503), attempt: 2, retry500: 1 }, 250],
  ])('retries %s', (_name, given, delayMs) => {
    expect(decideRetry({ ...TIMEOUT, ...given })).toEqual({ retry: true, delayMs });
  });

  it.each<[string, Partial<FailedAttempt>, string]>([
    ['a call that has its own rules', { policy: 'none' }, 'policy'],
    ['an invalid certificate', withKind('certificate'), 'final'],
    ['a call that the user stopped', withKind('aborted'), 'final'],
    ['a 400', withStatus(400), 'final'],
    ['a 501', withStatus(501), 'final'],
    ['the last allowed attempt', { attempt: 5 }, 'exhausted'],
    ['the second 500 of one allowed', { ...withStatus(500), attempt: 2, retry500: 1 }, 'exhausted'],
    ['a 500 beyond the general limit', { ...withStatus(500), retries: 0, retry500: 1 }, 'exhausted'],
    ['a 429 with a longer wait than allowed', withStatus(429, { retryAfterMs: 60_001 }), 'retry-after-too-long'],
    ['a 503 with a longer wait than allowed', withStatus(503, { retryAfterMs: 60_001 }), 'retry-after-too-long'],
    [
      'a 429 after two minutes',
      { ...withStatus(429), limited: { attempts: 9, waitedMs: 120_000 } },
      'limited-too-long',
    ],
    ['a 429 if no retries are allowed', { ...withStatus(429), retries: 0 }, 'exhausted'],
  ])('does not retry %s', (_name, given, reason) => {
    expect(decideRetry({ ...TIMEOUT, ...given })).toEqual({ retry: false, reason });
  });
});

type Failure = Partial<ServiceErrorDetails> & { hint?: string };

/** Runs attempts that fail in these ways, one after the other; the last one is repeated. */
async function run(failures: readonly Failure[], options: { isWrite?: boolean; retries?: number } = {}) {
  const clock = createAutoClock();
  const random = () => 0.5;
  let attempts = 0;
  const attempt = async () => {
    const failure = failures[Math.min(attempts++, failures.length - 1)];
    throw new ServiceError('rejected', 1, 'it failed', { kind: 'rejected', processed: 'no', ...failure });
  };
  const error = await withRetries(attempt, {
    policy: 'safe',
    retries: options.retries ?? 1,
    retry500: undefined,
    isWrite: options.isWrite ?? false,
    outages: new Outages({ clock, random }),
    clock,
    random,
    onWait: undefined,
  }).then(
    () => undefined,
    (thrown: ServiceError) => thrown,
  );
  return { attempts, hint: error?.hint, processed: error?.processed, sleeps: clock.sleeps };
}

describe('withRetries', () => {
  it.each<[string, Failure[], { isWrite?: boolean; retries?: number }, string]>([
    ['the number of attempts', [{ status: 503 }], {}, 'Gave up after 2 attempts.'],
    ['nothing about a single attempt that is final', [{ status: 400, hint: 'Fix it.' }], {}, 'Fix it.'],
    ['nothing about attempts before a final one', [{ status: 503 }, { status: 400, hint: 'Fix it.' }], {}, 'Fix it.'],
    [
      'the wait that is too long',
      [{ status: 503, retryAfterMs: 60_500, hint: 'Try later.' }],
      {},
      'The service asked orgadm to wait 61 s, but the limit is 60 s. Try later.',
    ],
    [
      'that a write may have been processed',
      [{ status: 500, processed: 'maybe' }],
      { isWrite: true, retries: 0 },
      'The service may have processed the request.',
    ],
    [
      'that an earlier attempt of a write may have been applied',
      [{ status: 503, processed: 'maybe' }, { status: 409 }],
      { isWrite: true },
      'The service may have processed an earlier attempt. Check the current state before you try again.',
    ],
    ['nothing about a write that was not processed', [{ status: 400, hint: 'Fix it.' }], { isWrite: true }, 'Fix it.'],
    [
      'nothing about a redirected write',
      [{ kind: 'redirect', status: 302, processed: 'maybe', hint: 'Change the URL.' }],
      { isWrite: true },
      'Change the URL.',
    ],
    [
      'nothing about the outcome of a read',
      [{ status: 501, processed: 'maybe', hint: 'Update it.' }],
      {},
      'Update it.',
    ],
  ])('explains in the hint %s', async (_name, failures, options, hint) => {
    expect((await run(failures, options)).hint).toBe(hint);
  });

  it('gives up after two minutes of rate limits, with doubled waits of up to 60 s', async () => {
    const { sleeps, hint } = await run([{ status: 429 }]);
    expect(sleeps).toEqual([1_500, 2_500, 4_500, 8_500, 16_500, 32_500, 60_500]);
    expect(hint).toBe('Gave up after waiting 120 s for the rate limit.');
  });

  it('does not count the waits for other failures as waits for the rate limit', async () => {
    const { sleeps } = await run([{ status: 503, retryAfterMs: 60_000 }, { status: 429 }]);
    expect(sleeps.slice(0, 3)).toEqual([60_500, 1_500, 2_500]);
    expect(sleeps).toHaveLength(8);
  });

  it('reports a rejected write as possibly processed if an earlier attempt was', async () => {
    expect((await run([{ status: 503, processed: 'maybe' }, { status: 409 }], { isWrite: true })).processed).toBe(
      'maybe',
    );
    expect((await run([{ status: 503, processed: 'no' }, { status: 409 }], { isWrite: true })).processed).toBe('no');
  });

  it('throws errors that are not failures of the service at once', async () => {
    const defect = new TypeError('a defect');
    let attempts = 0;
    const failing = async () => {
      attempts++;
      throw defect;
    };
    const options = {
      policy: 'safe',
      retries: 3,
      retry500: undefined,
      isWrite: true,
      outages: new Outages({ clock: createAutoClock(), random: () => 0 }),
      clock: createAutoClock(),
      random: () => 0,
      onWait: undefined,
    } as const;
    await expect(withRetries(failing, options)).rejects.toBe(defect);
    expect(attempts).toBe(1);
  });
});
