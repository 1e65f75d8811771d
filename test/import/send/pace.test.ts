import { describe, expect, it } from 'vitest';
import type { LimitHeaders } from '../../helpers/rate-limits.js';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { simulate, timeOfLoop } from './limited-service.ts';

describe('an announced limit', () => {
  const FORMS: readonly LimitHeaders[] = ['retry-after', 'throttler'];
  const LIMITS = [
    { name: '150 requests, a minute after each of 100', requests: 150, allowed: 100, periodMs: 60_000, slides: true },
    { name: '350 requests, a minute after each of 100', requests: 350, allowed: 100, periodMs: 60_000, slides: true },
    { name: '350 requests, 10 s after each of 30', requests: 350, allowed: 30, periodMs: 10_000, slides: true },
    { name: '350 requests, 100 in each minute', requests: 350, allowed: 100, periodMs: 60_000, slides: false },
    { name: '350 requests, 100 in each 10 s', requests: 350, allowed: 100, periodMs: 10_000, slides: false },
  ];
  for (const { name, requests, allowed, ...rule } of LIMITS) {
    it.each(FORMS)(`takes at most 1.1 times as long as a loop that obeys it: ${name}, as %s`, (announced) => {
      const limit = { ...rule, requests: allowed, announced };
      const loopMs = timeOfLoop({ limit, requests });
      for (const concurrency of [1, 4, 16]) {
        const { elapsed } = simulate({ limit, requests, concurrency, random: seededRandom(1).next });
        expect(elapsed, `${concurrency} in flight`).toBeLessThanOrEqual(loopMs * 1.1);
      }
    });
  }

  it('does not reduce the requests in flight', () => {
    const limit = { requests: 60, periodMs: 60_000, announced: 'retry-after' } as const;
    expect(simulate({ limit, requests: 300, random: seededRandom(1).next }).concurrency).toBe(4);
  });
});

describe('a limit that is not announced', () => {
  it('is met by rejections that are at least 1, 2, 4 … 60 s apart', () => {
    const limit = { requests: 1, periodMs: Number.POSITIVE_INFINITY, announced: 'none' } as const;
    const { elapsed, waits } = simulate({ limit, requests: 2, random: () => 0 });
    expect(elapsed).toBeUndefined();
    expect(waits.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('of requests in flight halves them for the rest of the run', () => {
    const limit = { requests: 100_000, periodMs: 60_000, announced: 'none' } as const;
    const { elapsed, rejected, concurrency } = simulate({ limit, requests: 200, maxInFlight: 1, random: () => 0 });
    expect(concurrency).toBe(1);
    expect(rejected).toBeLessThanOrEqual(6);
    expect(elapsed).toBeLessThan(200 * 40 + 10_000);
  });

  it('of two requests in flight halves four of them once, although the service rejects several at the same time', () => {
    const limit = { requests: 100_000, periodMs: 60_000, announced: 'none' } as const;
    expect(simulate({ limit, requests: 200, maxInFlight: 2, random: () => 0 }).concurrency).toBe(2);
  });
});
