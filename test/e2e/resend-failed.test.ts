import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY, bulkAddArgs, startOrgadm, withDefaults } from '../helpers/orgadm-process.ts';
import { type PeopleService, type Step, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { expectSameStatesAnew } from './journal-anew.ts';
import { lastPoint } from './journal-points.ts';

const LATE = ['usr_002', 'usr_004', 'usr_005', 'usr_007', 'usr_008', 'usr_009'];
const ALL = Array.from({ length: 9 }, (_, at) => `usr_00${at + 1}`);

const folder = temporaryFolder();

function args(home: string, service: PeopleService, more: readonly string[]): string[] {
  return bulkAddArgs(`${home}.csv`, service, withDefaults({ '--batch-size': '2' }, more));
}

function run(home: string, service: PeopleService, ...more: string[]): Promise<CliResult> {
  // The clock passes the time until requests of unknown outcome are over.
  const clock = createAutoClock(Date.now());
  return runCli(home, args(home, service, more), { env: { ORGADM_API_KEY: API_KEY }, clock });
}

/** A finished run of nine rows; the service does not know six of them until `provision` is called. */
async function finishedRun(home: string): Promise<{ service: PeopleService; provision: () => void }> {
  writeFileSync(`${home}.csv`, `userId,role\n${ALL.map((id) => `${id},member\n`).join('')}`);
  let isProvisioned = false;
  const rejects = (userId: string) =>
    !isProvisioned && LATE.includes(userId) ? `User ${userId} not found` : undefined;
  const service = await startPeopleService(undefined, { rejects });
  const first = await run(home, service);
  expect({ code: first.code, ...reportOf(first).summary }).toEqual({
    code: 3,
    ...counts({ total: 9, created: 3, failed: 6 }),
  });
  return {
    service,
    provision: () => {
      isProvisioned = true;
    },
  };
}

describe('a finished run with failed rows', () => {
  it('sends them again with the same command, and keeps all others', async () => {
    const home = folder.file('run');
    const { service, provision } = await finishedRun(home);
    provision();
    const result = await run(home, service);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 9, created: 9 }),
    });
    expect(result.stderr).toMatch(/\b6 failed rows of run [0-9a-f]{8}\b/);
    expect(ALL.map((id) => service.sends.get(id))).toEqual(ALL.map((id) => (LATE.includes(id) ? 2 : 1)));
    await expectSameStatesAnew(result, {
      orgadm: (words) => runCli(home, words, { env: { ORGADM_API_KEY: API_KEY } }),
      command: args(home, service, []),
      requests: () => service.requests,
    });
  });

  it('exits 3 while rows are still rejected, each time after one more attempt', async () => {
    const home = folder.file('run');
    const { service } = await finishedRun(home);
    for (const sends of [2, 3]) {
      const result = await run(home, service);
      expect({ code: result.code, ...reportOf(result).summary }).toEqual({
        code: 3,
        ...counts({ total: 9, created: 3, failed: 6 }),
      });
      expect(LATE.map((id) => service.sends.get(id))).toEqual(LATE.map(() => sends));
    }
  });

  it('sends as many of them as --limit allows, and says so', async () => {
    const home = folder.file('run');
    const { service } = await finishedRun(home);
    const result = await run(home, service, '--limit', '2');
    expect(result.stderr).toMatch(/\b2 of 6 failed rows of run [0-9a-f]{8}\b/);
    expect(LATE.map((id) => service.sends.get(id))).toEqual([2, 2, 1, 1, 1, 1]);
  });

  it('is reported by runs show and runs resume, which send nothing', async () => {
    const home = folder.file('run');
    const { service, provision } = await finishedRun(home);
    provision();
    const { requests } = service;
    const listed = await runCli(home, ['runs', 'list', '--json']);
    const [{ id }] = listed.json() as [{ id: string }];
    for (const verb of ['show', 'resume']) {
      const again = await runCli(home, ['runs', verb, id, '--json'], { env: { ORGADM_API_KEY: API_KEY } });
      expect(reportOf(again).summary).toEqual(counts({ total: 9, created: 3, failed: 6 }));
    }
    expect(service.requests).toBe(requests);
  });

  it('is first completed if it is unfinished: its failed rows wait for the command after that', async () => {
    const home = folder.file('run');
    writeFileSync(`${home}.csv`, 'userId,role\nusr_1,member\nbad_2,member\nusr_3,member\nusr_4,member\n');
    const service = await startPeopleService(({ number }) =>
      number === 2 ? { status: 403, body: { message: 'Forbidden', statusCode: 403 } } : 'respond',
    );
    expect(reportOf(await run(home, service)).summary).toMatchObject({ created: 1, failed: 1, unsent: 2 });
    expect(reportOf(await run(home, service)).summary).toMatchObject({ created: 3, failed: 1, unsent: 0 });
    expect(service.sends.get('bad_2')).toBe(1);
    await run(home, service);
    expect(service.sends.get('bad_2')).toBe(2);
  });
});

describe('a finished run of which every row failed', () => {
  it.each<[string, Step, number]>([
    ['the service rejects the key', { status: 401, body: { message: 'Invalid API key', statusCode: 401 } }, 4],
    ['the service limits requests', { status: 429, body: { message: 'slow down', statusCode: 429 } }, 6],
  ])('keeps its states if %s when its rows are sent again', async (_, step, code) => {
    const home = folder.file('run');
    writeFileSync(`${home}.csv`, 'userId,role\nusr_1,member\n');
    const error = { index: 0, userId: 'usr_1', error: 'conflict 17' };
    const service = await startPeopleService(({ number }) =>
      number === 1
        ? { status: 500, body: { message: 'Internal server error', statusCode: 500 } }
        : { status: 201, body: { created: [], errors: [error] } },
    );
    expect(reportOf(await run(home, service)).summary).toEqual(counts({ total: 1, failed: 1 }));
    service.step = () => step;
    const again = await run(home, service);
    expect({ code: again.code, failed: reportOf(again).summary.failed }).toEqual({ code, failed: 1 });
    const listed = (await runCli(home, ['runs', 'list', '--json'])).json();
    expect(listed).toMatchObject([{ state: 'finished', summary: { failed: 1 } }]);
    // The first request may have added the person.
    service.step = () => 'respond';
    service.members.set('usr_1', 1);
    expect(reportOf(await run(home, service)).summary).toEqual(counts({ total: 1, recovered: 1 }));
  });
});

describe.sequential('kill -9 while failed rows are sent again', () => {
  /** Kills the command at a point, and runs it again. Returns whether it has reached that point. */
  async function completesAfter(breakAt: string): Promise<boolean> {
    const home = folder.file(breakAt.replaceAll(':', '-'));
    const { service, provision } = await finishedRun(home);
    provision();
    const killed = await startOrgadm(home, args(home, service, []), breakAt).ended;
    if (killed.code === 0) return false;
    expect({ breakAt, signal: killed.signal }).toEqual({ breakAt, signal: 'SIGKILL' });
    // If rows were in flight, the first command completes the run, and the second one sends the other failed rows.
    const first = await run(home, service);
    const result = first.code === 0 ? first : await run(home, service);
    const { created, recovered, ...others } = reportOf(result).summary;
    expect({ breakAt, code: result.code, members: created + recovered, ...others }).toMatchObject({
      ...{ breakAt, code: 0, members: 9, failed: 0, unknown: 0, unsent: 0, existing: 0 },
    });
    expect([...service.members.keys()].sort()).toEqual(ALL);
    const sends = (id: string) => service.sends.get(id) ?? 0;
    // Once before, once by the process that was killed, and once more only where its outcome was not recorded.
    expect(Math.max(...LATE.map(sends)), breakAt).toBeLessThanOrEqual(3);
    expect(LATE.filter((id) => sends(id) === 3).length, breakAt).toBeLessThanOrEqual(2);
    expect(
      ALL.filter((id) => !LATE.includes(id) && sends(id) !== 1),
      breakAt,
    ).toEqual([]);
    return true;
  }

  it('is completed by the same command, and adds no one twice, half way through every write', async () => {
    const last = await lastPoint((point) => completesAfter(`write:half:${point}`));
    // At least one for each of its three requests.
    expect(last).toBeGreaterThan(3);
  }, 120_000);
});

describe('a finished list', () => {
  it('is imported again only with --restart, as another run', async () => {
    const home = folder.file('run');
    writeFileSync(`${home}.csv`, 'userId,role\nusr_1,member\nusr_2,member\n');
    const service = await startPeopleService();
    const at = (ms: number) => ({ env: { ORGADM_API_KEY: API_KEY }, clock: createAutoClock(ms) });
    await runCli(home, args(home, service, []), at(Date.UTC(2026, 10, 20, 23)));
    const again = await runCli(home, args(home, service, []), at(Date.UTC(2026, 10, 22)));
    expect(again.stderr).toMatch(/run\.csv .* 2026-11-20 23:00 UTC \(run [0-9a-f]{8}\)\. .* --restart\.\n$/);
    expect(reportOf(again).summary).toEqual(counts({ total: 2, created: 2 }));
    expect(service.requests).toBe(1);
    const restarted = await runCli(home, args(home, service, ['--restart']), at(Date.UTC(2026, 10, 23)));
    expect(reportOf(restarted).summary).toEqual(counts({ total: 2, existing: 2 }));
    const runs = (await runCli(home, ['runs', 'list', '--json'])).json() as { summary: object }[];
    expect(runs).toMatchObject([{ summary: { existing: 2 } }, { summary: { created: 2 } }]);
  });
});

describe('--all-rows', () => {
  const LIST = 'userId,role\nusr_1,member\nbad_2,member\nusr_3,member\n';

  it('includes created rows with their member ids, also those that a killed process created', async () => {
    const home = folder.file('run');
    writeFileSync(`${home}.csv`, LIST);
    const service = await startPeopleService();
    const killed = startOrgadm(home, args(home, service, ['--all-rows']));
    service.step = ({ userIds }) => {
      if (!userIds.includes('usr_3')) return 'respond';
      killed.child.kill('SIGKILL');
      return 'apply';
    };
    expect((await killed.ended).signal).toBe('SIGKILL');
    service.step = () => 'respond';
    const { rows } = reportOf(await run(home, service, '--all-rows'));
    expect(rows).toEqual([
      { line: 2, entry: 1, userId: 'usr_1', state: 'created', error: null, memberId: 'mem_usr_1' },
      { line: 3, entry: 2, userId: 'bad_2', state: 'failed', error: 'User bad_2 not found', memberId: null },
      expect.objectContaining({ line: 4, entry: 3, userId: 'usr_3', memberId: null, state: 'recovered' }),
    ]);
    expect(readFileSync(`${home}.csv`, 'utf8')).toBe(LIST);
  });
});
