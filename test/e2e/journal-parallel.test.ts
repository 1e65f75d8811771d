import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { users, writeList } from './journal-files.ts';
import { startOrgadm } from './journal-process.ts';
import { errorOf } from './journal-report.ts';
import { holdRequest, type PeopleService, startPeopleService } from './journal-service.ts';

const folder = temporaryCliDirectory();

function words(list: string, service: PeopleService, more: readonly string[] = []): string[] {
  return ['people', 'bulk-add', list, '--base-url', service.url, '--json', ...more];
}

/** Another list than that of `writeList`. */
function writeOthers(userIds: readonly string[]): string {
  const path = folder.file('others.csv');
  writeFileSync(path, `userId,role\n${userIds.map((id) => `${id},member\n`).join('')}`);
  return path;
}

describe('two concurrent imports into one service with one key', () => {
  it('are prevented: the second exits 2 and names the first, also with another journal directory', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeOthers(users(9));
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const first = startOrgadm(folder.path, words(list, service));
    await arrival;
    const second = await startOrgadm(folder.path, words(others, service, ['--journal', folder.file('journals')])).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(second)).toEqual({
      code: 'in-use',
      message: `process ${first.pid} is importing ${list} into ${service.url} with the same key`,
      hint: 'Nothing was sent. Wait until it ends, or stop it. With --allow-parallel both run at the same time: people on both lists may then be added twice.',
    });
    expect(service.requests).toBe(1);
    release();
    expect((await first.ended).code).toBe(0);
  });

  it('are both completed with --allow-parallel', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeOthers(['usr_101', 'usr_102']);
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const first = startOrgadm(folder.path, words(list, service));
    await arrival;
    const second = await startOrgadm(folder.path, words(others, service, ['--allow-parallel'])).ended;
    expect({ code: second.code, added: [...service.addedBy.keys()] }).toEqual({
      code: 0,
      added: ['usr_101', 'usr_102'],
    });
    release();
    expect((await first.ended).code).toBe(0);
  });

  it('are one in the sandbox, too', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeOthers(users(9));
    const sandbox = ['--sandbox', '--fault', 'latency=60s', '--debug'];
    const first = startOrgadm(folder.path, ['people', 'bulk-add', list, ...sandbox]);
    await first.untilPrinted('> POST');
    const second = await startOrgadm(folder.path, ['people', 'bulk-add', others, '--sandbox', '--json']).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(second).message).toBe(`process ${first.pid} is importing ${list} into the sandbox`);
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    // Its lock does not prevent this.
    const third = await startOrgadm(folder.path, ['people', 'bulk-add', others, '--sandbox', '--json']).ended;
    expect(third.code).toBe(2);
    expect(errorOf(third).code).toBe('unfinished-run');
  });
});
