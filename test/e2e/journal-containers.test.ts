import { describe, expect, it } from 'vitest';
import { NEW_PID_NAMESPACE } from '../helpers/needed-programs.ts';
import { startOrgadm } from '../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../helpers/people-service.ts';
import { errorOf } from '../helpers/report.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { users, writeList } from './journal-files.ts';

const folder = temporaryFolder();

describe('two processes with one list, each in its own PID namespace', () => {
  it('exit with 2 and send nothing from the second, although it has the process id of the first', async () => {
    const list = writeList(folder.path, users(12));
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const message = ['people', 'bulk-add', list, '--base-url', service.url, '--batch-size', '3', '--json'];
    const first = startOrgadm(folder.path, message, undefined, NEW_PID_NAMESPACE);
    await arrival;
    const second = await startOrgadm(folder.path, message, undefined, NEW_PID_NAMESPACE).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(second)).toMatchObject({
      code: 'in-use',
      message: `process 1 is importing into the same service (${list})`,
    });
    expect(service.requests).toBe(1);
    release();
    expect((await first.ended).code).toBe(0);
    expect([...service.sends.values()]).toEqual(Array(12).fill(1));
  });

  it('let the second continue after the first was killed', async () => {
    const list = writeList(folder.path, users(12));
    const { step, arrival } = holdRequest(2);
    const service = await startPeopleService(step);
    const sending = ['--batch-size', '3', '--concurrency', '1', '--timeout', '1s', '--request-lifetime', '1ms'];
    const message = ['people', 'bulk-add', list, '--base-url', service.url, ...sending, '--json'];
    const first = startOrgadm(folder.path, message, undefined, NEW_PID_NAMESPACE);
    await arrival;
    first.child.kill('SIGKILL');
    await first.ended;
    service.step = () => 'respond';
    const second = await startOrgadm(folder.path, message, undefined, NEW_PID_NAMESPACE).ended;
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ summary: { total: 12, unknown: 0, unsent: 0, stopped: null } });
  });
});
