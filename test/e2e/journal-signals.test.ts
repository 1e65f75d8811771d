import { describe, expect, it } from 'vitest';
import { API_KEY, type Running, startOrgadm, startShell, withDefaults } from '../helpers/orgadm-process.ts';
import { holdRequest, type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { expectSameStatesAnew } from './journal-anew.ts';
import { users, writeList } from './journal-files.ts';

const folder = temporaryFolder();

function args(home: string, service: PeopleService, more: readonly string[] = []): string[] {
  const list = writeList(home, users(12));
  const sending = withDefaults({ '--batch-size': '3', '--concurrency': '1' }, more);
  return ['people', 'bulk-add', list, '--base-url', service.url, '--json', ...sending];
}

/** A run of four batches whose second request is at the service, which holds the response until `release` is called. */
async function runInTheMidst(home: string): Promise<{ service: PeopleService; running: Running; release: () => void }> {
  const { step, arrival, release } = holdRequest(2);
  const service = await startPeopleService(step);
  const running = startOrgadm(home, args(home, service));
  await arrival;
  return { service, running, release };
}

describe('a signal during a run', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    '%s finishes requests in flight, reports, and prints the command that continues',
    async (signal, exitCode) => {
      const home = folder.file("it's the list");
      const { service, running, release } = await runInTheMidst(home);
      running.child.kill(signal);
      await running.untilPrinted(' 1 request');
      release();
      const ended = await running.ended;
      expect(ended).toMatchObject({ code: exitCode, signal: null });
      expect(reportOf(ended).summary).toEqual(
        counts({
          total: 12,
          created: 6,
          unsent: 6,
          stopped: expect.objectContaining({ code: 'interrupted' }),
        }),
      );
      expect(service.requests).toBe(2);

      const [command] = /\borgadm runs resume [0-9a-f]{8}\b/.exec(ended.stderr) ?? [];
      const next = await startShell(home, command ?? 'exit 99').ended;
      expect({ code: next.code, stdout: next.stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^✓ 12 /),
      });
      expect([...service.sends.values()]).toEqual(Array(12).fill(1));
    },
  );

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'ends the run at once if %s comes twice, with the command that continues and completes it',
    async (signal, code) => {
      const home = folder.file(signal);
      const { service, running, release } = await runInTheMidst(home);
      running.child.kill(signal);
      await running.untilPrinted(' 1 request');
      running.child.kill(signal);
      const ended = await running.ended;
      expect(ended).toMatchObject({ code, signal: null, stdout: '' });
      expect(ended.stderr).toMatch(/\borgadm runs resume [0-9a-f]{8}\n$/);
      expect(service.requests).toBe(2);

      release();
      const orgadm = (words: readonly string[]) =>
        runCli(home, words, {
          env: { ORGADM_API_KEY: API_KEY },
          // The clock passes the time until the request in flight is over.
          clock: createAutoClock(Date.now()),
        });
      const result = await orgadm(args(home, service));
      expect(result.code).toBe(0);
      expect(reportOf(result).summary).toEqual(counts({ total: 12, created: 9, recovered: 3 }));
      expect(service.members.size).toBe(12);
      expect(users(12).filter((id) => service.sends.get(id) === 2)).toEqual(['usr_004', 'usr_005', 'usr_006']);
      await expectSameStatesAnew(result, { orgadm, command: args(home, service), requests: () => service.requests });
    },
  );

  it.each([
    ['usr_012', 0, { created: 12 }],
    ['bad_012', 3, { created: 11, failed: 1 }],
  ])(
    'does not affect a run during its last request, for %s, which ends with exit code %i',
    async (last, code, ended) => {
      const home = folder.path;
      const { step, arrival, release } = holdRequest(4);
      const service = await startPeopleService(step);
      const list = writeList(home, [...users(11), last]);
      const more = ['--base-url', service.url, '--batch-size', '3', '--concurrency', '1', '--json'];
      const running = startOrgadm(home, ['people', 'bulk-add', list, ...more]);
      await arrival;
      running.child.kill('SIGINT');
      await running.untilPrinted(' 1 request');
      release();
      const result = await running.ended;
      expect(result).toMatchObject({
        code,
        signal: null,
        stderr: expect.not.stringContaining('runs resume'),
      });
      expect(reportOf(result).summary).toMatchObject(counts({ total: 12, ...ended }));
    },
  );

  it('ends the wait before rows of unknown outcome are sent again', async () => {
    const home = folder.path;
    const service = await startPeopleService(({ response }) => {
      response.destroy();
      return 'ignore';
    });
    const running = startOrgadm(home, args(home, service, ['--batch-size', '12', '--debug']));
    await running.untilPrinted('POST');
    running.child.kill('SIGINT');
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(reportOf(ended).summary).toEqual(
      counts({ total: 12, unknown: 12, stopped: expect.objectContaining({ code: 'interrupted' }) }),
    );
    expect(ended.stderr).toMatch(/\borgadm runs resume [0-9a-f]{8}\b/);
  });
});
