import { describe, expect, it } from 'vitest';
import { membersOf, startAddMembersService } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const LIST = 'userId,role\nusr_1,member\nusr_2,member\n';
const ADD = ['people', 'bulk-add', '-', '--json'];
const TO_FIX = '1 row can be fixed and imported again: add --resume --errors-file rejected.csv to save it\n';

describe('the hint below a report', () => {
  it('suggests a phrase for a message that may state a membership', async () => {
    const { run } = await cli.scripted(
      startAddMembersService({ rejected: { usr_1: 'usr_1 is on board\u001b[2J already' } }),
    );
    expect(await run(ADD, { stdin: LIST })).toMatchObject({
      code: 3,
      stderr:
        'If "usr_1 is on board already" states that the user is already a member, add a phrase that all such messages contain: ' +
        'orgadm config set wire.member.existing "<phrase>"\n',
    });
  });

  it('suggests a command that keeps the phrases that are already set', async () => {
    const { run } = await cli.scripted(startAddMembersService({ rejected: { usr_1: 'usr_1 is on board already' } }));
    await run(['config', 'set', 'wire.member.existing', 'known', "it's a member"]);
    expect((await run(ADD, { stdin: LIST })).stderr).toContain(
      "orgadm config set wire.member.existing known 'it'\\''s a member' \"<phrase>\"\n",
    );
  });

  it.each([
    'Duplicate deviceMgmtLabelId 5',
    'An invitation already exists for this user',
    'duplicate key value violates unique constraint "device_label_idx"',
    'User a@b.c is already a member of organization Beta',
  ])('names the setting for "%s", which leaves the row failed also under --ignore-existing', async (message) => {
    const { run } = await cli.scripted(startAddMembersService({ rejected: { usr_1: message } }));
    const { code, stderr, json } = await run([...ADD, '--ignore-existing'], { stdin: LIST });
    expect(json()).toMatchObject({ rows: [{ userId: 'usr_1', state: 'failed', error: message }] });
    expect(stderr).toContain('orgadm config set wire.member.existing "<phrase>"');
    expect(code).toBe(3);
  });

  it('suggests nothing for a message that denies a membership, and leaves the row failed', async () => {
    const message = 'Not already a member of the parent group';
    const { run } = await cli.scripted(startAddMembersService({ rejected: { usr_1: message } }));
    const result = await run([...ADD, '--ignore-existing'], { stdin: LIST });
    expect(result).toMatchObject({ code: 3, stderr: TO_FIX });
    expect(result.json()).toMatchObject({ rows: [{ userId: 'usr_1', state: 'failed' }] });
  });

  it('suggests nothing once the phrase is set', async () => {
    const { run } = await cli.scripted(startAddMembersService({ rejected: { usr_1: 'usr_1 is on board already' } }));
    expect(await run(['config', 'set', 'wire.member.existing', 'is on board'])).toMatchObject({ code: 0 });
    const result = await run([...ADD, '--ignore-existing'], { stdin: LIST });
    expect(result).toMatchObject({ code: 0, stderr: '' });
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

  it('suggests nothing for a request whose rows were not tried alone', async () => {
    const { run } = await cli.scripted((request) => {
      const message = membersOf(request).length > 1 ? 'a user is on board already' : 'User not found';
      return { status: 400, body: { message, statusCode: 400 } };
    });
    const list = `userId,role\n${Array.from({ length: 64 }, (_, at) => `usr_${at},member\n`).join('')}`;
    const { code, stdout, stderr } = await run(ADD, { stdin: list });
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: TO_FIX.replace('1 row', '64 rows').replace('it\n', 'them\n'),
    });
    expect(stdout).toContain('"rejected together with other rows, not tried alone: a user is on board already"');
  });

  it('suggests nothing for other messages', async () => {
    const { run } = await cli.scripted(startAddMembersService({ rejected: { usr_1: 'User usr_1 not found' } }));
    expect(await run(ADD, { stdin: LIST })).toMatchObject({
      code: 3,
      stderr: TO_FIX,
    });
  });
});
