import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journalOf, users, writeList } from '../../helpers/journal-files.ts';
import { FORBIDDEN, startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import type { TestClock } from '../../helpers/test-clock.ts';
import { MINUTE_MS, timedMachine } from './timed-imports.ts';

/*
 * A later command sends rows of unknown outcome again once the service must have forgotten their request: after the longest
 * lifetime that the user has named. It measures how long ago the request ended by the wall clock, by the uptime, and by the clock
 * that stands still while the machine sleeps. The shortest time counts.
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
  it.each([
    ['a longer one', '10m', 10 * MINUTE_MS],
    ['a shorter one', '1s', 2 * MINUTE_MS],
  ])('waits for the longer of both lifetimes: %s than the first', async (_, lifetime, waitMs) => {
    const { list, service } = await machine.unfinished('2m');
    const times = machine.timesOfSends(service);
    const again = await machine.importList(list, service, lifetime);
    expect({ code: again.code, waits: again.waits }).toEqual({ code: 0, waits: [waitMs] });
    // What was never sent need not wait.
    const never = { usr_004: 0, usr_005: 0, usr_006: 0 };
    expect(times).toEqual({ ...never, usr_001: waitMs, usr_002: waitMs, usr_003: waitMs });
  });

  it('waits as long after one that was interrupted while it waited, also if the journal has lost its requests', async () => {
    const { list, service } = await machine.unfinished('10m');
    const journal = journalOf(machine.home) ?? 'none';
    const [head = ''] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${head}\n`);
    const signals = new EventEmitter();
    const interrupting: TestClock = {
      ...machine.clock,
      sleep: (_, signal) => {
        signals.emit('signal', 'SIGINT');
        return machine.clock.sleep(0, signal);
      },
    };
    const interrupted = await machine.importList(list, service, '1s', { clock: interrupting, signals });
    expect({ code: interrupted.code, requests: service.requests }).toEqual({ code: 130, requests: 2 });
    await machine.clock.advance(4 * MINUTE_MS);
    const again = await machine.importList(list, service, '1s');
    expect({ waits: again.waits, ...reportOf(again).summary }).toMatchObject({
      waits: [6 * MINUTE_MS, 10 * MINUTE_MS],
      created: 3,
      recovered: 3,
    });
  });

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
      if (number > 1) return FORBIDDEN;
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

  it('says of a rejected row that an earlier request may have added the person, and calls a member recovered', async () => {
    const { list, service } = await machine.unfinished('1s');
    const rejection = { status: 400, body: { statusCode: 400, message: 'not allowed' } };
    service.step = ({ userIds }) => (userIds.includes('usr_001') ? rejection : 'respond');
    const first = reportOf(await machine.importList(list, service, '1s'));
    expect(first.summary).toMatchObject({ created: 3, recovered: 2, failed: 1, unknown: 0 });
    expect(first.rows[0]).toMatchObject({
      userId: 'usr_001',
      error: 'not allowed (an earlier request may have added this person)',
    });
    service.step = () => 'respond';
    const { summary } = reportOf(await machine.importList(list, service, '1s'));
    expect(summary).toMatchObject({ created: 3, recovered: 3, existing: 0 });
  });
});
