import { describe, expect, it } from 'vitest';
import { Outages } from '../../../src/client/http/outage.ts';
import { ServiceError, type ServiceErrorDetails } from '../../../src/client/http/service-error.ts';
import type { DomainCheck } from '../../../src/commands/domain/check-domain.ts';
import {
  type PollPause,
  type PollTimes,
  pollDelayMs,
  pollUntilReady,
  renderPollPause,
} from '../../../src/commands/domain/poll-domains.ts';
import { OrgadmError } from '../../../src/util/errors.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';

const rejectedWith = (status: number, details: Partial<ServiceErrorDetails> = {}) =>
  new ServiceError('service-failed', 6, `failed (${status})`, {
    kind: 'rejected',
    processed: 'maybe',
    status,
    ...details,
  });

type Step = 'ready' | 'pending' | OrgadmError;

/** Waits for domains with the given responses; the last one repeats forever. Sleeps return immediately. */
async function wait(steps: Record<string, Step[]>, times: PollTimes) {
  const clock = createAutoClock();
  const checked: string[] = [];
  const pauses: PollPause[] = [];
  const outages = new Outages({ clock, random: () => 0 });
  const check = async (domain: string): Promise<DomainCheck> => {
    const at = checked.filter((one) => one === domain).length;
    checked.push(domain);
    const sentAtMs = clock.now();
    const step = steps[domain]?.at(Math.min(at, (steps[domain]?.length ?? 0) - 1));
    if (step === undefined) throw new Error(`no response for ${domain}`);
    if (step instanceof ServiceError) outages.failed(step, sentAtMs);
    else if (!(step instanceof OrgadmError)) outages.accepted();
    if (step instanceof OrgadmError) return { domain, ready: false, error: step };
    return { domain, ready: step === 'ready', status: { domain, verified: step === 'ready' } };
  };
  const checks = await pollUntilReady(Object.keys(steps), times, {
    ...{ check, outages, clock, random: () => 0, signal: new AbortController().signal },
    onPause: (pause) => pauses.push(pause),
  });
  return { checks, checked, pauses, sleeps: clock.sleeps };
}

const TIMES = { intervalMs: 10_000, deadlineMs: 900_000 };

describe('the pauses', () => {
  it('are up to a tenth longer, and never shorter', () => {
    expect([0, 0.5, 0.999].map((random) => pollDelayMs(0, 10_000, random))).toEqual([10_000, 10_500, 10_999]);
  });

  it('stay at an interval that is longer than the cap', () => {
    expect([0, 1, 9].map((round) => pollDelayMs(round, 300_000, 0))).toEqual([300_000, 300_000, 300_000]);
  });
});

describe('pollUntilReady', () => {
  it('makes the last check a second before the deadline', async () => {
    expect(await wait({ 'a.test': ['pending'] }, { intervalMs: 10_000, deadlineMs: 25_000 })).toMatchObject({
      sleeps: [10_000, 12_500, 1_500],
      checked: ['a.test', 'a.test', 'a.test', 'a.test'],
    });
  });

  it('checks once if the deadline is a second away', async () => {
    expect(await wait({ 'a.test': ['pending'] }, { intervalMs: 10_000, deadlineMs: 1_000 })).toMatchObject({
      sleeps: [],
      checked: ['a.test'],
    });
  });

  it('restarts the minute of a rejected key after each status', async () => {
    const rejected = Array(4).fill(rejectedWith(401));
    const { checks } = await wait({ 'a.test': ['pending', ...rejected, 'pending', ...rejected, 'ready'] }, TIMES);
    expect(checks[0]?.check.ready).toBe(true);
  });

  it('does not check again before the time that the service asked for, even right before the deadline', async () => {
    const limited = rejectedWith(429, { retryAfterMs: 60_000 });
    const { checked, sleeps } = await wait({ 'a.test': [limited] }, { intervalMs: 10_000, deadlineMs: 30_000 });
    expect({ checked, sleeps }).toEqual({ checked: ['a.test'], sleeps: [] });
  });
});

describe('the progress line', () => {
  const check = (domain: string, verified: boolean, misconfigured?: unknown): DomainCheck => ({
    domain,
    ready: false,
    status: { domain, verified, misconfigured },
  });

  it.each([
    [check('a.test', false, true), 'a.test: not verified, misconfigured'],
    [check('a.test', true, null), 'a.test: configuration unknown'],
    [{ domain: 'a.test', ready: false, error: rejectedWith(503) }, 'a.test: failed (503)'],
  ])('shows the state, the next check and the time left: $1', (one, state) => {
    expect(renderPollPause({ waitingFor: [one], nextCheckAt: 9_000, endsAt: 860_000 }, 0, 80)).toBe(
      `${state} · next check in 9 s · 14 m 20 s left`,
    );
  });

  it.each([
    [80, 'a.test: not verified; b.test: misconfigured · checking · 0 ms left'],
    [50, 'a.test: not verified (and 1 more) · checking'],
    [40, 'a.test: not verified (and 1 more)'],
  ])('has the first domain and as many times as fit %d columns', (columns, line) => {
    const pause = {
      waitingFor: [check('a.test', false), check('b.test', true, true)],
      nextCheckAt: 9_000,
      endsAt: 8_000,
    };
    expect(renderPollPause(pause, 9_000, columns)).toBe(line);
  });
});
