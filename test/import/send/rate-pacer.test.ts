import { describe, expect, it } from 'vitest';
import { type Permit, RatePacer } from '../../../src/import/send/rate-pacer.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { type SimulationResult, simulate } from './limited-service.ts';

/** The worst of several runs with latencies of 30 to 50 ms. */
function worstOf(rule: string, requests: number): SimulationResult & { ratio: number } {
  const runs = [1, 2, 3].map((seed) => {
    const random = seededRandom(seed).next;
    return simulate({ rule, requests, random, latency: () => 30 + 20 * random() });
  });
  const [{ ideal } = { ideal: 0 }] = runs;
  const elapsed = Math.max(...runs.map((run) => run.elapsed));
  return { elapsed, rejected: Math.max(...runs.map((run) => run.rejected)), ideal, ratio: elapsed / ideal };
}

describe('a run under a limit that its responses announce', () => {
  const forms = ['ratelimit', 'ratelimit-fields', 'x-seconds', 'x-epoch', 'x-epoch-ms', 'x-suffix'];
  it.each(forms)('takes at most 1.1 times the ideal, with one rejected request, announced as %s', (form) => {
    for (const kind of ['window', 'bucket']) {
      for (const [rate, requests] of [
        ['30/10s', 100],
        ['100/min', 250],
        ['10/30s', 60],
      ] as const) {
        const { ratio, rejected } = worstOf(`${rate}:${kind}:${form}`, requests);
        expect(ratio).toBeLessThanOrEqual(1.1);
        expect(rejected).toBeLessThanOrEqual(2);
        if (kind === 'window') expect(rejected).toBe(0);
      }
    }
  });

  it('waits for the reset after the last request of a window', () => {
    const pacer = new RatePacer(() => 0);
    pacer.accepted(pacer.send(1_000), { policy: '', limit: 10, remaining: 0, resetMs: 42_000, seenAt: 1_100 });
    expect(pacer.opensAt(1_100)).toBe(43_150);
    expect(pacer.isLimited).toBe(true);
  });

  it('sends at most as many requests at a time as remain', () => {
    const pacer = new RatePacer(() => 0);
    pacer.accepted(pacer.send(0), { policy: '', limit: 10, remaining: 2, resetMs: 42_000, seenAt: 0 });
    pacer.send(1);
    pacer.send(1);
    expect(pacer.opensAt(1)).toBe(Number.POSITIVE_INFINITY);
  });

  it('ignores a reset in more than 10 minutes', () => {
    const pacer = new RatePacer(() => 0);
    pacer.accepted(pacer.send(0), { policy: '', limit: 5000, remaining: 0, resetMs: 3_000_000, seenAt: 0 });
    expect(pacer.opensAt(0)).toBe(0);
  });

  it('ignores headers after two needless waits', () => {
    const pacer = new RatePacer(() => 0);
    const used = { policy: '', limit: 10, remaining: 0, resetMs: 60_000 };
    let now = 0;
    for (let waits = 0; waits < 3; waits++) {
      now = Math.max(now, pacer.opensAt(now));
      pacer.accepted(pacer.send(now), { ...used, seenAt: now });
    }
    expect(pacer.opensAt(now)).toBeLessThanOrEqual(now);
    pacer.rejected(pacer.send(now), now, { ...used, seenAt: now }, undefined);
    expect(pacer.opensAt(now)).toBeGreaterThanOrEqual(now + 60_000);
  });
});

describe('a run under a limit that only rejections announce', () => {
  it.each([
    ['30/10s', 100, 4],
    ['100/min', 400, 4],
    ['10/30s', 60, 6],
  ])('takes at most 1.1 times the ideal under %s with Retry-After', (rate, requests, windows) => {
    const window = worstOf(`${rate}:window:retry-after`, requests);
    expect(window.ratio).toBeLessThanOrEqual(1.1);
    // The requests that are in flight when the first is rejected, and one in each window.
    expect(window.rejected).toBeLessThanOrEqual(3 + windows);
    const bucket = worstOf(`${rate}:bucket:retry-after`, requests);
    expect(bucket.ratio).toBeLessThanOrEqual(1.1);
    // The rate is measured more exactly with every rejection.
    expect(bucket.rejected).toBeLessThanOrEqual(10 + windows);
  });

  it.each([
    ['30/10s', 100],
    ['100/min', 250],
    ['100/min', 500],
    ['20/7s', 100],
    ['10/45s', 60],
    ['5/s', 60],
  ])('takes at most 1.3 times the ideal under %s without any header', (rate, requests) => {
    expect(worstOf(`${rate}:window:none`, requests).ratio).toBeLessThanOrEqual(1.3);
    expect(worstOf(`${rate}:bucket:none`, requests).ratio).toBeLessThanOrEqual(1.3);
  });

  it('sends as many requests in the next window as the last one accepted, and none in addition', () => {
    const { rejected, ratio } = worstOf('50/min:window:retry-after', 200);
    expect(ratio).toBeLessThanOrEqual(1.1);
    expect(rejected).toBeLessThanOrEqual(4);
  });

  it('sends one probe at a time, after pauses that grow to a minute', () => {
    const pacer = new RatePacer(() => 1);
    let now = 1_000;
    pacer.rejected(pacer.send(now), now, undefined, undefined);
    const pauses: number[] = [];
    while (now < 20 * 60_000) {
      const opensAt = pacer.opensAt(now);
      pauses.push(opensAt - now);
      now = opensAt;
      const permit = pacer.send(now);
      expect(pacer.opensAt(now)).toBe(Number.POSITIVE_INFINITY);
      pacer.rejected(permit, now, undefined, undefined);
    }
    expect(pauses[0]).toBeGreaterThanOrEqual(500);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
    expect(pauses.length).toBeLessThanOrEqual(45);
  });

  it('never waits for less than Retry-After', () => {
    const pacer = new RatePacer(() => 0);
    pacer.rejected(pacer.send(0), 0, undefined, 30_000);
    expect(pacer.opensAt(0)).toBeGreaterThanOrEqual(30_000);
    expect(pacer.opensAt(0)).toBeLessThanOrEqual(31_000);
  });

  it('sends the next probe after one that ended without a response', () => {
    const pacer = new RatePacer(() => 0);
    pacer.rejected(pacer.send(0), 0, undefined, 1_000);
    const now = pacer.opensAt(0);
    const probe: Permit = pacer.send(now);
    expect(probe.isProbe).toBe(true);
    pacer.dropped(probe);
    expect(pacer.opensAt(now)).toBeLessThanOrEqual(now);
  });
});
