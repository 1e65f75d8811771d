import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { journalOf } from '../../e2e/journal-files.ts';
import { reportOf } from '../../helpers/report.ts';
import type { TestClock } from '../../helpers/test-clock.ts';
import { MINUTE_MS, timedMachine } from './timed-imports.ts';

/*
 * Rows of unknown outcome are sent again once the service must have forgotten the request: after the longest lifetime that
 * the user has named.
 */

const machine = timedMachine();

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

  it('calls a row recovered that is a member in the end, although it was rejected in between', async () => {
    const { list, service } = await machine.unfinished('1s');
    const rejection = { status: 400, body: { statusCode: 400, message: 'not allowed' } };
    service.step = ({ userIds }) => (userIds.includes('usr_001') ? rejection : 'respond');
    const first = reportOf(await machine.importList(list, service, '1s'));
    expect(first.summary).toMatchObject({ created: 3, recovered: 2, failed: 1, unknown: 0 });
    service.step = () => 'respond';
    const { summary } = reportOf(await machine.importList(list, service, '1s'));
    expect(summary).toMatchObject({ created: 3, recovered: 3, existing: 0 });
  });

  it('says of a row that fails in the end that an earlier request may have added this person', async () => {
    const { list, service } = await machine.unfinished('1s');
    service.step = ({ userIds }) =>
      userIds.includes('usr_001') ? { status: 400, body: { statusCode: 400, message: 'not allowed' } } : 'respond';
    const { rows } = reportOf(await machine.importList(list, service, '1s'));
    expect(rows[0]).toMatchObject({
      userId: 'usr_001',
      state: 'failed',
      error: 'not allowed (an earlier request may have added this person)',
    });
  });
});
