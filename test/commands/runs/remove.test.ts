import { readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { startOrgadm } from '../../e2e/journal-process.ts';
import { holdRequest, startPeopleService } from '../../e2e/journal-service.ts';
import { MemoryTerminal, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { addCommand, type Machine, machineAt, only, runDirectories, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryCliDirectory();
const DAY_MS = 24 * 3_600_000;
const NOW = Date.UTC(2026, 5, 1);

/** An import of one row, finished so many days before `NOW`. */
async function finish(machine: Machine, name: string, daysAgo: number): Promise<void> {
  const list = folder.file(`${name}.csv`);
  writeFileSync(list, `userId,role\n${name},member\n`);
  const clock = createAutoClock(NOW - daysAgo * DAY_MS);
  expect((await machine.add(list, await startPeopleService(), [], { clock })).code).toBe(0);
  setJournalTime(machine, daysAgo);
}

/** An import of twelve rows of which six are unsent. */
async function leaveUnfinished(machine: Machine, daysAgo = 0): Promise<void> {
  const clock = createAutoClock(NOW - daysAgo * DAY_MS);
  const list = writeList(folder.path, users(12));
  expect((await machine.add(list, await serviceThatStops(), [], { clock })).code).toBe(4);
  setJournalTime(machine, daysAgo);
}

/** Lets the file of the last run be as old as the run. */
function setJournalTime({ home }: Machine, daysAgo: number): void {
  const seconds = (NOW - daysAgo * DAY_MS) / 1000;
  for (const directory of runDirectories(home)) {
    const journal = join(directory, 'journal');
    if (statSync(journal).mtimeMs > NOW) utimesSync(journal, seconds, seconds);
  }
}

async function statesIn(machine: Machine): Promise<string[]> {
  return (await machine.runs()).map(({ list, state }) => `${list?.split('/').at(-1)} ${state}`);
}

describe('runs remove', () => {
  it('removes finished runs with all their files by their ids or the start of these', async () => {
    const machine = machineAt(folder.path);
    await finish(machine, 'usr_1', 2);
    await finish(machine, 'usr_2', 1);
    const [second, first] = await machine.runs();
    const result = await machine.run(['runs', 'remove', first?.id ?? '', second?.id.slice(0, 8) ?? '', '--json']);
    expect({ code: result.code, json: result.json() }).toEqual({
      code: 0,
      json: {
        removed: [
          { id: first?.id, list: folder.file('usr_1.csv'), state: 'finished' },
          { id: second?.id, list: folder.file('usr_2.csv'), state: 'finished' },
        ],
      },
    });
    expect(readdirSync(folder.file('state/runs'))).toEqual([]);
  });

  it('needs --yes for an unfinished run if it cannot prompt', async () => {
    const machine = machineAt(folder.path);
    await leaveUnfinished(machine);
    const { id, list } = only(await machine.runs());
    expect(await machine.run(['runs', 'remove', id])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: run ${id.slice(0, 8)} of ${list} is not finished (6 created, 6 unsent)\n` +
        'hint: Nothing was removed. To remove unfinished runs, pass --yes. You cannot continue them afterwards.\n',
    });
    expect(await statesIn(machine)).toEqual(['members.csv unfinished']);
    expect(await machine.run(['runs', 'remove', id, '--yes'])).toMatchObject({ code: 0, stderr: 'removed 1 run\n' });
    expect(await statesIn(machine)).toEqual([]);
  });

  it.each([
    ['y\r', 0, []],
    ['n\r', 2, ['members.csv unfinished']],
    ['\r', 2, ['members.csv unfinished']],
    ['\x03', 130, ['members.csv unfinished']],
  ])('asks on a terminal before it removes an unfinished run: %j', async (typed, code, left) => {
    const machine = machineAt(folder.path);
    await leaveUnfinished(machine);
    const { id, list } = only(await machine.runs());
    const result = await machine.run(['runs', 'remove', id], { terminal: new MemoryTerminal([typed]) });
    expect(result.code).toBe(code);
    expect(result.stderr.replaceAll('\n', ' ')).toContain(
      `run ${id.slice(0, 8)} of ${list} is not finished (6 created, 6 unsent). Remove it for good? [y/N] `,
    );
    expect(await statesIn(machine)).toEqual(left);
  });

  it('removes all finished runs with --finished, and does not prompt', async () => {
    const machine = machineAt(folder.path);
    await finish(machine, 'usr_1', 2);
    await leaveUnfinished(machine, 1);
    const result = await machine.run(['runs', 'remove', '--finished']);
    expect(result).toMatchObject({ code: 0, stdout: '', stderr: 'removed 1 run\n' });
    expect(await statesIn(machine)).toEqual(['members.csv unfinished']);
    expect(await machine.run(['runs', 'remove', '--finished'])).toMatchObject({
      code: 0,
      stderr: 'no run was removed\n',
    });
  });

  it('removes the runs of an age with --older-than, unfinished ones only with --yes', async () => {
    const machine = machineAt(folder.path);
    await finish(machine, 'usr_1', 20);
    await leaveUnfinished(machine, 15);
    await finish(machine, 'usr_2', 10);
    const remove = (...more: string[]) => machine.run(['runs', 'remove', ...more], { clock: createAutoClock(NOW) });
    expect((await remove('--older-than', '12d')).code).toBe(2);
    expect((await statesIn(machine)).length).toBe(3);
    expect((await remove('--older-than', '12d', '--finished')).code).toBe(0);
    expect(await statesIn(machine)).toEqual(['usr_2.csv finished', 'members.csv unfinished']);
    expect((await remove('--older-than', '264h', '--yes')).code).toBe(0);
    expect(await statesIn(machine)).toEqual(['usr_2.csv finished']);
  });

  it('removes a damaged run with --yes', async () => {
    const machine = machineAt(folder.path);
    await finish(machine, 'usr_1', 0);
    writeFileSync(join(only(runDirectories(folder.path)), 'journal'), 'x\n');
    const { id } = only(await machine.runs());
    const { code, stderr } = await machine.run(['runs', 'remove', id]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`run ${id.slice(0, 8)} is damaged`) });
    expect((await machine.run(['runs', 'remove', id, '--yes'])).code).toBe(0);
    expect(await statesIn(machine)).toEqual([]);
  });

  it('does not remove a run that another process is working on', async () => {
    const machine = machineAt(folder.path);
    const { step, arrival, release } = holdRequest(2);
    const service = await startPeopleService(step);
    const running = startOrgadm(folder.path, addCommand(writeList(folder.path, users(6)), service));
    await arrival;
    const { id } = only(await machine.runs());
    expect(await machine.run(['runs', 'remove', id, '--yes'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: cannot remove run ${id.slice(0, 8)}, because it is still running\n` +
        'hint: Nothing was removed. Wait until its process ends, or stop it.\n',
    });
    expect(await machine.run(['runs', 'remove', '--older-than', '0', '--yes'])).toMatchObject({
      code: 0,
      stderr: `kept run ${id.slice(0, 8)}, because it is still running\nno run was removed\n`,
    });
    release();
    expect((await running.ended).code).toBe(0);
    expect(await statesIn(machine)).toEqual(['members.csv finished']);
  });

  it.each<[string[], string]>([
    [[], 'name the runs to remove'],
    [['abcd', '--finished'], 'run IDs cannot be combined with --finished and --older-than'],
    [['--older-than', '30'], '--older-than: "30" is not a duration'],
  ])('rejects %j', async (more, message) => {
    const { code, stderr } = await machineAt(folder.path).run(['runs', 'remove', ...more]);
    expect({ code, first: stderr.split('\n')[0] }).toEqual({ code: 2, first: `error: ${message}` });
  });
});

describe('the next run', () => {
  it('removes finished runs of more than 30 days, and neither younger nor unfinished ones', async () => {
    const machine = machineAt(folder.path);
    await finish(machine, 'usr_1', 31);
    await leaveUnfinished(machine, 40);
    await finish(machine, 'usr_2', 29);
    expect(await statesIn(machine)).toEqual(['usr_2.csv finished', 'usr_1.csv finished', 'members.csv unfinished']);
    await finish(machine, 'usr_3', 0);
    expect(await statesIn(machine)).toEqual(['usr_3.csv finished', 'usr_2.csv finished', 'members.csv unfinished']);
  });
});
