import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs, runOrgadm, startOrgadm } from '../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../helpers/people-service.ts';
import { errorOf, reportOf } from '../helpers/report.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const folder = temporaryFolder();

describe('two imports into one service at the same time', () => {
  it('are prevented: the second exits 2 and names the first, with any list, option, and name of the machine', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeList(folder.file('others'), users(9));
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const localhost = { url: service.url.replace('127.0.0.1', 'localhost') };
    const anyAddress = { url: service.url.replace('127.0.0.1', '0.0.0.0') };
    const first = startOrgadm(folder.path, bulkAddArgs(list, service));
    await arrival;
    // A process that is suspended still holds its lock.
    first.child.kill('SIGSTOP');
    for (const argv of [
      bulkAddArgs(list, service),
      bulkAddArgs(list, service, ['--restart']),
      bulkAddArgs(others, service),
      bulkAddArgs(others, localhost),
      bulkAddArgs(others, anyAddress, ['--allow-http']),
    ]) {
      // In this process, which is another one than that of the first.
      const second = await runCli(folder.path, argv, { env: { ORGADM_API_KEY: API_KEY } });
      expect(second).toMatchObject({ code: 2, stdout: '' });
      expect(errorOf(second)).toMatchObject({
        code: 'in-use',
        message: expect.stringMatching(new RegExp(`\\b${first.pid}\\b.*${list}`)),
      });
    }
    expect(service.requests).toBe(1);
    first.child.kill('SIGCONT');
    release();
    expect((await first.ended).code).toBe(0);
    expect([...service.sends.values()]).toEqual(Array(6).fill(1));
  });

  it('are prevented in the sandbox, too, and a killed process prevents nothing', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeList(folder.file('others'), users(9).slice(6));
    const fault = ['--sandbox', '--fault', 'latency=30s', '--debug'];
    const first = startOrgadm(folder.path, ['people', 'bulk-add', list, ...fault]);
    await first.untilPrinted('> x-api-key');
    const command = ['people', 'bulk-add', others, '--sandbox', '--json'];
    const second = await runOrgadm(folder.path, command);
    expect({ code: second.code, error: errorOf(second).code }).toEqual({ code: 2, error: 'in-use' });
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    const third = await runOrgadm(folder.path, command);
    expect(reportOf(third).summary).toMatchObject({ total: 3, unknown: 0, unsent: 0 });
  });
});
