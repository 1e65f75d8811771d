import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];
const NEXT = 'To check a list of your own without sending it, add --dry-run.\n';
const listOf = (id: string) => ({ stdin: `userId,role\n${id},member\n` });

describe('the line about checking a list', () => {
  it('follows the first import into the sandbox, and no later one', async () => {
    const first = await cli.sandbox(ADD, listOf('usr_0101'));
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining(NEXT) });
    const second = await cli.sandbox(ADD, listOf('usr_0102'));
    expect(second).toMatchObject({ code: 0, stderr: expect.not.stringContaining(NEXT) });
  });

  it('is not printed for programs, nor after an import into a service', async () => {
    const { run } = await cli.scripted(addsMembers());
    expect((await run(ADD, listOf('usr_0101'))).stderr).not.toContain(NEXT);
    expect((await cli.sandbox([...ADD, '--json'], listOf('usr_0101'))).stderr).not.toContain(NEXT);
  });
});
