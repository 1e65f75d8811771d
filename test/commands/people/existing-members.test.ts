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
    ['with --ignore-existing', ['--ignore-existing'], 0],
    ['without it', [], 3],
  ])('are named %s', async (_how, options, code) => {
    const { run } = await service();
    const result = await run([...ADD, ...options], { stdin: listOf({ inactive: 2 }) });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(
      'warning: 2 of the existing members are inactive in the list: usr_1, usr_2. orgadm does not change existing members.\n',
    );
  });

  it.each([
    ['the first 20 of them', [], 20],
    ['all of them with --all-rows', ['--all-rows'], 25],
  ])('are named up to a limit: %s', async (_which, options, named) => {
    const { run } = await service();
    const { stderr } = await run([...ADD, ...options], { stdin: listOf({ inactive: 25 }) });
    const warning = /inactive in the list: (.*)/.exec(stderr)?.[1] ?? '';
    expect(warning.match(/usr_\d+/g)).toEqual(MEMBERS.slice(0, named));
    expect(warning.includes('5 more')).toBe(named === 20);
  });

  it('are in JSON, with their lines', async () => {
    const { run } = await service();
    const result = await run([...ADD, '--json'], { stdin: listOf({ inactive: 25 }) });
    const { existingInactive } = reportOf(result) as ReportWithInactive;
    expect(existingInactive.map(({ userId, line }) => [userId, line])).toEqual(
      MEMBERS.slice(0, 25).map((id, at) => [id, at + 4]),
    );
  });

  it('are still named when the command is run again, and nobody else is', async () => {
    const { run } = await service();
    const stdin = listOf({ inactive: 1 });
    await run([...ADD, '--ignore-existing'], { stdin });
    const again = await run([...ADD, '--ignore-existing', '--json'], { stdin });
    expect((reportOf(again) as ReportWithInactive).existingInactive.map(({ userId }) => userId)).toEqual(['usr_1']);
    const none = await run([...ADD, '--ignore-existing'], { stdin: listOf({ inactive: 0 }) });
    expect(none.stderr).not.toContain('inactive in the list');
  });
});

describe('existing members', () => {
  it.each([[[]], [['--ignore-existing']]])('are a count in a table, with the options %j', async (options) => {
    const { run } = await service();
    const { stdout } = await run([...ADD, ...options], { stdin: listOf({ inactive: 0 }) });
    expect(stdout).toMatch(/\b30 existing\b/);
    expect(stdout).not.toContain('usr_');
  });

  it('are rows with --all-rows', async () => {
    const { run } = await service();
    const { stdout } = await run([...ADD, '--all-rows'], { stdin: listOf({ inactive: 0 }) });
    expect(stdout.match(/usr_\d+ +existing/g)).toHaveLength(MEMBERS.length);
  });

  it('do not hide the rows that failed', async () => {
    const { run } = await cli.scripted(
      addsMembers({ rejected: { usr_1: 'User usr_1 is already a member', usr_2: 'Department "x" is not allowed' } }),
    );
    const { stdout } = await run(ADD, { stdin: 'userId,role\nusr_1,member\nusr_2,member\nusr_3,member\n' });
    expect(stdout).toMatch(/^ *3 +usr_2 +failed /m);
    expect(stdout).not.toContain('usr_1');
  });
});

describe('a message that may say in other words that somebody is already a member', () => {
  it.each([
    ['Person is on board already', true],
    ['role must be one of: admin, member', false],
    ['no such user', false],
  ])('leads to a note about the setting: %s', async (message, isNoted) => {
    const { run } = await cli.scripted(addsMembers({ rejected: { usr_1: message } }));
    const { code, stderr } = await run(ADD, { stdin: 'userId,role\nusr_1,member\nusr_2,member\n' });
    expect(code).toBe(3);
    expect(stderr.includes('wire.member.existing')).toBe(isNoted);
  });
});
