import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { journalOf, users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs, startOrgadm } from '../helpers/orgadm-process.ts';
import { startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

/** Nine people in three requests: the first one is sent alone, the others at the same time. */
const PEOPLE = users(9);
const IN_FLIGHT = 6;
/** Points of a run that a test tries at the same time. */
const AT_ONCE = 2;

const folder = temporaryFolder();

/** Runs a command in this process, on a clock that passes the time until the requests in flight are over. */
function orgadm(home: string, args: readonly string[]): Promise<CliResult> {
  return runCli(home, args, { env: { ORGADM_API_KEY: API_KEY }, clock: createAutoClock(Date.now()) });
}

/** Returns the users that complete lines of the journal record as created. */
function recordedAsCreated(home: string): string[] {
  const journal = journalOf(home);
  const lines = journal === undefined ? [] : readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  return lines.flatMap((line) => {
    const [, first, last] = /"created":"(\d+)-(\d+)"/.exec(line) ?? [];
    return first === undefined ? [] : PEOPLE.slice(Number(first) - 1, Number(last));
  });
}

/** Expects that later commands find the states of a finished run in its journal. */
async function expectSameAnew(home: string, command: readonly string[], report: CliResult): Promise<void> {
  const { summary, rows } = reportOf(report);
  const { stopped: _, ...counted } = summary;
  const { id } = (report.json() as { run: { id: string } }).run;
  const [listed] = (await orgadm(home, ['runs', 'list', '--json'])).json() as [object];
  expect(listed).toMatchObject({ id, state: 'finished', summary: counted });
  for (const args of [['runs', 'show', id, '--json'], ['runs', 'resume', id, '--json'], command])
    expect(reportOf(await orgadm(home, args))).toMatchObject({ summary, rows });
}

/**
 * Kills an import at a point, and completes it with the same command. Expects that nobody is lost, added twice, or sent again
 * although the outcome was recorded.
 *
 * @param breakAt as `breakFiles` accepts it
 * @param isAgain whether the import sends the failed rows of a finished run again
 * @returns whether the import has reached that point
 */
async function isCompleted(breakAt: string, isAgain: boolean): Promise<boolean> {
  let rejected = isAgain ? PEOPLE.slice(3) : [];
  const rejects = (userId: string) => (rejected.includes(userId) ? 'not found' : undefined);
  const service = await startPeopleService(undefined, { rejects });
  const home = folder.file(breakAt.replaceAll(':', '-'));
  const list = writeList(home, PEOPLE);
  if (isAgain) expect(reportOf(await orgadm(home, bulkAddArgs(list, service))).summary).toMatchObject({ failed: 6 });
  rejected = [];

  const killed = await startOrgadm(home, bulkAddArgs(list, service, ['--concurrency', '4']), breakAt).ended;
  if (killed.code === 0) return false;
  expect({ breakAt, signal: killed.signal }).toEqual({ breakAt, signal: 'SIGKILL' });
  const recorded = recordedAsCreated(home);
  const sentBefore = new Map(service.sends);
  const timesAfter = (userId: string) => (service.sends.get(userId) ?? 0) - (sentBefore.get(userId) ?? 0);

  // In other batches than those of the first process.
  const command = bulkAddArgs(list, service, ['--batch-size', '7', '--concurrency', '4']);
  const first = await orgadm(home, command);
  // If some of the failed rows were in flight, the first command completes the run, and the next one sends the other ones.
  const result = isAgain && first.code === 3 ? await orgadm(home, command) : first;
  const { summary, rows } = reportOf(result);
  const { created, recovered } = summary;
  expect({ breakAt, code: result.code, ...summary }, result.stderr).toEqual({
    ...{ breakAt, code: 0 },
    ...counts({ total: 9, created, recovered }),
  });
  expect([...service.members].sort()).toEqual(PEOPLE.map((userId) => [userId, 1]));
  expect({ breakAt, sentAgain: recorded.filter((userId) => timesAfter(userId) > 0) }).toEqual({
    breakAt,
    sentAgain: [],
  });
  expect(Math.max(0, ...PEOPLE.map(timesAfter)), breakAt).toBeLessThanOrEqual(1);
  const twice = PEOPLE.filter((userId) => sentBefore.has(userId) && timesAfter(userId) > 0);
  if (!isAgain) expect(twice.length, breakAt).toBeLessThanOrEqual(IN_FLIGHT);
  // Added by the process that was killed, without a record: the report says so, and lists no row as existing.
  const added = twice.filter((userId) => service.addedBy.get(userId) === sentBefore.get(userId));
  expect({ breakAt, rows }).toMatchObject({
    breakAt,
    rows: added.map((userId) => ({ userId, state: 'recovered' })),
  });
  expect({ breakAt, recovered }).toEqual({ breakAt, recovered: added.length });

  const { requests } = service;
  await expectSameAnew(home, command, result);
  expect(service.requests).toBe(requests);
  return true;
}

it.each([
  ['half way through any write', 'write:half', false, 5],
  ['after any sync', 'sync:after', false, 5],
  ['half way through any write while failed rows are sent again', 'write:half', true, 4],
])(
  'loses nobody and adds nobody twice after kill -9 %s: the same command completes the run',
  async (_, kind, isAgain, least) => {
    let last = 0;
    for (let isReached = [true]; !isReached.includes(false); ) {
      const points = Array.from({ length: AT_ONCE }, (_point, at) => last + at + 1);
      isReached = await Promise.all(points.map((point) => isCompleted(`${kind}:${point}`, isAgain)));
      last += isReached.filter(Boolean).length;
    }
    expect(last).toBeGreaterThanOrEqual(least);
  },
  180_000,
);
