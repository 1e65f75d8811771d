import { describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { rowsKeptAsCreated, users, writeList } from './journal-files.ts';
import { API_KEY, bulkAddArgs, startOrgadm } from './journal-process.ts';
import { type PeopleService, startPeopleService } from './journal-service.ts';

const BATCHES = 8;
const PEOPLE = users(24);
const AT_ONCE = 3;
const TIMEOUT_MS = 180_000;

const folder = temporaryCliDirectory();

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

describe.sequential('kill -9', () => {
  it.each([
    ['half way through any write', 'write:half'],
    ['between any write and its fdatasync', 'sync:before'],
    ['after any fdatasync', 'sync:after'],
  ])(
    'loses nothing %s: --resume completes the run, and sends no finished row again',
    async (_, kind) => {
      const points = await countPoints(async (point) => {
        const breakAt = `${kind}:${point}`;
        const service = await startPeopleService();
        const home = folder.file(breakAt.replaceAll(':', '-'));
        const ended = await start(home, service, breakAt).ended;
        if (ended.code === 0) return false;
        expect({ breakAt, signal: ended.signal }).toEqual({ breakAt, signal: 'SIGKILL' });
        await expectCompletion(breakAt, home, service);
        return true;
      });
      expect(points).toBeGreaterThan(BATCHES);
    },
    TIMEOUT_MS,
  );

  it.each(['received', 'applied'])(
    'loses nothing when any request is %s: --resume completes the run',
    async (when) => {
      await each(numbers(BATCHES), async (last) => {
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
    'loses nothing with several requests in flight: --resume completes the run',
    async () => {
      await each([5, 8, 11, 14, 17], async (write) => {
        const service = await startPeopleService();
        const home = folder.file(`several-${write}`);
        const ended = await start(home, service, `write:half:${write}`, ['--concurrency', '4']).ended;
        expect(ended.signal).toBe('SIGKILL');
        await expectCompletion(`write ${write}`, home, service, 12);
      });
    },
    TIMEOUT_MS,
  );
});

describe.sequential('kill -9 of --restart', () => {
  const points = [1, 2, 3, 4].map((n) => `write:half:${n}`);
  const syncs = [1, 2, 3].flatMap((n) => [`sync:before:${n}`, `sync:after:${n}`]);

  it(
    'leaves rows of unknown outcome unknown at any step between the two journals',
    async () => {
      await each([...points, ...syncs], async (breakAt) => {
        const service = await startPeopleService();
        const home = folder.file(breakAt.replaceAll(':', '-'));
        // The fifth batch is added without a response, and not confirmed.
        service.step = ({ number, response }) => {
          if (number === 5) response.destroy();
          return number === 5 ? 'apply' : 'respond';
        };
        const first = await runCli(home, cliArgs(home, service, ['--concurrency', '1', '--no-confirm']), {
          env: { ORGADM_API_KEY: API_KEY },
        });
        expect(summaryOf(first)).toMatchObject({ created: 21, unknown: 3 });

        expect((await start(home, service, breakAt, ['--restart']).ended).signal).toBe('SIGKILL');
        const last = await resume(home, service);
        expect(last.code, breakAt).toBe(summaryOf(last).existing === 0 ? 0 : 3);
        expect(
          statesOf(last).filter(({ state }) => state === 'recovered'),
          breakAt,
        ).toEqual(expect.arrayContaining(PEOPLE.slice(12, 15).map((userId) => ({ userId, state: 'recovered' }))));
        expect(summaryOf(last), breakAt).toMatchObject({ total: 24, failed: 0, invalid: 0, unknown: 0, unsent: 0 });
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
  const args = cliArgs(home, service, ['--resume', '--batch-size', '7', '--concurrency', '4']);
  return runCli(home, args, { env: { ORGADM_API_KEY: API_KEY } });
}

/** @param inFlight rows that may have been in flight when the first process was killed */
async function expectCompletion(name: string, home: string, service: PeopleService, inFlight = 3): Promise<void> {
  const finished = rowsKeptAsCreated(home);
  const result = await resume(home, service);
  const { created, recovered, ...others } = summaryOf(result);
  expect({ name, code: result.code, ...others }, result.stderr).toEqual({
    name,
    code: 0,
    total: 24,
    existing: 0,
    failed: 0,
    invalid: 0,
    unknown: 0,
    unsent: 0,
    duplicates: 0,
    stopped: null,
  });
  expect(created + recovered, name).toBe(24);

  const times = (userId: string) => service.sends.get(userId) ?? 0;
  expect([...service.addedBy.keys()].sort(), name).toEqual(PEOPLE);
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
  expect(statesOf(result), name).toEqual(
    twice.filter((userId) => service.addedBy.get(userId) === 1).map((userId) => ({ userId, state: 'recovered' })),
  );
}

interface Report {
  summary: Record<
    'total' | 'created' | 'existing' | 'recovered' | 'failed' | 'invalid' | 'unknown' | 'unsent' | 'duplicates',
    number
  > & {
    stopped: { code: string; message: string } | null;
  };
  rows: { userId: string; state: string }[];
}

function summaryOf(result: CliResult): Report['summary'] {
  return (result.json() as Report).summary;
}

function statesOf(result: CliResult): Report['rows'] {
  return (result.json() as Report).rows.map(({ userId, state }) => ({ userId, state }));
}

/**
 * Tests the points of a run from the first to the last, a few at a time.
 *
 * @param reaches tests a point, and returns whether the run has reached it
 * @returns the number of points
 */
async function countPoints(reaches: (point: number) => Promise<boolean>): Promise<number> {
  for (let tested = 0; ; tested += AT_ONCE) {
    const isReached = await Promise.all(numbers(AT_ONCE).map((n) => reaches(tested + n)));
    if (isReached.includes(false)) return tested + isReached.indexOf(false);
  }
}

/** Runs the cases, a few at a time. */
async function each<T>(cases: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = [...cases];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
