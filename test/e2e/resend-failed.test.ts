import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs } from '../helpers/orgadm-process.ts';
import { FORBIDDEN, INTERNAL_ERROR, type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { type CliResult, runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const LATE = ['usr_002', 'usr_004', 'usr_005', 'usr_007', 'usr_008', 'usr_009'];

const folder = temporaryFolder();

function orgadm(args: readonly string[]): Promise<CliResult> {
  // The clock passes the time until requests of unknown outcome are over.
  return runCli(folder.path, args, { env: { ORGADM_API_KEY: API_KEY }, clock: createAutoClock(Date.now()) });
}

/** Imports a list of these people, two in a request. */
function run(people: readonly string[], service: PeopleService, ...more: string[]): Promise<CliResult> {
  return orgadm(bulkAddArgs(writeList(folder.path, people), service, ['--batch-size', '2', ...more]));
}

/** A finished run of nine people; the service does not know six of them until `provision` is called. */
async function finishedRun(): Promise<{ service: PeopleService; provision: () => void }> {
  let unknown = LATE;
  const rejects = (userId: string) => (unknown.includes(userId) ? `User ${userId} not found` : undefined);
  const service = await startPeopleService(undefined, { rejects });
  const first = await run(users(9), service);
  expect({ code: first.code, ...reportOf(first).summary }).toEqual({
    code: 3,
    ...counts({ total: 9, created: 3, failed: 6 }),
  });
  return {
    service,
    provision: () => {
      unknown = [];
    },
  };
}

describe('the failed rows of a finished run', () => {
  it('are sent again by the same command, and by no other one', async () => {
    const { service, provision } = await finishedRun();
    provision();
    const { requests } = service;
    const [{ id }] = (await orgadm(['runs', 'list', '--json'])).json() as [{ id: string }];
    for (const verb of ['show', 'resume']) {
      const again = await orgadm(['runs', verb, id, '--json']);
      expect(reportOf(again).summary).toEqual(counts({ total: 9, created: 3, failed: 6 }));
    }
    expect(service.requests).toBe(requests);

    const result = await run(users(9), service);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 9, created: 9 }),
    });
    expect(users(9).filter((userId) => service.sends.get(userId) === 2)).toEqual(LATE);
    expect(Math.max(...service.sends.values())).toBe(2);
  });

  it('are sent again, as many as --limit allows', async () => {
    const { service } = await finishedRun();
    const result = await run(users(9), service, '--limit', '2');
    expect({ code: result.code, ...reportOf(result).summary }).toMatchObject({ code: 3, created: 3, failed: 6 });
    expect(LATE.map((userId) => service.sends.get(userId))).toEqual([2, 2, 1, 1, 1, 1]);
  });

  it('are sent again by the command after the one that completes the run', async () => {
    const people = ['usr_1', 'bad_2', 'usr_3', 'usr_4'];
    const service = await startPeopleService(({ number }) => (number === 2 ? FORBIDDEN : 'respond'));
    expect(reportOf(await run(people, service)).summary).toMatchObject({ created: 1, failed: 1, unsent: 2 });
    expect(reportOf(await run(people, service)).summary).toMatchObject({ created: 3, failed: 1, unsent: 0 });
    expect(service.sends.get('bad_2')).toBe(1);
    await run(people, service);
    expect(service.sends.get('bad_2')).toBe(2);
  });

  it('stay failed if the key is rejected, and are recovered if the first request has added the person', async () => {
    const service = await startPeopleService(({ number }) =>
      number === 1
        ? INTERNAL_ERROR
        : { status: 201, body: { created: [], errors: [{ index: 0, userId: 'usr_1', error: 'conflict 17' }] } },
    );
    expect(reportOf(await run(['usr_1'], service)).summary).toEqual(counts({ total: 1, failed: 1 }));
    service.step = () => ({ status: 401, body: { message: 'Invalid API key', statusCode: 401 } });
    const again = await run(['usr_1'], service);
    expect({ code: again.code, failed: reportOf(again).summary.failed }).toEqual({ code: 4, failed: 1 });
    service.step = () => 'respond';
    service.members.set('usr_1', 1);
    expect(reportOf(await run(['usr_1'], service)).summary).toEqual(counts({ total: 1, recovered: 1 }));
  });
});
