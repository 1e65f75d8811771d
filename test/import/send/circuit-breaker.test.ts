import { expect, it } from 'vitest';
import { CircuitBreaker } from '../../../src/import/send/circuit-breaker.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

function open() {
  const clock = createTestClock(0);
  const waits: [string, number][] = [];
  const gate = new CircuitBreaker(clock, (reason, untilMs) => waits.push([reason, untilMs]));
  return { clock, gate, waits, halt: new AbortController() };
}

/** Tells whether a promise is settled, without waiting for time. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

it('lets everybody through while it is open', async () => {
  const { gate, halt } = open();
  expect(await Promise.all([gate.acquire(halt.signal), gate.acquire(halt.signal)])).toEqual([false, false]);
});

it('holds everybody until its time is over, then lets one probe through', async () => {
  const { clock, gate, waits, halt } = open();
  gate.close(60_000, 'limited');
  expect(waits).toEqual([['limited', 60_000]]);
  const first = gate.acquire(halt.signal);
  const second = gate.acquire(halt.signal);
  await clock.advance(59_999);
  expect(await isSettled(first)).toBe(false);
  await clock.advance(1);
  expect(await first).toBe(true);
  expect(await isSettled(second)).toBe(false);
  gate.probeDone(true);
  expect(await second).toBe(false);
});

it('sends another probe after one that was not answered', async () => {
  const { clock, gate, halt } = open();
  gate.close(1_000, 'limited');
  const first = gate.acquire(halt.signal);
  const second = gate.acquire(halt.signal);
  await clock.advance(1_000);
  expect(await first).toBe(true);
  gate.probeDone(false);
  expect(await second).toBe(true);
});

it('is never opened earlier by a shorter closing', async () => {
  const { clock, gate, waits, halt } = open();
  gate.close(10_000, 'limited');
  gate.close(5_000, 'unclear');
  expect(waits).toEqual([['limited', 10_000]]);
  const pass = gate.acquire(halt.signal);
  await clock.advance(9_999);
  expect(await isSettled(pass)).toBe(false);
  await clock.advance(1);
  expect(await pass).toBe(true);
});

it('lets go of those who wait when the run is stopped', async () => {
  const { clock, gate, halt } = open();
  gate.close(10_000, 'limited');
  const asleep = gate.acquire(halt.signal);
  halt.abort();
  expect(await asleep).toBe(false);

  const next = new AbortController();
  await clock.advance(10_000);
  expect(await gate.acquire(next.signal)).toBe(true);
  const behindProbe = gate.acquire(next.signal);
  next.abort();
  expect(await behindProbe).toBe(false);
});
