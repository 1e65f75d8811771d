import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];

describe('the request of people bulk-add', () => {
  it('has all entries with typed values, and no field for a blank cell', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    const stdin =
      'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\nusr_3,guest,,,\n';
    expect((await run(ADD, { stdin })).code).toBe(0);
    const [request] = service.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/v1/people/bulk',
      headers: { 'x-api-key': API_KEY, accept: 'application/json', 'content-type': 'application/json' },
    });
    expect(request?.body).toBe(
      '{"members":[{"userId":"usr_1","role":"admin","department":"it","isActive":true,"deviceMgmtLabelId":42},' +
        '{"userId":"usr_2","role":"member","department":"hr","isActive":false},{"userId":"usr_3","role":"guest"}]}',
    );
  });

  it('has the device label under the name that the service gives it', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    await run(['config', 'set', 'wire.member.deviceMgmtLabelId', 'labelId']);
    await run(ADD, { stdin: 'userId,role,deviceMgmtLabelId\nusr_1,member,7\n' });
    expect(service.requests.flatMap(membersOf)).toEqual([{ userId: 'usr_1', role: 'member', labelId: 7 }]);
  });
});

describe('a list without valid people', () => {
  it.each<[string, options: string[], hasReport: boolean]>([
    ['[]', [], false],
    ['[]', ['--map', 'userId=Login'], false],
    ['userId,role\n', [], false],
    ['Login,Team\n', [], false],
    ['{"members":[]}', ['--records', 'members'], false],
    ['userId,role\n', ['--dry-run'], false],
    ['userId,role\n', ['--invalid', 'skip'], false],
    ['userId,role\n,admin\n,member\n', ['--invalid', 'skip'], true],
    ['userId,role\n,admin\n,member\n', ['--invalid', 'skip', '--dry-run'], true],
  ])('exits 2, and nothing is sent: %j %j', async (stdin, options, hasReport) => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...ADD, ...options, '--json'], { stdin });
    expect({ code: result.code, error: errorOf(result).code }).toEqual({ code: 2, error: 'invalid-list' });
    // A list without people has no report.
    expect(result.stdout !== '').toBe(hasReport);
    expect(service.requests).toEqual([]);
  });
});

describe('people template', () => {
  it.each(['table', 'csv', 'json', 'ndjson'])('prints a list that bulk-add reads, with -o %s', async (format) => {
    const { stdout } = await cli.plain(['people', 'template', '-o', format]);
    const checked = await cli.plain([...ADD, '--dry-run', '--json', '--jq', '.totals.people'], { stdin: stdout });
    expect(checked.json()).toEqual([
      { userId: 'usr_0101', role: 'member', department: 'it', isActive: true },
      { userId: 'usr_0102', role: 'admin', department: 'hr', isActive: false },
    ]);
  });
});
