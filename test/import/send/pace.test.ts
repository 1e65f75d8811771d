import { describe, expect, it } from 'vitest';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/service-error.ts';
import { Pace } from '../../../src/import/send/pace.ts';
import type { LimitHeaders } from '../../helpers/rate-limits.js';
import { seededRandom } from '../../helpers/seeded-random.ts';
import { createVariableClock, simulate, timeOfLoop } from './limited-service.ts';

const START_MS = 1_795_341_612_345;

function createPace({ retries = 4, random = 0 } = {}) {
  const clock = createVariableClock(START_MS);
  return { clock, pace: new Pace({ clock, random: () => random, retries, concurrency: 4 }) };
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
    'x-epoch-ms',
    'x-suffix',
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
  /** Lets requests fail until the run should end. Returns why, and after how long. */
  function failUntilStopped(fail: () => unknown, { clock, pace }: ReturnType<typeof createPace>) {
    const began = clock.time;
    for (;;) {
      const stopped = fail();
      if (stopped !== undefined) return { stopped, lasted: clock.time - began };
      clock.time = pace.pause()?.untilMs ?? 0;
    }
  }

  it('of connections is tried again for a minute', () => {
    const fixture = createPace({ random: 0.5 });
    const { clock, pace } = fixture;
    pace.accepted();
    const { stopped, lasted } = failUntilStopped(() => pace.notSent(failed({}), clock.time), fixture);
    expect(stopped).toMatchObject({ message: 'connection refused' });
    expect(lasted).toBe(60_000);
  });

  it('is met by pauses that double up to 8 s, half of them random, each with one request', () => {
    const { clock, pace } = createPace({ random: 0.5 });
    pace.accepted();
    const waits = Array.from({ length: 6 }, () => {
      pace.notSent(failed({}), clock.time);
      expect(pace.concurrency).toBe(1);
      const { reason, untilMs } = pace.pause() ?? { untilMs: 0 };
      const waited = [reason, untilMs - clock.time];
      clock.time = untilMs;
      return waited;
    });
    expect(waits).toEqual([750, 1_500, 3_000, 6_000, 6_000, 6_000].map((ms) => ['unreachable', ms]));
  });

  it('is no host that does not exist, unless the service has responded before', () => {
    const { clock, pace } = createPace();
    const unknownHost = failed({ cause: new Error('getaddrinfo ENOTFOUND api.example.com') });
    expect(pace.notSent(unknownHost, clock.time)).toBe(unknownHost);
    pace.accepted();
    expect(pace.notSent(unknownHost, clock.time)).toBeUndefined();
  });

  it('of a service that has not responded so far is tried again as well', () => {
    const { clock, pace } = createPace();
    expect(pace.notSent(failed({ cause: new Error('connect ECONNREFUSED') }), clock.time)).toBeUndefined();
  });

  it('ends a run without retries', () => {
    const { clock, pace } = createPace({ retries: 0 });
    const refused = failed({});
    expect(pace.notSent(refused, clock.time)).toBe(refused);
  });

  it('is a 401 after the key was accepted', () => {
    const fixture = createPace({ random: 0.5 });
    const { clock, pace } = fixture;
    pace.accepted();
    const error = failed({ status: 401, messages: ['Invalid key'] });
    const { stopped, lasted } = failUntilStopped(() => pace.rejectedKey(error, clock.time), fixture);
    expect(stopped).toMatchObject({
      message: 'the service accepted the API key until 1 m 0 s ago and has rejected it since (401 Invalid key)',
      hint: 'The service may be failing, or the key may have been revoked.',
    });
    expect(lasted).toBe(60_000);
  });

  it('is a 401 without a message, too, and says so while it lasts', () => {
    const fixture = createPace({ random: 0.5 });
    const { clock, pace } = fixture;
    pace.accepted();
    const error = failed({ status: 401 });
    expect(pace.rejectedKey(error, clock.time)).toBeUndefined();
    expect(pace.pause()).toEqual({ reason: 'outage', untilMs: clock.time + 750 });
    const { stopped } = failUntilStopped(() => pace.rejectedKey(error, clock.time), fixture);
    expect(stopped).toMatchObject({
      message: 'the service accepted the API key until 1 m 0 s ago and has rejected it since (401)',
    });
  });

  it('is a 401 after a 5xx, and is reported as one', () => {
    const fixture = createPace({ random: 0.5 });
    const { clock, pace } = fixture;
    pace.unknown(failed({ status: 500 }));
    const { stopped } = failUntilStopped(() => pace.rejectedKey(failed({ status: 401 }), clock.time), fixture);
    expect(stopped).toMatchObject({
      code: 'service-failed',
      exitCode: 6,
      message: 'the service is failing: 500, then 401',
    });
  });

  it('is not a 401 of a key that was never accepted', () => {
    const { clock, pace } = createPace();
    const error = failed({ status: 401 });
    expect(pace.rejectedKey(error, clock.time)).toBe(error);
    pace.unknown(failed({ status: 408 }));
    expect(pace.rejectedKey(error, clock.time)).toBe(error);
  });

  it('begins anew after an accepted request', () => {
    const { clock, pace } = createPace();
    pace.accepted();
    pace.notSent(failed({}), clock.time);
    clock.time += 50_000;
    pace.accepted();
    clock.time += 50_000;
    expect(pace.notSent(failed({}), clock.time)).toBeUndefined();
  });
});
