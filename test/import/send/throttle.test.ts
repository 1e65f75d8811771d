import { describe, expect, it } from 'vitest';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/service-error.ts';
import type { FailureClass } from '../../../src/import/send/classify-error.ts';
import type { AttemptResult } from '../../../src/import/send/send-batch.ts';
import { type Admission, Throttle } from '../../../src/import/send/throttle.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

const QUIET_PERIOD = 10_000;
const TIMEOUT = 30_000;

function open(changes: { retries?: number; random?: () => number; quietPeriodMs?: number } = {}) {
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
    ...changes,
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

const UNREACHABLE = failure({ kind: 'unreachable', processed: 'no' }, { kind: 'not-sent' });
const UNKNOWN_HOST = failure(
  { kind: 'unreachable', processed: 'no', cause: new Error('getaddrinfo ENOTFOUND api.example.com') },
  { kind: 'not-sent' },
);
const CONNECTION_LOST = failure(
  { kind: 'interrupted', processed: 'maybe' },
  { kind: 'ambiguous', reason: 'lost', timedOut: false, mayBeRunning: true },
);
const KEY_REJECTED = failure(
  { kind: 'rejected', processed: 'no', status: 401, messages: ['Invalid or expired API key'], requestId: 'req_7' },
  { kind: 'fatal', ambiguous: false },
);
const ENTRIES_REJECTED = failure(
  { kind: 'rejected', processed: 'no', status: 400 },
  { kind: 'rejected', named: new Map() },
);

function failure(details: ServiceErrorDetails, failure: FailureClass): AttemptResult {
  return { kind: 'failure', durationMs: 0, error: new ServiceError(details.kind, 6, 'it failed', details), failure };
}

/** Sends one request with this result, as soon as that is allowed. Returns what follows, and the milliseconds it took. */
async function send({ clock, throttle }: ReturnType<typeof open>, result: AttemptResult) {
  const began = clock.now();
  const decision = throttle.acquire().then((admission) => {
    if (admission === undefined) throw new Error('the run was stopped');
    return throttle.apply(result, admission);
  });
  for (let waits = 0; waits < 10 && !(await isDone(decision)); waits++)
    await clock.advance(Math.min(...clock.waiting()));
  expect(clock.waiting()).toEqual([]);
  return { end: undefined, ...(await decision), tookMs: clock.now() - began };
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

describe('an outage', () => {
  it('is waited for with pauses that double up to eight times the first, and a minute in all', async () => {
    const state = open({ random: () => 0.5 });
    const pauses: number[] = [];
    for (let sent = 0; sent < 20; sent++) {
      const { end, again, tookMs } = await send(state, UNREACHABLE);
      expect(again).toBe(true);
      if (end !== undefined) {
        expect(end).toBe(UNREACHABLE.kind === 'failure' && UNREACHABLE.error);
        break;
      }
      pauses.push(tookMs);
    }
    expect(pauses).toEqual([750, 1_500, 3_000, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000, 6_000, 750]);
    expect(state.waits.slice(0, 2)).toEqual([
      ['unreachable', 750],
      ['unreachable', 2_250],
    ]);
  });

  it.each([
    ['a response', RESPONSE],
    ['rejected entries', ENTRIES_REJECTED],
    ['a rate limit', rateLimited(0)],
    ['an ambiguous request', CONNECTION_LOST],
    ['a rejected key', KEY_REJECTED],
  ])('ends with %s: the next one lasts a minute again', async (_, result) => {
    const state = open();
    await send(state, RESPONSE);
    await send(state, UNREACHABLE);
    await send(state, UNREACHABLE);
    await send(state, result);
    await state.clock.advance(60_000);
    expect(await send(state, UNREACHABLE)).toMatchObject({ again: true, tookMs: 500 });
  });

  it('ends the run at once with --retries 0', async () => {
    expect(await send(open({ retries: 0 }), UNREACHABLE)).toMatchObject({
      end: { message: 'it failed' },
      tookMs: 0,
    });
  });

  it('ends the run at once if the host is unknown, unless the service has responded before', async () => {
    const state = open();
    expect(await send(state, UNKNOWN_HOST)).toMatchObject({ end: { message: 'it failed' }, tookMs: 0 });
    await send(state, RESPONSE);
    expect(await send(state, UNKNOWN_HOST)).toMatchObject({ end: undefined, tookMs: 500 });
  });

  it('ends the run at once if the service asks to wait longer than ten minutes for its rate limit', async () => {
    const state = open();
    expect(await send(state, rateLimited(600_000))).toMatchObject({ end: undefined, again: true });
    expect(await send(state, rateLimited(600_001))).toMatchObject({
      end: {
        exitCode: 6,
        status: 429,
        message: 'the service limits requests and asks to wait 10m 00s: limited',
        hint: 'Try again later: --resume continues where this run stopped.',
      },
    });
  });

  it('ends the run with --retries 0 if the request after the wait for a rate limit is rejected too', async () => {
    const state = open({ retries: 0 });
    await state.clock.advance(5_000);
    expect(await send(state, rateLimited(1_000))).toMatchObject({ end: undefined });
    expect(await send(state, rateLimited(1_000))).toMatchObject({
      end: { message: 'the service has accepted no request for 1s: limited' },
    });
  });

  it('begins anew after a response if it is a rate limit', async () => {
    const state = open();
    await send(state, rateLimited(600_000));
    await send(state, RESPONSE);
    await send(state, rateLimited(600_000));
    expect(await send(state, rateLimited(60_000))).toMatchObject({ end: { code: 'rate-limited' } });
    expect(state.throttle.isRateLimited).toBe(true);
  });
});

describe('a rejected key', () => {
  it('ends the run at once if the service never accepted it', async () => {
    const { end } = await send(open(), KEY_REJECTED);
    expect(end).toBe(KEY_REJECTED.kind === 'failure' && KEY_REJECTED.error);
  });

  it.each([
    ['a response', RESPONSE],
    ['rejected entries', ENTRIES_REJECTED],
    ['a response without any row', { ...RESPONSE, coverage: 'none' } as const],
  ])('is retried for a minute by one request at a time if it was accepted with %s', async (_, accepted) => {
    const state = open();
    await state.clock.advance(1_000);
    await send(state, accepted);
    await state.clock.advance(5_000);
    const decisions = [];
    let last = await send(state, KEY_REJECTED);
    for (; last.end === undefined && decisions.length < 20; last = await send(state, KEY_REJECTED))
      decisions.push(last.again);
    expect(decisions).toEqual(Array(18).fill(true));
    expect(state.waits.slice(0, 3)).toEqual([
      ['key-rejected', 6_500],
      ['key-rejected', 7_500],
      ['key-rejected', 9_500],
    ]);
    expect(last.end).toMatchObject({
      exitCode: 6,
      status: 401,
      requestId: 'req_7',
      message: 'the API key was accepted until 1m 05s ago and has been rejected since (401 Invalid or expired API key)',
      hint: 'The service may be failing, or the key may have been revoked. Continue with --resume, and with a new key if necessary.',
    });
  });

  it('is the only error of the request that is retried', async () => {
    const state = open();
    await send(state, RESPONSE);
    const forbidden = failure({ kind: 'rejected', processed: 'no', status: 403 }, { kind: 'fatal', ambiguous: false });
    expect(await send(state, forbidden)).toEqual({ end: expect.any(ServiceError), tookMs: 0 });
  });

  it('does not shorten the quiet period', async () => {
    const state = open();
    await send(state, RESPONSE);
    const earlier = await admitted(state.throttle);
    for (let sent = 0; sent < 5; sent++) await send(state, CONNECTION_LOST);
    await state.throttle.apply(KEY_REJECTED, earlier);
    expect(await send(state, RESPONSE)).toMatchObject({ tookMs: 10_000 });
    expect(state.waits).toEqual([['ambiguous', 10_000]]);
  });

  it('blocks all workers until the probe is accepted', async () => {
    const state = open();
    await send(state, RESPONSE);
    await send(state, KEY_REJECTED);
    const { clock, throttle } = state;
    const [probe, other] = [throttle.acquire(), throttle.acquire()];
    await clock.advance(499);
    expect(await isDone(probe)).toBe(false);
    await clock.advance(1);
    const admission = await probe;
    expect(admission).toMatchObject({ isProbe: true });
    expect(await isDone(other)).toBe(false);
    if (admission !== undefined) await throttle.apply(RESPONSE, admission);
    expect(await other).toMatchObject({ isProbe: false });
  });

  it('is retried for another minute if it was accepted in between', async () => {
    const state = open();
    await send(state, RESPONSE);
    await send(state, KEY_REJECTED);
    await state.clock.advance(60_000);
    await send(state, RESPONSE);
    expect(await send(state, KEY_REJECTED)).toMatchObject({ end: undefined });
  });
});

describe('the circuit breaker', () => {
  it('opens after five ambiguous requests in a row, and three probes without a response end the run', async () => {
    const state = open();
    for (let sent = 0; sent < 5; sent++) {
      expect(state.waits).toEqual([]);
      expect(await send(state, CONNECTION_LOST)).toMatchObject({ tookMs: 0 });
    }
    expect(state.waits).toEqual([['ambiguous', 10_000]]);
    expect(await send(state, CONNECTION_LOST)).toEqual({ end: undefined, tookMs: 10_000 });
    expect(await send(state, CONNECTION_LOST)).toEqual({ end: undefined, tookMs: 10_000 });
    expect(await send(state, CONNECTION_LOST)).toMatchObject({
      end: { exitCode: 6, message: 'the outcome of 8 requests in a row is unknown: it failed' },
    });
  });

  it('counts a response that mentions none of the rows as ambiguous', async () => {
    const state = open();
    const none: AttemptResult = { ...RESPONSE, coverage: 'none' };
    for (let sent = 0; sent < 7; sent++) expect(await send(state, none)).toMatchObject({ end: undefined });
    expect(await send(state, none)).toMatchObject({
      end: {
        code: 'invalid-response',
        message: 'the outcome of 8 requests in a row is unknown: the response mentions none of the rows that were sent',
      },
    });
  });

  it.each([
    ['a response', RESPONSE],
    ['rejected entries', ENTRIES_REJECTED],
  ])('closes with %s to the probe, and then opens after five more', async (_, result) => {
    const state = open();
    for (let sent = 0; sent < 7; sent++) await send(state, CONNECTION_LOST);
    await send(state, result);
    expect(await Promise.all([state.throttle.acquire(), state.throttle.acquire()])).toEqual([
      expect.objectContaining({ isProbe: false }),
      expect.objectContaining({ isProbe: false }),
    ]);
    for (let sent = 0; sent < 7; sent++) expect(await send(state, CONNECTION_LOST)).toMatchObject({ end: undefined });
  });

  it('counts only probes towards the end: not a request that was sent before it opened', async () => {
    const state = open();
    const earlier = [await admitted(state.throttle), await admitted(state.throttle), await admitted(state.throttle)];
    for (let sent = 0; sent < 5; sent++) await send(state, CONNECTION_LOST);
    for (const admission of earlier)
      expect(await state.throttle.apply(CONNECTION_LOST, admission)).toEqual({ end: undefined });
  });

  it('stays open if a request that was sent before it opened gets a response', async () => {
    const state = open();
    const earlier = await admitted(state.throttle);
    for (let sent = 0; sent < 5; sent++) await send(state, CONNECTION_LOST);
    await state.throttle.apply(RESPONSE, earlier);
    await state.clock.advance(10_000);
    expect(await admitted(state.throttle)).toMatchObject({ isProbe: true });
    expect(await isDone(state.throttle.acquire())).toBe(false);
  });

  it('admits no second probe when a request ends that was sent before it opened', async () => {
    const state = open();
    const earlier = await admitted(state.throttle);
    for (let sent = 0; sent < 5; sent++) await send(state, CONNECTION_LOST);
    await state.clock.advance(10_000);
    await admitted(state.throttle);
    state.throttle.unused(earlier);
    expect(await isDone(state.throttle.acquire())).toBe(false);
  });

  it('is reported rather than a rate limit that ends earlier', async () => {
    const state = open();
    const earlier = await admitted(state.throttle);
    for (let sent = 0; sent < 5; sent++) await send(state, CONNECTION_LOST);
    await state.throttle.apply(rateLimited(1_000), earlier);
    expect(await send(state, RESPONSE)).toMatchObject({ tookMs: 10_000 });
    expect(state.waits).toEqual([['ambiguous', 10_000]]);
  });
});

describe('the rate limit of a rejected request', () => {
  it('applies to the next one', async () => {
    const rateLimit = { policy: '', limit: 10, remaining: 0, resetMs: 42_000, seenAt: 0 };
    const state = open();
    await send(
      state,
      failure({ kind: 'rejected', processed: 'no', status: 400, rateLimit }, { kind: 'rejected', named: new Map() }),
    );
    expect(await send(state, RESPONSE)).toMatchObject({ tookMs: 42_050 });
  });

  it('is not over when the probe ends without a response', async () => {
    const state = open();
    await send(state, rateLimited(1_000));
    await send(state, CONNECTION_LOST);
    await admitted(state.throttle);
    expect(await isDone(state.throttle.acquire())).toBe(false);
  });
});

describe('a response that leaves out some of the rows', () => {
  it('starts the quiet period, because the service may be working on them', async () => {
    const state = open();
    await send(state, RESPONSE);
    expect(state.throttle.quietUntil()).toBe(0);
    await send(state, { ...RESPONSE, coverage: 'some' });
    expect(state.throttle.quietUntil()).toBe(10_000);
  });
});
