import { describe, expect, it } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import type { TestClock } from '../../helpers/test-clock.ts';
import { MINUTE_MS, timedMachine } from './timed-imports.ts';

/*
 * A later command measures how long ago a request ended by the wall clock, by the uptime, and by the clock that stands still while
 * the machine sleeps. The shortest time counts.
 */

const HOUR_MS = 60 * MINUTE_MS;
const machine = timedMachine();

/** What the three clocks say in addition to the time that has really passed; undefined if the system has no third one. */
interface Clocks {
  readonly wall: number;
  readonly uptime: number;
  readonly awake: number | undefined;
}

function withClocks(clock: TestClock, { wall, uptime, awake }: Clocks): TestClock {
  return {
    ...clock,
    now: () => clock.now() + wall,
    uptime: () => clock.uptime() + uptime,
    awake: () => (awake === undefined ? undefined : (clock.awake() ?? 0) + awake),
  };
}

describe('a later command', () => {
  it.each<[string, Clocks, waitMs: number]>([
    ['if nothing happens to the clocks', { wall: 0, uptime: 0, awake: 0 }, MINUTE_MS],
    ['although the clock was set forward by an hour', { wall: HOUR_MS, uptime: 0, awake: 0 }, MINUTE_MS],
    ['from the start if the clock was set back by an hour', { wall: -HOUR_MS, uptime: 0, awake: 0 }, 4 * MINUTE_MS],
    ['although the machine has slept for an hour', { wall: HOUR_MS, uptime: HOUR_MS, awake: 0 }, MINUTE_MS],
    [
      'from the start of the machine, which was restarted two minutes ago',
      { wall: HOUR_MS, uptime: -HOUR_MS - MINUTE_MS, awake: -HOUR_MS - MINUTE_MS },
      2 * MINUTE_MS,
    ],
    ['without the third clock, until the other two agree', { wall: HOUR_MS, uptime: 0, awake: undefined }, MINUTE_MS],
  ])('waits for the rest of the lifetime %s', async (_, clocks, waitMs) => {
    await machine.clock.advance(HOUR_MS);
    const list = writeList(machine.home, users(3));
    const service = await startPeopleService(({ number, response }) => {
      if (number > 1) return { status: 403, body: { statusCode: 403, message: 'Forbidden' } };
      response.destroy();
      return 'apply';
    });
    // It ends with its first probe, two minutes later.
    const stopped = await machine.importList(list, service, '2m', { more: ['--retries', '0'] });
    expect(reportOf(stopped).summary).toMatchObject({ unknown: 3 });
    await machine.clock.advance(MINUTE_MS);
    // Three of four minutes have passed.
    service.step = () => 'respond';
    const { waits, ...ended } = await machine.importList(list, service, '4m', {
      clock: withClocks(machine.clock, clocks),
    });
    expect(waits[0]).toBe(waitMs);
    expect(reportOf(ended).summary).toMatchObject({ recovered: 3 });
  });
});
