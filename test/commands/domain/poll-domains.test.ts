import { describe, expect, it } from 'vitest';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/service-error.ts';
import type { DomainLook } from '../../../src/commands/domain/check-domain.ts';
import {
  mayPass,
  type Pause,
  pauseMs,
  type WaitTimes,
  waitUntilReady,
} from '../../../src/commands/domain/poll-domains.ts';
import { renderPause } from '../../../src/commands/domain/poll-progress.ts';
import { OrgadmError } from '../../../src/util/errors.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const refused = (status: number, details: Partial<ServiceErrorDetails> = {}) =>
  new ServiceError('service-failed', 6, `failed (${status})`, {
    kind: 'refused',
    processed: 'maybe',
    status,
    ...details,
  });
const lost = (kind: ServiceErrorDetails['kind']) => new ServiceError(kind, 6, kind, { kind, processed: 'maybe' });

type Step = 'ready' | 'pending' | OrgadmError;

/** Waits for domains that answer as told, the last answer for ever. Sleeps take no time of their own. */
async function wait(steps: Record<string, Step[]>, times: WaitTimes) {
  const clock = createAutoClock();
  const looked: string[] = [];
  const pauses: Pause[] = [];
  const look = async (domain: string): Promise<DomainLook> => {
    const at = looked.filter((one) => one === domain).length;
    looked.push(domain);
    const step = steps[domain]?.at(Math.min(at, (steps[domain]?.length ?? 0) - 1));
    if (step === undefined) throw new Error(`no answer for ${domain}`);
    if (step instanceof OrgadmError) return { domain, ready: false, error: step };
    return { domain, ready: step === 'ready', status: { domain, verified: step === 'ready' } };
  };
  const looks = await waitUntilReady(Object.keys(steps), times, {
    ...{ look, clock, random: () => 0, signal: new AbortController().signal },
    onPause: (pause) => pauses.push(pause),
  });
  return { looks, looked, pauses, sleeps: clock.sleeps };
}

const TIMES = { intervalMs: 10_000, deadlineMs: 900_000 };

describe('the pauses', () => {
  it('start at the interval and grow gently to a minute', () => {
    expect([0, 1, 2, 5, 8, 9, 1000].map((round) => pauseMs(round, 10_000, 0))).toEqual([
      10_000, 12_500, 15_625, 30_518, 59_605, 60_000, 60_000,
    ]);
  });

  it('are up to a tenth longer, and never shorter', () => {
    expect([0, 0.5, 0.999].map((random) => pauseMs(0, 10_000, random))).toEqual([10_000, 10_500, 10_999]);
  });

  it('stay at an interval that is longer than the cap', () => {
    expect([0, 1, 9].map((round) => pauseMs(round, 300_000, 0))).toEqual([300_000, 300_000, 300_000]);
  });
});

describe('waitUntilReady', () => {
  it('does not pause where all is ready at once', async () => {
    expect(await wait({ 'a.test': ['ready'] }, TIMES)).toMatchObject({ sleeps: [], looked: ['a.test'] });
  });

  it('asks again for those only that are not ready', async () => {
    const { looks, looked, sleeps } = await wait(
      { 'a.test': ['pending', 'pending', 'ready'], 'b.test': ['ready'] },
      TIMES,
    );
    expect(looked).toEqual(['a.test', 'b.test', 'a.test', 'a.test']);
    expect(sleeps).toEqual([10_000, 12_500]);
    expect(looks.map(({ domain, ready }) => [domain, ready])).toEqual([
      ['a.test', true],
      ['b.test', true],
    ]);
  });

  it('takes its last look at the deadline', async () => {
    const { looks, looked, sleeps } = await wait({ 'a.test': ['pending'] }, { intervalMs: 10_000, deadlineMs: 25_000 });
    expect(sleeps).toEqual([10_000, 12_500, 2_500]);
    expect(looked).toHaveLength(4);
    expect(looks).toEqual([{ domain: 'a.test', ready: false, status: { domain: 'a.test', verified: false } }]);
  });

  it('looks once with a deadline of nothing', async () => {
    expect(await wait({ 'a.test': ['pending'] }, { intervalMs: 10_000, deadlineMs: 0 })).toMatchObject({
      sleeps: [],
      looked: ['a.test'],
    });
  });

  it('keeps the last known state through failures that may pass', async () => {
    const { looks } = await wait({ 'a.test': ['pending', refused(503)] }, { intervalMs: 10_000, deadlineMs: 20_000 });
    expect(looks[0]).toMatchObject({ status: { verified: false }, error: { status: 503 } });
  });

  it('ends for a domain that no further look can mend, and goes on with the others', async () => {
    const { looks, looked } = await wait(
      { 'a.test': ['pending', refused(404)], 'b.test': ['pending', 'pending', 'ready'] },
      TIMES,
    );
    expect(looked).toEqual(['a.test', 'b.test', 'a.test', 'b.test', 'b.test']);
    expect(looks[0]).toEqual({ domain: 'a.test', ready: false, error: expect.objectContaining({ status: 404 }) });
    expect(looks[1]?.ready).toBe(true);
  });

  it('continues once a service can be reached that could not be', async () => {
    const { looks, sleeps } = await wait({ 'a.test': [...Array(4).fill(lost('unreachable')), 'ready'] }, TIMES);
    expect(looks[0]?.ready).toBe(true);
    expect(sleeps).toEqual([10_000, 12_500, 15_000, 15_000]);
  });

  it('waits until the deadline for a service that has responded before and cannot be reached now', async () => {
    const { looks, sleeps } = await wait({ 'a.test': ['pending', lost('unreachable')] }, TIMES);
    expect(looks[0]).toMatchObject({ status: { verified: false }, error: { kind: 'unreachable' } });
    expect(sleeps.reduce((sum, sleep) => sum + sleep, 0)).toBe(900_000);
  });

  it('counts the minute of a rejected key anew after each status', async () => {
    const rejected = Array(4).fill(refused(401));
    const { looks } = await wait({ 'a.test': ['pending', ...rejected, 'pending', ...rejected, 'ready'] }, TIMES);
    expect(looks[0]?.ready).toBe(true);
  });

  it('gives up one domain whose key is rejected for a minute, and goes on with the others', async () => {
    const steps: Step[] = [...Array(9).fill('pending'), 'ready'];
    const { looks } = await wait({ 'a.test': ['pending', refused(401)], 'b.test': steps }, TIMES);
    expect(looks[0]).toEqual({ domain: 'a.test', ready: false, error: expect.objectContaining({ status: 401 }) });
    expect(looks[1]?.ready).toBe(true);
  });

  it('pauses for as long as the service asks', async () => {
    const limited = refused(429, { retryAfterMs: 45_000 });
    expect((await wait({ 'a.test': [limited, 'ready'] }, TIMES)).sleeps).toEqual([45_000]);
  });

  it('does not come back before the service asked, even at the deadline', async () => {
    const limited = refused(429, { retryAfterMs: 60_000 });
    const { looked, sleeps } = await wait({ 'a.test': [limited] }, { intervalMs: 10_000, deadlineMs: 30_000 });
    expect({ looked, sleeps }).toEqual({ looked: ['a.test'], sleeps: [] });
  });
});

describe('a failure', () => {
  it.each([408, 425, 429, 500, 502, 503, 504])('of status %i may pass', (status) => {
    expect(mayPass(refused(status))).toBe(true);
  });

  it.each([400, 401, 403, 404, 409, 410, 422])('of status %i stays', (status) => {
    expect(mayPass(refused(status))).toBe(false);
  });

  it.each(['unreachable', 'timeout', 'interrupted'] as const)('of kind %s may pass', (kind) => {
    expect(mayPass(lost(kind))).toBe(true);
  });

  it.each(['certificate', 'not-understood', 'redirect', 'too-large-answer'] as const)('of kind %s stays', (kind) => {
    expect(mayPass(lost(kind))).toBe(false);
  });

  it('of the tool itself stays', () => {
    expect(mayPass(new OrgadmError('x', 1, 'x'))).toBe(false);
  });
});

describe('the progress line', () => {
  const look = (domain: string, verified: boolean, misconfigured?: unknown): DomainLook => ({
    domain,
    ready: false,
    status: { domain, verified, misconfigured },
  });

  it.each([
    [look('a.test', false, true), 'a.test: not verified, misconfigured'],
    [look('a.test', true, null), 'a.test: configuration unknown'],
    [look('a.test', false), 'a.test: not verified'],
    [{ domain: 'a.test', ready: false, error: refused(503) }, 'a.test: failed (503)'],
  ])('names the wait and the state: %#', (one, state) => {
    expect(renderPause({ waitingFor: [one], nextLookAt: 9_000, endsAt: 860_000 }, 1, 0)).toBe(
      `waiting · next look in 9s · 14m 20s left · ${state}`,
    );
  });

  it('counts the domains where there are several', () => {
    const pause = { waitingFor: [look('a.test', false), look('b.test', true, true)], nextLookAt: 9_000, endsAt: 8_000 };
    expect(renderPause(pause, 3, 9_000)).toBe(
      'waiting for 2 of 3 domains · looking · 0ms left · a.test: not verified; b.test: misconfigured',
    );
  });
});
