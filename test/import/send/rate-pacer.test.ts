import { describe, expect, it } from 'vitest';
import { type Permit, RatePacer } from '../../../src/import/send/rate-pacer.ts';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { type SimulationResult, simulate } from './limited-service.ts';

/** A point in time, 20 seconds before the end of a calendar minute. */
const T = 1_000_000_000;

/** Sends requests at the same time, which the service accepts. */
function accept(pacer: RatePacer, now: number, requests: number): void {
  for (let sent = 0; sent < requests; sent++) {
    expect(pacer.opensAt(now)).toBeLessThanOrEqual(now);
    pacer.accepted(pacer.send(now), undefined);
  }
}

/** Sends a request, which the service rejects. Returns how long the next one has to wait, in milliseconds. */
function reject(pacer: RatePacer, now: number, retryAfterMs?: number): number {
  pacer.rejected(pacer.send(now), now, undefined, retryAfterMs);
  return pacer.opensAt(now) - now;
}

/** A pacer that found a window of 5 seconds and 10 requests. The next one begins at `T`. */
function withKnownWindow(): RatePacer {
  const pacer = new RatePacer(() => 0);
  accept(pacer, T - 5_320, 10);
  expect(reject(pacer, T - 5_220, 5_200)).toBe(5_220);
  return pacer;
}

describe('the wait after a rejection without any header', () => {
  it.each([
    [0, [500, 1_050, 2_100, 5_250, 10_250, 15_250, 20_250, 30_250, 60_250, 80_250, 110_250, 120_250]],
    [0.999, [999.5, 2_100, 5_250, 10_250, 15_250, 20_250, 30_250, 60_250, 80_250, 120_250, 140_250, 200_220]],
  ])(
    'doubles, but ends after a usual window or a calendar minute at the latest, with jitter %s',
    (random, expected) => {
      const pacer = new RatePacer(() => random);
      let now = T;
      const probes = expected.map(() => {
        now += reject(pacer, now);
        return now - T;
      });
      expect(probes).toEqual(expected);
    },
  );

  it('begins anew after an accepted request', () => {
    const pacer = new RatePacer(() => 0);
    for (let now = T, sent = 0; sent < 5; sent++) now += reject(pacer, now);
    accept(pacer, T + 10_250, 1);
    expect(pacer.opensAt(T + 10_250)).toBeLessThanOrEqual(T + 10_250);
  });
});

describe('the wait after a rejection', () => {
  it('is that of Retry-After, with up to 3 % or a second in addition', () => {
    expect(reject(new RatePacer(() => 0.5), T, 10_000)).toBe(10_170);
    expect(reject(new RatePacer(() => 0.5), T, 100_000)).toBe(100_520);
    expect(reject(new RatePacer(() => 0), T, 0)).toBe(500);
  });

  it('is that of the headers without Retry-After, if nothing remains', () => {
    const limit = { policy: '', limit: 10, resetMs: 42_000, seenAt: T };
    for (const [remaining, wait] of [
      [0, 42_070],
      [1, 500],
    ] as const) {
      const pacer = new RatePacer(() => 0);
      pacer.rejected(pacer.send(T), T, { ...limit, remaining }, undefined);
      expect(pacer.opensAt(T)).toBe(T + wait);
    }
  });

  it('does not change with the rejection of other requests that were in flight', () => {
    const pacer = new RatePacer(() => 0);
    accept(pacer, T, 1);
    const [one, other] = [pacer.send(T), pacer.send(T)];
    expect(pacer.isLimited).toBe(false);
    pacer.rejected(one, T, undefined, 5_000);
    expect(pacer.isLimited).toBe(true);
    pacer.rejected(other, T + 100, undefined, 9_000);
    expect(pacer.opensAt(T)).toBe(T + 5_020);
  });

  it('ends with the response to the probe, not with those of requests that were sent before', () => {
    const pacer = new RatePacer(() => 0);
    const earlier = pacer.send(T);
    reject(pacer, T, 5_000);
    pacer.accepted(earlier, undefined);
    expect(pacer.opensAt(T)).toBe(T + 5_020);
    const probe = pacer.send(T + 5_020);
    expect(probe.isProbe).toBe(true);
    expect(pacer.opensAt(T + 5_020)).toBe(Number.POSITIVE_INFINITY);
    pacer.accepted(probe, undefined);
    expect(pacer.opensAt(T + 5_020)).toBeLessThanOrEqual(T + 5_020);
  });
});

describe('a limit that accepts few requests after a wait', () => {
  /** A pacer that found a token bucket with one token in 375 ms. */
  function withKnownRate(): RatePacer {
    const pacer = new RatePacer(() => 0);
    accept(pacer, T, 10);
    expect(reject(pacer, T + 100)).toBe(500);
    accept(pacer, T + 600, 3);
    expect(reject(pacer, T + 1_600)).toBe(500);
    accept(pacer, T + 2_100, 1);
    return pacer;
  }

  it('gets single requests at the rate at which it accepted them', () => {
    const pacer = withKnownRate();
    expect(pacer.opensAt(T + 2_100)).toBe(T + 2_350);
    accept(pacer, T + 2_350, 1);
    expect(pacer.opensAt(T + 2_350)).toBe(T + 2_725);
  });

  it('gets up to five requests more after a pause', () => {
    const pacer = withKnownRate();
    for (let sent = 0; sent < 6; sent++) {
      expect(pacer.opensAt(T + 100_000)).toBeLessThanOrEqual(T + 100_000);
      pacer.send(T + 100_000);
    }
    expect(pacer.opensAt(T + 100_000)).toBe(T + 100_375);
  });

  it('gets them at a lower rate after a rejection, and after longer waits if more follow', () => {
    const pacer = withKnownRate();
    const waits: number[] = [];
    let now = T + 2_350;
    for (let sent = 0; sent < 7; sent++) {
      waits.push(reject(pacer, now));
      now += waits.at(-1) ?? 0;
    }
    expect(waits).toEqual([450, 350, 1_050, 3_150, 5_000, 5_000, 2_900]);
  });
});

describe('the windows after one that was used up', () => {
  it('begin with few requests in flight, because the limit may be a token bucket', () => {
    const pacer = withKnownWindow();
    const probe = pacer.send(T);
    pacer.accepted(probe, undefined);
    const first = pacer.send(T);
    expect(pacer.opensAt(T)).toBe(Number.POSITIVE_INFINITY);
    pacer.accepted(first, undefined);
    accept(pacer, T, 2);
    pacer.send(T);
    expect(pacer.opensAt(T)).toBeLessThanOrEqual(T);
    pacer.send(T);
    expect(pacer.opensAt(T)).toBe(Number.POSITIVE_INFINITY);
  });

  it('have as many requests, and the usual length that fits what was observed', () => {
    const pacer = withKnownWindow();
    accept(pacer, T, 10);
    expect(pacer.opensAt(T)).toBe(T + 5_250);
  });

  it('are found to be as short as a probe is accepted, and as long as one is rejected', () => {
    const pacer = withKnownWindow();
    accept(pacer, T, 10);
    // Nothing was rejected: all requests of the next window may be in flight at once.
    const probe = pacer.send(T + 5_250);
    pacer.accepted(probe, undefined);
    for (let sent = 1; sent < 10; sent++) {
      expect(pacer.opensAt(T + 5_250)).toBeLessThanOrEqual(T + 5_250);
      pacer.send(T + 5_250);
    }
    expect(pacer.opensAt(T + 5_250)).toBe(T + 5_250 + 4_775);
    expect(reject(pacer, T + 5_250 + 4_775)).toBe(525);
  });

  it('are tried at longer and longer lengths if the probes are rejected', () => {
    const pacer = withKnownWindow();
    accept(pacer, T, 10);
    const waits: number[] = [];
    for (let now = T + 5_250, sent = 0; sent < 6; sent++) {
      waits.push(reject(pacer, now));
      now += waits.at(-1) ?? 0;
    }
    // Up to the bound, twice somewhat beyond it, then to the ends of usual windows: 10, 15 and 20 s after the start.
    expect(waits).toEqual([120, 637, 687, 3_556, 5_000, 5_000]);
  });

  it('are tried with more requests after four in which none was rejected', () => {
    const pacer = withKnownWindow();
    accept(pacer, T, 10);
    let now = T;
    for (let window = 1; window < 4; window++) {
      now = pacer.opensAt(now);
      accept(pacer, now, 10);
      expect(pacer.opensAt(now)).toBeGreaterThan(now);
    }
    now = pacer.opensAt(now);
    accept(pacer, now, 50);
  });
});

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
  it.each(forms)('takes at most 1.1 times the ideal, without a rejected request, announced as %s', (form) => {
    for (const [rate, requests] of [
      ['30/10s', 100],
      ['100/min', 250],
      ['10/30s', 60],
    ] as const) {
      const { ratio, rejected } = worstOf(`${rate}:window:${form}`, requests);
      expect(ratio).toBeLessThanOrEqual(1.1);
      expect(rejected).toBe(0);
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

  it('sends as many more as have ended without a response', () => {
    const pacer = new RatePacer(() => 0);
    pacer.accepted(pacer.send(0), { policy: '', limit: 10, remaining: 2, resetMs: 42_000, seenAt: 0 });
    const one = pacer.send(1);
    pacer.send(1);
    pacer.dropped(one);
    expect(pacer.opensAt(1)).toBeLessThanOrEqual(1);
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
  ])('takes at most 1.3 times the ideal under %s without any header, for %i requests', (rate, requests) => {
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
    while (now < 20 * 60_000 && pauses.length <= 45) {
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
