import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/util/host.ts';

it('sleeps longer than a timer of Node.js can, until the signal ends the sleep', async () => {
  const stop = new AbortController();
  // A timer that is too long ends after a millisecond, and what is left of this sleep takes another one.
  const sleep = systemClock.sleep(2 ** 31, stop.signal).then(() => 'over');
  expect(await Promise.race([sleep, delay(50, 'asleep')])).toBe('asleep');
  stop.abort();
  expect(await sleep).toBe('over');
});
