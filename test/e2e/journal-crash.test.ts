import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY, bulkAddArgs, startOrgadm } from '../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { expectSameStatesAnew } from './journal-anew.ts';
import { rowsKeptAsCreated, users, writeList } from './journal-files.ts';
import { AT_ONCE, lastPoint } from './journal-points.ts';

/** The first one is sent alone, and the last one is followed by the end of the run. */
const BATCHES = 3;
const PEOPLE = users(9);
const TIMEOUT_MS = 180_000;

const folder = temporaryFolder();

describe.sequential('kill -9', () => {
  const kinds = [
    ['half way through any write', 'write:half'],
    ['after any sync', 'sync:after'],
    ['before any rename', 'rename:before'],
    ['after any rename', 'rename:after'],
  ] as const;

  it.each(kinds)(
    'loses nothing %s: the same command completes the run, and sends no finished row again',
    async (_, kind) => {
      const last = await lastPoint(async (point) => {
        const breakAt = `${kind}:${point}`;
        const service = await startPeopleService();
        const home = folder.file(breakAt.replaceAll(':', '-'));
        const ended = await start(home, service, breakAt).ended;
        if (ended.code === 0) return false;
        expect({ breakAt, signal: ended.signal }).toEqual({ breakAt, signal: 'SIGKILL' });
        await expectCompletion(breakAt, home, service);
        return true;
      });
      expect(last).toBeGreaterThan(kind.startsWith('rename') ? 1 : BATCHES);
    },
    TIMEOUT_MS,
  );

  it.each(['received', 'applied'])(
    'loses nothing when any request is %s: the same command completes the run',
    async (when) => {
      await each([1, 2, 3], async (last) => {
        const service = await startPeopleService();
        const home = folder.file(`request-${when}-${last}`);
        const running = start(home, service);
        service.step = ({ number }) => {
          if (number !== last) return 'respond';
          running.child.kill('SIGKILL');
          return when === 'applied' ? 'apply' : 'ignore';
        };
        expect((await running.ended).signal).toBe('SIGKILL');
        service.step = () => 'respond';
        await expectCompletion(`request ${last}`, home, service);
      });
    },
    TIMEOUT_MS,
  );

  it(
    'loses nothing if the list is deleted afterwards: runs resume needs neither it nor an ID',
    async () => {
      const service = await startPeopleService();
      const home = folder.file('deleted');
      const running = start(home, service);
      service.step = ({ number }) => {
        if (number === 2) running.child.kill('SIGKILL');
        return number === 2 ? 'apply' : 'respond';
      };
      expect((await running.ended).signal).toBe('SIGKILL');
      rmSync(cliArgs(home, service)[2] ?? '');
      service.step = () => 'respond';
      const ended = await runHere(home, ['runs', 'resume', '--base-url', service.url, '--json']);
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 9, created: 6, recovered: 3 }),
      });
      expect([...service.members.keys()].sort()).toEqual(PEOPLE);
    },
    TIMEOUT_MS,
  );

  it(
    'loses nothing with several requests in flight: the same command completes the run',
    async () => {
      await each([6, 8, 9], async (write) => {
        const service = await startPeopleService();
        const home = folder.file(`several-${write}`);
        const ended = await start(home, service, `write:half:${write}`, ['--concurrency', '4']).ended;
        expect(ended.signal).toBe('SIGKILL');
        await expectCompletion(`write ${write}`, home, service, 9);
      });
    },
    TIMEOUT_MS,
  );
});

describe.sequential('kill -9 of --restart', () => {
  const points = [1, 2, 3, 4].map((n) => `write:half:${n}`);
  const syncs = [1, 2, 3].map((n) => `sync:after:${n}`);

  it(
    'leaves the old run or the new one at any step between the two journals',
    async () => {
      await each([...points, ...syncs, 'rename:before:1', 'rename:after:1'], async (breakAt) => {
        const service = await startPeopleService();
        const home = folder.file(breakAt.replaceAll(':', '-'));
        // The last batch is added without a response, and the service responds no more when it is sent again.
        service.step = ({ number, response }) => {
          if (number >= 3) response.destroy();
          return number === 3 ? 'apply' : number > 3 ? 'ignore' : 'respond';
        };
        const first = await runHere(home, cliArgs(home, service, ['--concurrency', '1']));
        expect(reportOf(first).summary).toMatchObject({ created: 6, unknown: 3 });

        service.step = () => 'respond';
        expect((await start(home, service, breakAt, ['--restart']).ended).signal).toBe('SIGKILL');
        const last = await resume(home, service);
        const { created, recovered, existing, ...others } = reportOf(last).summary;
        expect({ breakAt, ...others }).toMatchObject({ total: 9, failed: 0, invalid: 0, unknown: 0, unsent: 0 });
        // Of the old run, three rows have been confirmed; of the new one, some were in flight.
        if (existing === 0) expect({ breakAt, created, recovered }).toEqual({ breakAt, created: 6, recovered: 3 });
        else expect({ breakAt, created }).toEqual({ breakAt, created: 0 });
        await expectSameAnew(home, service, last);
      });
    },
    TIMEOUT_MS,
  );
});

function cliArgs(home: string, service: PeopleService, more: readonly string[] = []): string[] {
  return bulkAddArgs(writeList(home, PEOPLE), service, more);
}

function start(home: string, service: PeopleService, breakAt?: string, more: readonly string[] = []) {
  return startOrgadm(home, cliArgs(home, service, more), breakAt);
}

/** Continues in this process: with other batches than those of the first one. */
function resume(home: string, service: PeopleService): Promise<CliResult> {
  return runHere(home, cliArgs(home, service, ['--batch-size', '7', '--concurrency', '4']));
}

function runHere(home: string, args: readonly string[]): Promise<CliResult> {
  // The clock passes the time until the requests in flight are over.
  return runCli(home, args, { env: { ORGADM_API_KEY: API_KEY }, clock: createAutoClock(Date.now()) });
}

function expectSameAnew(home: string, service: PeopleService, result: CliResult): Promise<void> {
  const later = {
    orgadm: (args: readonly string[]) => runHere(home, args),
    command: cliArgs(home, service),
    requests: () => service.requests,
  };
  return expectSameStatesAnew(result, later);
}

/** @param inFlight rows that may have been in flight when the first process was killed */
async function expectCompletion(name: string, home: string, service: PeopleService, inFlight = 3): Promise<void> {
  const finished = rowsKeptAsCreated(home);
  const result = await resume(home, service);
  const { summary, rows } = reportOf(result);
  const { created, recovered } = summary;
  expect({ name, code: result.code, ...summary }, result.stderr).toEqual({
    name,
    code: 0,
    ...counts({ total: 9, created, recovered }),
  });
  expect(created + recovered, name).toBe(9);

  const times = (userId: string) => service.sends.get(userId) ?? 0;
  expect([...service.members.keys()].sort(), name).toEqual(PEOPLE);
  expect(
    finished.filter((userId) => times(userId) !== 1),
    `${name}: finished rows that were sent again`,
  ).toEqual([]);
  const twice = PEOPLE.filter((userId) => times(userId) === 2);
  expect(twice.length, name).toBeLessThanOrEqual(inFlight);
  expect(
    PEOPLE.filter((userId) => times(userId) < 1 || times(userId) > 2),
    name,
  ).toEqual([]);
  // Added by the first of two requests: the report says so, and lists no row as existing.
  expect(
    rows.map(({ userId, state }) => ({ userId, state })),
    name,
  ).toEqual(
    twice.filter((userId) => service.addedBy.get(userId) === 1).map((userId) => ({ userId, state: 'recovered' })),
  );
  await expectSameAnew(home, service, result);
}

/** Runs the cases, a few at a time. */
async function each<T>(cases: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...cases];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
