import { describe, expect, it } from 'vitest';
import { users, writeList } from '../helpers/journal-files.ts';
import { NEW_PID_NAMESPACE } from '../helpers/needed-programs.ts';
import { bulkAddArgs, startOrgadm } from '../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../helpers/people-service.ts';
import { errorOf, reportOf } from '../helpers/report.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const folder = temporaryFolder();
const startInContainer = (args: readonly string[]) => startOrgadm(folder.path, args, undefined, NEW_PID_NAMESPACE);

describe('two processes with one list, each in its own PID namespace', () => {
  it('exit with 2 and send nothing from the second, although it has the process id of the first', async () => {
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const args = bulkAddArgs(writeList(folder.path, users(12)), service);
    const first = startInContainer(args);
    await arrival;
    const second = await startInContainer(args).ended;
    expect({ code: second.code, stdout: second.stdout, requests: service.requests }).toEqual({
      code: 2,
      stdout: '',
      requests: 1,
    });
    expect(errorOf(second)).toMatchObject({ code: 'in-use', message: expect.stringMatching(/^process 1 /) });
    release();
    expect((await first.ended).code).toBe(0);
    expect([...service.sends.values()]).toEqual(Array(12).fill(1));
  });

  it('let the second continue after the first was killed', async () => {
    const { step, arrival } = holdRequest(2);
    const service = await startPeopleService(step);
    const args = bulkAddArgs(writeList(folder.path, users(12)), service, ['--timeout', '1s']);
    const first = startInContainer(args);
    await arrival;
    first.child.kill('SIGKILL');
    await first.ended;
    service.step = () => 'respond';
    const second = await startInContainer(args).ended;
    expect({ code: second.code, ...reportOf(second).summary }).toMatchObject({ code: 0, unknown: 0, unsent: 0 });
    expect(service.members.size).toBe(12);
  });
});
