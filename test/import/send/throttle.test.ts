import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/service-error.ts';
import type { AttemptResult } from '../../../src/import/send/send-batch.ts';
import { type Admission, Throttle } from '../../../src/import/send/throttle.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

const QUIET_PERIOD = 10_000;
const TIMEOUT = 30_000;

function open() {
  const clock = createTestClock(0);
  const waits: [string, number][] = [];
  const halt = new AbortController();
  const throttle = new Throttle({
    clock,
    random: () => 0,
    retries: 4,
    timeoutMs: TIMEOUT,
    quietPeriodMs: QUIET_PERIOD,
    onWait: (reason, untilMs) => waits.push([reason, untilMs]),
    signal: halt.signal,
  });
  return { clock, throttle, waits, halt };
}

const RESPONSE: AttemptResult = {
  kind: 'response',
  durationMs: 0,
  rateLimit: undefined,
  coverage: 'all',
  created: new Map(),
  wrongOrganization: false,
  inconsistencies: [],
  deactivated: [],
};

function rateLimited(retryAfterMs: number): AttemptResult {
  const error = new ServiceError('rate-limited', 6, 'limited', { kind: 'rejected', processed: 'no', status: 429 });
  return { kind: 'failure', durationMs: 0, error, failure: { kind: 'rate-limited', retryAfterMs } };
}

/** Returns whether a promise is fulfilled or rejected, without advancing time. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

/** Acquires permission to send at once. */
async function admitted(throttle: Throttle): Promise<Admission> {
  const admission = await throttle.acquire();
  if (admission === undefined) throw new Error('the run was stopped');
  return admission;
}

describe('Throttle', () => {
  it('admits all workers as long as no request was limited', async () => {
    const { throttle } = open();
    expect(await Promise.all([throttle.acquire(), throttle.acquire()])).toEqual([
      expect.objectContaining({ isProbe: false }),
      expect.objectContaining({ isProbe: false }),
    ]);
  });

  it('blocks all workers after a rate limit, then admits one', async () => {
    const { clock, throttle, waits } = open();
    expect(await throttle.apply(rateLimited(60_000), await admitted(throttle))).toEqual({ again: true });
    const first = throttle.acquire();
    const second = throttle.acquire();
    await clock.advance(60_000);
    expect(await isDone(first)).toBe(false);
    expect(waits).toEqual([['rate-limited', 60_020]]);
    await clock.advance(20);
    const admission = await first;
    expect(await isDone(second)).toBe(false);
    if (admission !== undefined) await throttle.apply(RESPONSE, admission);
    expect(await second).toBeDefined();
  });

  it('admits another request if the probe after a rate limit was not sent', async () => {
    const { clock, throttle } = open();
    await throttle.apply(rateLimited(1_000), await admitted(throttle));
    const first = throttle.acquire();
    const second = throttle.acquire();
    await clock.advance(1_020);
    const admission = await first;
    if (admission !== undefined) throttle.unused(admission);
    expect(await second).toBeDefined();
  });

  it('waits for the first of several rate limits', async () => {
    const { clock, throttle } = open();
    const [one, other] = [await admitted(throttle), await admitted(throttle)];
    await throttle.apply(rateLimited(10_000), one);
    await throttle.apply(rateLimited(5_000), other);
    const acquired = throttle.acquire();
    await clock.advance(10_000);
    expect(await isDone(acquired)).toBe(false);
    await clock.advance(20);
    expect(await acquired).toBeDefined();
  });

  it('gives up when no request was accepted for 10 minutes', async () => {
    const { clock, throttle } = open();
    await throttle.apply(rateLimited(60_000), await admitted(throttle));
    for (let waits = 1; waits < 10; waits++) {
      const next = throttle.acquire();
      await clock.advance(60_020);
      const admission = await next;
      if (admission === undefined) throw new Error('the run was stopped');
      expect(await throttle.apply(rateLimited(60_000), admission)).toEqual({ again: true });
    }
    const next = throttle.acquire();
    await clock.advance(60_020);
    const admission = await next;
    if (admission === undefined) throw new Error('the run was stopped');
    const { end } = await throttle.apply(rateLimited(60_000), admission);
    expect(end?.exitCode).toBe(6);
    expect(end?.message).toBe('the service has accepted no request for 10m 00s: limited');
  });

  it('releases all workers when the run is stopped', async () => {
    const { clock, throttle, halt } = open();
    await throttle.apply(rateLimited(10_000), await admitted(throttle));
    const waiting = throttle.acquire();
    await clock.advance(10_020);
    expect(await waiting).toBeDefined();
    const behindProbe = throttle.acquire();
    halt.abort();
    expect(await behindProbe).toBeUndefined();
    expect(await throttle.acquire()).toBeUndefined();
  });
});

describe('the quiet period', () => {
  it('is over if no request was ambiguous', () => {
    const { throttle } = open();
    throttle.recordDuration(9_000);
    expect(throttle.quietUntil()).toBe(0);
  });

  it('begins at the end of the last ambiguous request', async () => {
    const { clock, throttle } = open();
    await clock.advance(1_000);
    throttle.recordAmbiguous(false);
    await clock.advance(4_000);
    throttle.recordAmbiguous(false);
    expect(throttle.quietUntil()).toBe(15_000);
  });

  it('lasts at least twice as long as the slowest response, also one that comes later', async () => {
    const { clock, throttle } = open();
    await clock.advance(1_000);
    throttle.recordAmbiguous(false);
    throttle.recordDuration(4_000);
    expect(throttle.quietUntil()).toBe(11_000);
    throttle.recordDuration(20_000);
    expect(throttle.quietUntil()).toBe(41_000);
  });

  it('lasts another timeout after a request that our own timeout has ended', async () => {
    const { clock, throttle } = open();
    await clock.advance(40_000);
    throttle.recordAmbiguous(true);
    await clock.advance(10_000);
    throttle.recordAmbiguous(false);
    expect(throttle.quietUntil()).toBe(70_000);
  });
});
