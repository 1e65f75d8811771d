import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs, type Running, startOrgadm, startShell } from '../helpers/orgadm-process.ts';
import { holdRequest, type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const folder = temporaryFolder();

interface RunInTheMidst {
  readonly args: readonly string[];
  readonly service: PeopleService;
  readonly running: Running;
  /** Sends a signal, and resolves when the process has received it. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Lets the service respond. */
  readonly release: () => void;
}

/** A run of four batches, one of which is at the service, which holds the response. */
async function runInTheMidst(people: readonly string[], held: number): Promise<RunInTheMidst> {
  const { step, arrival, release } = holdRequest(held);
  const service = await startPeopleService(step);
  const args = bulkAddArgs(writeList(folder.path, people), service);
  const running = startOrgadm(folder.path, args);
  await arrival;
  const signal = async (name: NodeJS.Signals) => {
    running.child.kill(name);
    await running.untilPrinted(' 1 request');
  };
  return { args, service, running, signal, release };
}

describe('a signal during a run', () => {
  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s finishes requests in flight, reports, and prints the command that continues', async (name, code) => {
    const { service, running, signal, release } = await runInTheMidst(users(12), 2);
    await signal(name);
    release();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code, signal: null });
    const stopped = expect.objectContaining({ code: 'interrupted' });
    expect(reportOf(ended).summary).toEqual(counts({ total: 12, created: 6, unsent: 6, stopped }));
    expect(service.requests).toBe(2);

    const [command] = /\borgadm runs resume [0-9a-f]{8}\b/.exec(ended.stderr) ?? [];
    expect(await startShell(folder.path, command ?? 'exit 99').ended).toMatchObject({ code: 0 });
    expect([...service.sends.values()]).toEqual(Array(12).fill(1));
  });

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('ends the run at once if %s comes twice, with the command that continues it', async (name, code) => {
    const { args, service, running, signal, release } = await runInTheMidst(users(12), 2);
    await signal(name);
    running.child.kill(name);
    const ended = await running.ended;
    expect(ended).toMatchObject({ code, signal: null, stdout: '' });
    expect(ended.stderr).toMatch(/\borgadm runs resume [0-9a-f]{8}\n$/);
    expect(service.requests).toBe(2);

    release();
    // The clock passes the time until the request in flight is over.
    const clock = createAutoClock(Date.now());
    const result = await runCli(folder.path, args, { env: { ORGADM_API_KEY: API_KEY }, clock });
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 9, recovered: 3 }),
    });
  });

  it.each([
    ['usr_012', 0, { created: 12 }],
    ['bad_012', 3, { created: 11, failed: 1 }],
  ])('does not affect a run during its last request: with %s, it exits %i', async (last, code, summary) => {
    const { running, signal, release } = await runInTheMidst([...users(11), last], 4);
    await signal('SIGINT');
    release();
    const ended = await running.ended;
    expect(ended).toMatchObject({ code, stderr: expect.not.stringContaining('runs resume') });
    expect(reportOf(ended).summary).toEqual(counts({ total: 12, ...summary }));
  });
});
