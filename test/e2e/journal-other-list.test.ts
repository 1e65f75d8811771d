import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CliResult, runCli, temporaryCliDirectory } from '../helpers/run-cli.ts';
import { users, writeList } from './journal-files.ts';
import { API_KEY, bulkAddArgs, startOrgadm } from './journal-process.ts';
import { counts, errorOf, reportOf } from './journal-report.ts';
import { type PeopleService, startPeopleService } from './journal-service.ts';

const folder = temporaryCliDirectory();

function run(list: string, service: PeopleService, more: readonly string[] = []): Promise<CliResult> {
  return runCli(folder.path, bulkAddArgs(list, service, more), { env: { ORGADM_API_KEY: API_KEY } });
}

/** A run that was killed while the service added its second three rows. */
async function killedInFlight(): Promise<{ list: string; service: PeopleService }> {
  const list = writeList(folder.path, users(9));
  const service = await startPeopleService();
  const first = startOrgadm(folder.path, bulkAddArgs(list, service));
  service.step = ({ number }) => {
    if (number === 2) first.child.kill('SIGKILL');
    return number === 2 ? 'apply' : 'respond';
  };
  expect((await first.ended).signal).toBe('SIGKILL');
  service.step = () => 'respond';
  return { list, service };
}

describe('a list that was edited while its rows were in flight', () => {
  it.each([[[]], [['--resume']], [['--resume', '-q']]])(
    'is rejected under the options %j, with the run, the rows and what to do',
    async (more) => {
      const { list, service } = await killedInFlight();
      writeList(folder.path, users(12));
      const result = await run(list, service, more);
      expect({ code: result.code, stdout: result.stdout, requests: service.requests }).toEqual({
        code: 2,
        stdout: '',
        requests: 2,
      });
      expect(errorOf(result)).toEqual({
        code: 'unfinished-run',
        message: expect.stringMatching(
          /^an unfinished run of .*members\.csv, started [0-9TZ:.-]{24}, has 3 rows of unknown outcome that are also in this list: usr_004, usr_005, usr_006$/,
        ),
        hint: 'Continue that run first: its own list and options with --resume. Or add --restart: these rows then wait for the quiet period before they are sent again.',
      });
    },
  );

  it('is not sent with another option', async () => {
    const { list, service } = await killedInFlight();
    const result = await run(list, service, ['--resume', '--default', 'department=it']);
    expect({ code: result.code, requests: service.requests }).toEqual({ code: 2, requests: 2 });
  });

  it('is sent with --restart, which lets these rows wait for the quiet period', async () => {
    const { list, service } = await killedInFlight();
    writeList(folder.path, users(12));
    let resentAt = 0;
    service.step = ({ userIds }) => {
      if (userIds.includes('usr_004')) resentAt = Date.now();
      return 'respond';
    };
    const startedAt = Date.now();
    const result = await run(list, service, ['--restart', '--quiet-period', '300ms']);
    expect(resentAt - startedAt).toBeGreaterThanOrEqual(300);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 3,
      ...counts({ total: 12, existing: 3, recovered: 3, created: 6 }),
    });
    // The edited run has resolved these rows: a third list need not wait.
    writeList(folder.path, users(13));
    expect((await run(list, service, ['--resume'])).code).toBe(3);
  });

  it('is sent unchanged under another name of the service', async () => {
    const { list, service } = await killedInFlight();
    const localhost = { ...service, url: service.url.replace('127.0.0.1', 'localhost') };
    const result = await run(list, localhost, ['--resume']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 9, created: 6, recovered: 3 }),
    });
  });

  it('does not affect a list of other people', async () => {
    const { service } = await killedInFlight();
    const others = folder.file('others.csv');
    writeFileSync(others, 'userId,role\nusr_101,member\n');
    expect((await run(others, service, ['--resume'])).code).toBe(0);
  });
});
