import { describe, expect, it } from 'vitest';
import { addsMembers } from '../../helpers/people-service.ts';
import { type Report, reportOf } from '../../helpers/report.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

/* What a report says of the people on a list who were members before. */

const cli = createCommandRunner();
const ADD = ['people', 'bulk-add', '-'];

/** The IDs of people who are members already. */
const MEMBERS = Array.from({ length: 30 }, (_, at) => `usr_${at + 1}`);
const service = () =>
  cli.scripted(
    addsMembers({ rejected: Object.fromEntries(MEMBERS.map((id) => [id, `User ${id} is already a member`])) }),
  );

/** A list of them and of two new people, one of them inactive; the first of the members are inactive. */
function listOf({ inactive }: { inactive: number }): string {
  const rows = MEMBERS.map((id, at) => `${id},member,${at >= inactive}\n`);
  return `userId,role,isActive\nnew_1,member,true\nnew_2,member,false\n${rows.join('')}`;
}

type ReportWithInactive = Report & { existingInactive: { line: number; userId: string }[] };

describe('existing members whom the list calls inactive', () => {
  it.each([
    ['the first 20 of them', [], 20, 3],
    ['the first 20 of them with --ignore-existing', ['--ignore-existing'], 20, 0],
    ['all of them with --all-rows', ['--all-rows'], 25, 3],
  ])('are named: %s', async (_which, options, named, code) => {
    const { run } = await service();
    const result = await run([...ADD, ...options], { stdin: listOf({ inactive: 25 }) });
    const [, warning = ''] =
      /^warning: 25 of the existing members are inactive in the list: (.*)/m.exec(result.stderr) ?? [];
    expect({ code: result.code, named: warning.match(/usr_\d+/g) }).toEqual({ code, named: MEMBERS.slice(0, named) });
    expect(warning.includes('5 more')).toBe(named === 20);
  });

  it('are in JSON, with their lines, also when the command is run again', async () => {
    const { run } = await service();
    const stdin = listOf({ inactive: 25 });
    for (let time = 0; time < 2; time++) {
      const { existingInactive } = reportOf(await run([...ADD, '--json'], { stdin })) as ReportWithInactive;
      const named = existingInactive.map(({ userId, line }) => [userId, line]);
      expect(named).toEqual(MEMBERS.slice(0, 25).map((id, at) => [id, at + 4]));
    }
  });
});

describe('existing members', () => {
  it('need no attention with --ignore-existing', async () => {
    const { run } = await service();
    expect(await run([...ADD, '--ignore-existing'], { stdin: listOf({ inactive: 0 }) })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^✓ .*\b30 existing\b/),
    });
  });

  it.each([
    ['Person is on board already', true],
    ['role must be one of: admin, member', false],
  ])('may be meant by another message, for which a note names the setting: %s', async (message, isNoted) => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: message } }));
    const { code, stderr } = await run(ADD, { stdin: 'userId,role\nusr_1,member\nusr_2,member\n' });
    expect(code).toBe(3);
    expect(stderr.includes('wire.member.existing')).toBe(isNoted);
  });
});
