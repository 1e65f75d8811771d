import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { journalOf, users, writeList } from '../../e2e/journal-files.ts';
import { API_KEY, bulkAddArgs } from '../../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import { type CliOptions, runCli, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { createAutoClock, type TestClock } from '../../helpers/test-clock.ts';

/*
 * Rows of unknown outcome are sent again once the service must have forgotten the request: after the longest lifetime that
 * the user has named. Later commands share one clock, on which waits take no time.
 */

const home = temporaryCliDirectory();
const MINUTE_MS = 60_000;

let clock: TestClock;
beforeEach(() => {
  clock = createAutoClock();
});

/** Imports a list, and returns the waits of the command in milliseconds. */
async function importList(list: string, service: PeopleService, lifetime: string, options: CliOptions = {}) {
  const before = clock.sleeps.length;
  const args = bulkAddArgs(list, service, ['--timeout', '30s', '--request-lifetime', lifetime]);
  const ended = await runCli(home.path, args, { env: { ORGADM_API_KEY: API_KEY }, clock, ...options });
  return { ...ended, waits: clock.sleeps.slice(before) };
}

/** A list of six people whose first three were added without a response; then the service rejected the key. */
async function unfinished(lifetime: string) {
  const list = writeList(home.path, users(6));
  const service = await startPeopleService(({ number, response }) => {
    if (number > 1) return { status: 403, body: { statusCode: 403, message: 'Forbidden' } };
    response.destroy();
    return 'apply';
  });
  const first = await importList(list, service, lifetime);
  expect(reportOf(first).summary).toMatchObject({ unknown: 3, unsent: 3 });
  service.step = () => 'respond';
  return { list, service };
}

describe('a later command', () => {
  it.each([
    ['a longer one', '10m', 10 * MINUTE_MS],
    ['a shorter one', '1s', 2 * MINUTE_MS],
  ])('waits for the longer of both lifetimes: %s than the first', async (_, lifetime, waitMs) => {
    const { list, service } = await unfinished('2m');
    const again = await importList(list, service, lifetime);
    expect({ code: again.code, waits: again.waits }).toEqual({ code: 0, waits: [waitMs] });
  });

  it('waits as long with another list, and no longer once that time has passed', async () => {
    const { service } = await unfinished('2m');
    const other = writeList(join(home.path, 'other'), users(7));
    await clock.advance(MINUTE_MS);
    expect((await importList(other, service, '1s')).waits).toEqual([MINUTE_MS]);
    const third = writeList(join(home.path, 'third'), users(8));
    expect((await importList(third, service, '1s')).waits).toEqual([]);
  });

  it('waits as long after one that was interrupted while it waited, also if the journal has lost its requests', async () => {
    const { list, service } = await unfinished('10m');
    const journal = journalOf(home.path) ?? 'none';
    const [head = ''] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${head}\n`);
    const signals = new EventEmitter();
    const interrupting: TestClock = {
      ...clock,
      sleep: (_, signal) => {
        signals.emit('signal', 'SIGINT');
        return clock.sleep(0, signal);
      },
    };
    const interrupted = await importList(list, service, '1s', { clock: interrupting, signals });
    expect({ code: interrupted.code, requests: service.requests }).toEqual({ code: 130, requests: 2 });
    await clock.advance(4 * MINUTE_MS);
    const again = await importList(list, service, '1s');
    expect({ waits: again.waits, ...reportOf(again).summary }).toMatchObject({
      waits: [6 * MINUTE_MS],
      created: 3,
      existing: 3,
    });
  });

  it('says of a row that fails in the end that an earlier request may have added this person', async () => {
    const { list, service } = await unfinished('1s');
    service.step = ({ userIds }) =>
      userIds.includes('usr_001') ? { status: 400, body: { statusCode: 400, message: 'not allowed' } } : 'respond';
    const { rows } = reportOf(await importList(list, service, '1s'));
    expect(rows[0]).toMatchObject({
      userId: 'usr_001',
      state: 'failed',
      error: 'not allowed (an earlier request may have added this person)',
    });
  });
});
