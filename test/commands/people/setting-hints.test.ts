import { describe, expect, it } from 'vitest';
import { addsMembers, membersOf } from '../../helpers/people-service.ts';
import { errorOf } from '../../helpers/report.ts';
import type { Handler } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
describe('the hint below a report', () => {
  it('suggests a phrase for a message that may state a membership', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: 'usr_1 is on board\u001b[2J already' } }));
    expect(await run(ADD, { stdin: LIST })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(
        '\nIf "usr_1 is on board already" means that the person is already a member, accept it: ' +
          "orgadm config set wire.member.existing '* is on board already'\n",
      ),
    });
  });

  it('suggests none for a message that repeats the ID of the user, in which such a word is', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { member_1: 'member_1' } }));
    const { code, stderr } = await run(ADD, { stdin: 'userId,role\nmember_1,admin\nusr_2,admin\n' });
    expect(code).toBe(3);
    expect(stderr).not.toContain('wire.member.existing');
  });

  it('suggests a command that keeps the phrases that are already set', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: 'usr_1 is on board already' } }));
    await run(['config', 'set', 'wire.member.existing', 'known', "it's a member"]);
    expect((await run(ADD, { stdin: LIST })).stderr).toContain(
      "orgadm config set wire.member.existing known 'it'\\''s a member' '* is on board already'\n",
    );
  });

  it('suggests a command that changes the profile of the import', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: 'usr_1 is on board already' } }));
    await run(['config', 'set', 'timeout', '20s', '--profile', 'staging']);
    const { stderr } = await run([...ADD, '--profile', 'staging'], { stdin: LIST });
    const [, command = ''] = /accept it: orgadm (config set .*)\n/.exec(stderr) ?? [];
    expect(command).toBe("config set wire.member.existing '* is on board already' --profile staging");
  });

  it.each([
    ['An invitation already exists for this user', "'An invitation already exists for this user'"],
    ['User a@b.c is already a member of organization Beta', "'User * is already a member of organization Beta'"],
  ])(
    'names the setting for "%s", which leaves the row failed also under --ignore-existing',
    async (message, phrase) => {
      const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: message } }));
      const { code, stderr, json } = await run([...ADD, '--ignore-existing'], { stdin: LIST });
      expect(json()).toMatchObject({ rows: [{ userId: 'usr_1', state: 'failed', error: message }] });
      expect(stderr).toContain(`orgadm config set wire.member.existing ${phrase}\n`);
      expect(code).toBe(3);
    },
  );

  it('suggests nothing once the phrase is set', async () => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: 'usr_1 is on board already' } }));
    expect(await run(['config', 'set', 'wire.member.existing', 'is on board'])).toMatchObject({ code: 0 });
    const result = await run([...ADD, '--ignore-existing'], { stdin: LIST });
    expect(result).toMatchObject({ code: 0, stderr: expect.not.stringContaining('wire.member.existing') });
    expect(result.json()).toMatchObject({ rows: [{ userId: 'usr_1', state: 'existing' }] });
  });

  it('suggests the label setting, even if no row was accepted', async () => {
    const message = 'members.0.property deviceMgmtLabelId should not exist';
    const { run } = await cli.scripted(() => ({ status: 400, body: { message: [message], statusCode: 400 } }));
    const result = await run(ADD, { stdin: 'userId,role,deviceMgmtLabelId\nusr_1,member,7\n' });
    expect(result.code).toBe(3);
    expect(result.stderr).toContain(
      'The service does not know deviceMgmtLabelId. If it has another name for the label, set it: ' +
        'orgadm config set wire.member.deviceMgmtLabelId <name>\n',
    );
  });

  it('suggests the own message of the service for rows that were rejected together', async () => {
    const { run } = await cli.scripted((request) => {
      const message = membersOf(request).length > 1 ? 'a user is on board already' : 'User not found';
      return { status: 400, body: { message, statusCode: 400 } };
    });
    const list = `userId,role\n${Array.from({ length: 64 }, (_, at) => `usr_${at},member\n`).join('')}`;
    const { code, stdout, stderr } = await run(ADD, { stdin: list });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("orgadm config set wire.member.existing 'a user is on board already'\n"),
    });
    expect(stdout).toContain('"rejected together with other rows, not tried alone: a user is on board already"');
  });

  it.each([
    [
      'Department "finance" is not allowed',
      "If the service has other names for its departments, translate yours with --map-value 'department:<your value>=<accepted value>'. To leave them out, use --omit department\n",
    ],
    [
      'This role is not allowed',
      "If the service has other names for its roles, translate yours: --map-value 'role:<your value>=<accepted value>'\n",
    ],
    [
      'role must be one of: admin; department must be one of: it',
      "translate yours: --map-value 'role:<your value>=<accepted value>'\nIf the service has other names for its departments,",
    ],
    [
      'User not found',
      'If the service knows these people by other IDs, look them up in a second list: --lookup userId=<file>:<column>=<column>\n',
    ],
    ['No seats left', 'To fix the 2 rejected rows: orgadm runs show '],
  ])('names the option that helps if all rows fail for one reason: %s', async (message, hint) => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: message, usr_2: message } }));
    expect(await run(ADD, { stdin: LIST })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(hint),
    });
  });
});

describe('rows that fail for different reasons', () => {
  it('lead to a hint for each field if the service rejects roles of some and departments of others', async () => {
    const rejected = { usr_1: 'role must be one of: admin', usr_2: 'department must be one of: it' };
    const { run } = await cli.scripted(addsMembers({ rejected }));
    const { stderr } = await run(ADD, { stdin: LIST });
    expect(stderr).toContain("--map-value 'role:");
    expect(stderr).toContain("--map-value 'department:");
  });

  it('lead to no hint if a row fails for a reason that no option prevents', async () => {
    const rejected = { usr_1: 'role must be one of: admin', usr_2: 'No seats left' };
    const { run } = await cli.scripted(addsMembers({ rejected }));
    expect((await run(ADD, { stdin: LIST })).stderr).not.toContain('--map-value');
  });
});

describe('a first batch of which the service rejects every row', () => {
  const MESSAGE = 'role must be one of the following values: admin, employee';
  const people = Array.from({ length: 900 }, (_, at) => `usr_${at},Employee\n`).join('');

  it('is one error for a few rows, too', async () => {
    const { run } = await cli.scripted(() => ({
      status: 400,
      body: { message: ['members.0.role must be one of: admin'] },
    }));
    const stdin = 'userId,role\nusr_1,Boss\nusr_2,Boss\nusr_3,Boss\n';
    const result = await run(['people', 'bulk-add', '-', '--batch-size', '2'], { stdin, env: { NO_COLOR: '1' } });
    expect({ code: result.code, stdout: result.stdout }).toEqual({
      code: 1,
      stdout: '2 failed, 1 unsent\n',
    });
    expect(result.stderr).toContain(
      'error: the service rejected all 2 rows of the first batch: role must be one of: admin\n',
    );
    expect(result.stderr).toContain('import it again. orgadm did not send the other row.\n');
  });

  it('is one error: the message once, the option that fixes it, and how many rows were not sent', async () => {
    const { service, run } = await cli.scripted((request) => {
      const message = membersOf(request).map((_, at) => `members.${at}.${MESSAGE}`);
      return { status: 400, body: { message, error: 'Bad Request', statusCode: 400 } };
    });
    const result = await run(['people', 'bulk-add', '-'], { stdin: `userId,role\n${people}` });
    expect({ code: result.code, stdout: result.stdout, requests: service.requests.length }).toEqual({
      code: 1,
      stdout: '500 failed, 400 unsent\n',
      requests: 1,
    });
    expect(result.stderr).toContain(
      `error: the service rejected all 500 rows of the first batch: ${MESSAGE}
hint: If the service has other names for its roles, translate yours: --map-value 'role:<your value>=<accepted value>'. Otherwise, fix the list and import it again. orgadm did not send the other 400 rows.
`,
    );
  });

  it.each<[string, Handler, object]>([
    [
      'the rejection',
      () => ({ status: 422, headers: { 'x-request-id': 'req_7' }, body: { message: ['members.0.role is wrong'] } }),
      { status: 422, requestId: 'req_7' },
    ],
    ['the errors of its rows', addsMembers({ rejects: () => 'role is wrong' }), {}],
  ])(
    'is an error in JSON that has the status and the ID of the request, if it is about a request: %s',
    async (_name, respond, request) => {
      const { run } = await cli.scripted(respond);
      const result = await run([...ADD, '--batch-size', '2'], { stdin: `userId,role\n${people}` });
      const { hint: _, ...error } = errorOf(result);
      expect({ code: result.code, error }).toEqual({
        code: 1,
        error: {
          code: 'rejected',
          message: 'the service rejected all 2 rows of the first batch: role is wrong',
          ...request,
        },
      });
    },
  );

  it('has an example if the messages differ', async () => {
    const { run } = await cli.scripted(addsMembers({ rejects: (userId) => `User ${userId} not found` }));
    const { code, stderr } = await run(ADD, { stdin: `userId,role\n${people}` });
    expect(code).toBe(1);
    expect(stderr).toContain('the service rejected all 500 rows of the first batch, for example: User usr_0 not found');
    // The hint of the error, and no note.
    expect(stderr.match(/look them up in a second list/g)).toHaveLength(1);
  });
});
