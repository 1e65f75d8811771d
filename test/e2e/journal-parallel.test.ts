import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY, startOrgadm } from '../helpers/orgadm-process.ts';
import { holdRequest, type PeopleService, startPeopleService } from '../helpers/people-service.ts';
import { errorOf } from '../helpers/report.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { users, writeList } from './journal-files.ts';

const folder = temporaryFolder();

function words(list: string, service: PeopleService, more: readonly string[] = []): string[] {
  return ['people', 'bulk-add', list, '--base-url', service.url, '--json', ...more];
}

/** Another list than that of `writeList`. */
function writeOthers(userIds: readonly string[]): string {
  const path = folder.file('others.csv');
  writeFileSync(path, `userId,role\n${userIds.map((id) => `${id},member\n`).join('')}`);
  return path;
}

describe('two imports into one service at the same time', () => {
  it('are prevented: the second exits 2 and names the first, with any list, option, and name of the machine', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeOthers(users(9));
    const { step, arrival, release } = holdRequest(1);
    const service = await startPeopleService(step);
    const localhost = { ...service, url: service.url.replace('127.0.0.1', 'localhost') };
    const first = startOrgadm(folder.path, words(list, service));
    await arrival;
    for (const argv of [
      words(list, service),
      words(list, service, ['--restart']),
      words(others, service),
      words(others, localhost),
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
    release();
    expect((await first.ended).code).toBe(0);
    expect([...service.sends.values()]).toEqual(Array(6).fill(1));
  });

  it('are prevented in the sandbox, too, and a killed process prevents nothing', async () => {
    const list = writeList(folder.path, users(6));
    const others = writeOthers(users(9));
    const sandbox = ['--sandbox', '--timeout', '4s', '--fault', 'latency=3s', '--debug'];
    const first = startOrgadm(folder.path, ['people', 'bulk-add', list, ...sandbox]);
    await first.untilPrinted('> x-api-key');
    const more = ['--sandbox', '--json'];
    const second = await startOrgadm(folder.path, ['people', 'bulk-add', others, ...more]).ended;
    expect(second).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(second).message).toMatch(new RegExp(`\\b${first.pid}\\b.*${list}`));
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    const third = await startOrgadm(folder.path, ['people', 'bulk-add', others, ...more]).ended;
    expect(JSON.parse(third.stdout)).toMatchObject({ summary: { total: 9, unknown: 0, unsent: 0 } });
  });
});
