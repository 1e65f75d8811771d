import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/client/service-error.ts';
import type { AttemptResult } from '../../../src/import/send/send-batch.ts';
import { Throttle } from '../../../src/import/send/throttle.ts';
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
  coverage: 'all',
  created: new Map(),
  wrongOrganization: false,
  inconsistencies: [],
  deactivated: [],
};

function rateLimited(retryAfterMs: number): AttemptResult {
  const error = new ServiceError('rate-limited', 6, 'limited', { kind: 'refused', processed: 'no', status: 429 });
  return { kind: 'failure', durationMs: 0, error, failure: { kind: 'rate-limited', retryAfterMs } };
}

/** Returns whether a promise is settled, without waiting for time. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

describe('Throttle', () => {
  it('admits all workers as long as no request was limited', async () => {
    const { throttle } = open();
    expect(await Promise.all([throttle.acquire(), throttle.acquire()])).toEqual([false, false]);
  });

  it('blocks all workers after a rate limit, then admits one probe', async () => {
    const { clock, throttle, waits } = open();
    expect(await throttle.apply(rateLimited(60_000), false)).toEqual({ again: true });
    expect(waits).toEqual([['rate-limited', 60_000]]);
    const first = throttle.acquire();
    const second = throttle.acquire();
    await clock.advance(59_999);
    expect(await isSettled(first)).toBe(false);
    await clock.advance(1);
    expect(await first).toBe(true);
    expect(await isSettled(second)).toBe(false);
    await throttle.apply(RESPONSE, true);
    expect(await second).toBe(false);
  });

  it('admits another probe after one that shows nothing about the service', async () => {
    const { clock, throttle } = open();
    await throttle.apply(rateLimited(1_000), false);
    const first = throttle.acquire();
    const second = throttle.acquire();
    await clock.advance(1_000);
    expect(await first).toBe(true);
    throttle.unused(true);
    expect(await second).toBe(true);
  });

  it('is not unblocked earlier by a shorter rate limit', async () => {
    const { clock, throttle, waits } = open();
    await throttle.apply(rateLimited(10_000), false);
    await throttle.apply(rateLimited(5_000), false);
    expect(waits).toEqual([['rate-limited', 10_000]]);
    const acquired = throttle.acquire();
    await clock.advance(9_999);
    expect(await isSettled(acquired)).toBe(false);
    await clock.advance(1);
    expect(await acquired).toBe(true);
  });

  it('releases all workers when the run is stopped', async () => {
    const { clock, throttle, halt } = open();
    await throttle.apply(rateLimited(10_000), false);
    const waiting = throttle.acquire();
    await clock.advance(10_000);
    expect(await waiting).toBe(true);
    const behindProbe = throttle.acquire();
    halt.abort();
    expect(await behindProbe).toBe(false);
    expect(await throttle.acquire()).toBe(false);
  });
});

describe('the quiet period', () => {
  it('is over when nothing was ambiguous', () => {
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
