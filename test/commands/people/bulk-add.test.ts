import { describe, expect, it } from 'vitest';
import { BULK_RESPONSE, MEMBER } from '../../fixtures/contract/people.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const TWO = 'userId,role,department,isActive,deviceMgmtLabelId\nusr_1,admin,it,true,42\nusr_2,member,hr,false,\n';
const ADD_STDIN = ['people', 'bulk-add', '-'];
const RESPONSE = { status: 201, body: BULK_RESPONSE };

describe('the request of people bulk-add', () => {
  it('has all entries with typed values, and no field for a blank cell', async () => {
    const { service, run } = await cli.scripted([RESPONSE]);
    await run(ADD_STDIN, { stdin: TWO });
    const [request] = service.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/people/bulk' });
    expect(request?.headers).toMatchObject({
      'x-api-key': CANARY_KEY,
      accept: 'application/json',
      'content-type': 'application/json',
    });
    expect(request?.body).toBe(
      '{"members":[{"userId":"usr_1","role":"admin","department":"it","isActive":true,"deviceMgmtLabelId":42},' +
        '{"userId":"usr_2","role":"member","department":"hr","isActive":false}]}',
    );
  });
});

describe('the exit code', () => {
  it('is 0 when all were added', async () => {
    const body = {
      ...BULK_RESPONSE,
      created: [MEMBER, { ...MEMBER, userId: 'usr_2', role: 'member', department: 'hr', isActive: false }],
      errors: [],
    };
    const { service, run } = await cli.scripted([
      { status: 201, body: { ...body, summary: { total: 2, successful: 2, failed: 0 } } },
    ]);
    expect(await run(ADD_STDIN, { stdin: TWO })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ 2 .*\nAuthenticated as owner@acme\.test \(api-key\)\n$/),
      stderr: `Importing 2 people into ${service.url}\n  totals: 1 active, 1 inactive\n  roles: admin 1, member 1\n`,
    });
  });

  it('is 0 under --ignore-existing if all others are already members', async () => {
    const { run } = await cli.scripted([RESPONSE]);
    const { code, stdout } = await run([...ADD_STDIN, '--ignore-existing'], { stdin: TWO });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✓ 1 .*, 1 .*\n/),
    });
  });

  it.each<[string, options: string[]]>([
    ['[]', []],
    ['userId,role\n', []],
    ['{"members":[]}', ['--records', 'members']],
    ['userId,role\n', ['--dry-run']],
    ['userId,role\n', ['--invalid', 'skip']],
    ['userId,role\n,admin\n,member\n', ['--invalid', 'skip']],
    ['userId,role\n,admin\n,member\n', ['--invalid', 'skip', '--dry-run']],
  ])('is 2 for the list %j without valid people, with the options %j, and nothing is sent', async (stdin, options) => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...ADD_STDIN, ...options, '--json'], { stdin });
    expect(result.code).toBe(2);
    expect(errorOf(result).code).toBe('invalid-list');
    expect(service.requests).toEqual([]);
  });
});

describe('--dry-run', () => {
  it('reports all errors of a list at once, and exits with 2', async () => {
    const stdin = 'userId,role,isActive\nusr_1,admin,perhaps\n,member,yes\nusr_3,member,no\n';
    const result = await cli.plain([...ADD_STDIN, '--dry-run'], { stdin });
    expect(result).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(
        textLike(`userId    userId    usr_3
role      role      member
isActive  isActive  false
totals: 0 active, 1 inactive
roles: member 1
people: usr_3 (member, inactive)

line  userId  state    message
   2  usr_1   invalid  isActive: "perhaps" …
   3  -       invalid  userId …

1 valid, 2 invalid
`),
      ),
      stderr: expect.stringMatching(/^error: 2 rows .*\nhint: .*--invalid skip/),
    });
  });

  it('tells with --limit how many rows it would send', async () => {
    const stdin = 'userId,role\nusr_0031,admin\nusr_0032,member\n';
    const { stderr } = await cli.sandbox([...ADD_STDIN, '--limit', '1', '--dry-run'], { stdin });
    expect(stderr).toContain('orgadm would import 1 of 2 people into ');
  });

  it('tells with --invalid skip what it would skip and send, and exits as the import would', async () => {
    const stdin = 'userId,role\nusr_0031,admin\n,member\n';
    const dryRun = await cli.sandbox([...ADD_STDIN, '--invalid', 'skip', '--dry-run'], { stdin });
    expect(dryRun).toMatchObject({
      code: 3,
      stderr:
        'dry run: nothing was sent. orgadm would skip 1 invalid row, and the service may reject others.\n' +
        'without --dry-run, orgadm would import 1 person into the sandbox\n',
    });
    expect((await cli.sandbox([...ADD_STDIN, '--invalid', 'skip'], { stdin })).code).toBe(3);
  });
});
