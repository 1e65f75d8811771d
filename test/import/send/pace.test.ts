import { describe, expect, it } from 'vitest';
import { Outages } from '../../../src/client/http/outage.ts';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/http/service-error.ts';
import { Pace } from '../../../src/import/send/pace.ts';
import type { LimitHeaders } from '../../helpers/rate-limits.js';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { createVariableClock, simulate, timeOfLoop } from './limited-service.ts';

const START_MS = 1_795_341_612_345;

function createPace({ retries = 4, random = 0 } = {}) {
  const clock = createVariableClock(START_MS);
  const outages = new Outages({ clock, random: () => random });
  return { clock, outages, pace: new Pace({ clock, random: () => random, retries, concurrency: 4 }, outages) };
}

function failed(details: Partial<ServiceErrorDetails>): ServiceError {
  const status = details.status;
  return new ServiceError('rejected', 1, status === undefined ? 'connection refused' : `status ${status}`, {
    ...{ kind: status === undefined ? 'unreachable' : 'rejected', processed: 'no', messages: [] },
    ...details,
  });
}

const LIMITED = failed({ status: 429 });

describe('an announced limit', () => {
  const FORMS: readonly LimitHeaders[] = [
    'retry-after',
    'throttler',
    'ratelimit',
    'ratelimit-fields',
    'x-seconds',
    'x-epoch',
  ];
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

  it('ends the run after ten minutes without an accepted request', () => {
    const { clock, pace } = createPace();
    pace.accepted();
    let stopped: unknown;
    while (stopped === undefined) {
      stopped = pace.limited(LIMITED, clock.time);
      clock.time = Math.max(clock.time, pace.pause()?.untilMs ?? 0);
    }
    expect(stopped).toMatchObject({
      exitCode: 6,
      message: expect.stringMatching(/^the service has accepted no request for 1\d m/),
    });
    expect(clock.time - START_MS).toBeGreaterThanOrEqual(600_000);
  });

  it('of requests in flight halves them for the rest of the run', () => {
    const limit = { requests: 100_000, periodMs: 60_000, announced: 'none' } as const;
    const { elapsed, rejected, concurrency } = simulate({ limit, requests: 200, maxInFlight: 1, random: () => 0 });
    expect(concurrency).toBe(1);
    expect(rejected).toBeLessThanOrEqual(6);
    expect(elapsed).toBeLessThan(200 * 40 + 10_000);
  });

  it('counts requests that were in flight at the same time once', () => {
    const { clock, pace } = createPace();
    const sentAtMs = clock.time;
    for (let at = 0; at < 4; at++) {
      clock.time += 10;
      pace.limited(LIMITED, sentAtMs);
    }
    expect(pace.concurrency).toBe(2);
    expect((pace.pause()?.untilMs ?? 0) - clock.time).toBeLessThanOrEqual(1_000);
  });

  it('halves the requests in flight once for those that were in flight together, even if others of them were accepted', () => {
    const { clock, pace } = createPace();
    const sentAtMs = clock.time;
    clock.time += 10;
    pace.limited(LIMITED, sentAtMs);
    pace.accepted();
    clock.time += 10;
    pace.limited(LIMITED, sentAtMs);
    expect(pace.concurrency).toBe(2);
  });
});

describe('Retry-After', () => {
  it.each([
    ['0.001', 1, 1_000],
    ['0', 0, 1_000],
    ['7', 7_000, 7_000],
  ])('is never shorter than the backoff: %s', (_, retryAfterMs, pause) => {
    const { clock, pace } = createPace();
    pace.limited(failed({ status: 429, retryAfterMs }), clock.time);
    expect((pace.pause()?.untilMs ?? 0) - clock.time).toBe(pause);
  });

  it('of more than ten minutes ends the run at once', () => {
    const { clock, pace } = createPace();
    expect(pace.limited(failed({ status: 429, retryAfterMs: 3_600_000 }), clock.time)).toMatchObject({
      exitCode: 6,
      message: 'the service limits requests and asks orgadm to wait 1 h 0 m: status 429',
      hint: 'Try again later.',
    });
  });

  it('is extended by a tenth of it at most, and by half a second at most', () => {
    for (const [retryAfterMs, pause] of [
      [2_000, 2_200],
      [60_000, 60_500],
    ] as const) {
      const { clock, pace } = createPace({ random: 1 });
      pace.limited(failed({ status: 429, retryAfterMs }), clock.time);
      expect(pace.pause()).toEqual({ reason: 'rate-limited', untilMs: clock.time + pause });
    }
  });

  it('of the second rejection in a row ends a run without retries', () => {
    const { clock, pace } = createPace({ retries: 0 });
    expect(pace.limited(LIMITED, clock.time)).toBeUndefined();
    clock.time = pace.pause()?.untilMs ?? 0;
    expect(pace.limited(LIMITED, clock.time)).toBe(LIMITED);
  });
});

describe('a pause', () => {
  it('is not shortened by another one', () => {
    const { clock, pace } = createPace();
    pace.pauseUntil('unknown', clock.time + 120_000);
    pace.pauseUntil('outage', clock.time + 1_000);
    pace.limited(LIMITED, clock.time);
    expect(pace.pause()).toEqual({ reason: 'unknown', untilMs: clock.time + 120_000 });
  });

  it('ends with one request at a time until the service responds', () => {
    const { clock, pace } = createPace();
    pace.pauseUntil('unknown', clock.time + 1_000);
    expect(pace.concurrency).toBe(1);
    pace.accepted();
    expect(pace.concurrency).toBe(4);
  });

  it('for another reason does not count as time in which the service accepts no request', () => {
    const { clock, pace } = createPace();
    pace.limited(LIMITED, clock.time);
    clock.time += 700_000;
    pace.resetPatience();
    expect(pace.limited(LIMITED, clock.time)).toBeUndefined();
  });
});

describe('an outage', () => {
  it.each([
    ['of connections', {}, 'unreachable'],
    ['of the lookup of keys', { status: 401 }, 'outage'],
  ])('%s pauses the run, and then allows one request at a time', (_, details, reason) => {
    const { clock, outages, pace } = createPace();
    outages.accepted();
    const error = failed(details);
    outages.failed(error, clock.time);
    expect(pace.failed(error)).toBeUndefined();
    expect(pace.pause()).toEqual({ reason, untilMs: clock.time + 500 });
    expect(pace.concurrency).toBe(1);
  });

  it('ends the run after a minute', () => {
    const { clock, outages, pace } = createPace();
    const refused = failed({});
    outages.failed(refused, clock.time);
    clock.time += 60_000;
    expect(pace.failed(refused)).toBe(refused);
  });

  it('is not a failure of another kind, which ends the run', () => {
    const { clock, outages, pace } = createPace();
    const forbidden = failed({ status: 403 });
    outages.failed(forbidden, clock.time);
    expect(pace.failed(forbidden)).toBe(forbidden);
  });
});
