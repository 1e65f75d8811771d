import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { rewriteRecords, runDirectories, users, writeList } from '../../helpers/journal-files.ts';
import { addCommand, startOrgadm } from '../../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { textLike } from '../../helpers/text-like.ts';
import { machineAt, only, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();
const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };
/** Nine o'clock on a day of January 2026. */
const on = (day: number) => ({ clock: createAutoClock(Date.UTC(2026, 0, day, 9)) });

describe('runs list', () => {
  it('lists a finished and an unfinished run, newest first, each with its command', async () => {
    const machine = machineAt(folder.path);
    const finished = folder.file('finished.csv');
    writeFileSync(finished, 'userId,role\nusr_901,member\nbad_902,member\n,member\n');
    await machine.add(finished, await startPeopleService(), ['--invalid', 'skip'], on(5));
    const list = writeList(folder.path, users(12));
    const stopping = await serviceThatStops();
    await machine.add(list, stopping, [], on(6));

    const [newest, oldest, ...others] = await machine.runs();
    expect(others).toEqual([]);
    expect(newest).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      state: 'unfinished',
      startedAt: '2026-01-06T09:00:00.000Z',
      lastActiveAt: '2026-01-06T09:00:00.000Z',
      list,
      path: list,
      service: stopping.url,
      summary: { ...NONE, total: 12, created: 6, unsent: 6 },
      command: `orgadm runs resume ${newest?.id.slice(0, 8)}`,
      error: null,
    });
    expect(oldest).toMatchObject({
      state: 'finished',
      startedAt: '2026-01-05T09:00:00.000Z',
      summary: { ...NONE, total: 3, created: 1, failed: 1, invalid: 1 },
      command: `orgadm runs show ${oldest?.id.slice(0, 8)}`,
    });
  });

  it('prints a table with the time of your zone and the command that continues each unfinished run', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    await machine.add(writeList(folder.path, users(12)), service, [], on(5));
    const { id, command } = only(await machine.runs());
    vi.stubEnv('TZ', 'America/New_York');
    const { stdout } = await machine.run(['runs', 'list']).finally(() => vi.unstubAllEnvs());
    expect(stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'id | started | state | list | rows | service',
      expect.stringMatching(
        textLike(
          `${id.slice(0, 8)} | 2026-01-05 04:00 UTC-05:00 | unfinished | members.csv | 6 …, 6 … | ${service.url}`,
        ),
      ),
      '',
      `To continue: ${command}`,
      '',
    ]);
    const [header, row] = (await machine.run(['runs', 'list', '-o', 'csv'])).stdout.split('\n');
    expect(header).toBe(
      'id,state,startedAt,lastActiveAt,list,path,service,total,created,existing,recovered,failed,invalid,unknown,unsent,command,error',
    );
    expect(row).toContain(`,12,6,0,0,0,0,0,6,${command},`);
  });

  it('prints nothing but a note where there are no runs, and an empty array as JSON', async () => {
    const machine = machineAt(folder.path);
    expect(await machine.run(['runs', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'no runs\n' });
    expect(await machine.runs()).toEqual([]);
  });

  it('names the setting to correct if the records of imports cannot be read', async () => {
    const file = folder.file('a-file');
    writeFileSync(file, '');
    const result = await machineAt(folder.path).run(['runs', 'list'], { env: { ORGADM_STATE_DIR: file } });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(new RegExp(`^error: .*${file}/runs.*\\nhint: .*ORGADM_STATE_DIR`));
  });

  it('lists damaged journals, and leaves out directories without one', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const journal = readFileSync(join(only(runDirectories(folder.path)), 'journal'), 'utf8');
    const write = (name: string, content: string) => {
      const directory = folder.file(`state/runs/${name.repeat(32)}`);
      mkdirSync(directory);
      writeFileSync(join(directory, 'journal'), content);
      return join(directory, 'journal');
    };
    write('0', '');
    write('1', 'not a journal\n');
    write('2', journal.replace('"total":2', '"total":3'));
    rewriteRecords(write('3', journal), (json) => json.replace(/"version":\d+/, '"version":99'));
    mkdirSync(folder.file(`state/runs/${'4'.repeat(32)}`));
    mkdirSync(folder.file('state/runs/something else'));
    const [finished, ...damaged] = await machine.runs();
    expect(finished?.state).toBe('finished');
    const described = { state: 'damaged', error: expect.stringMatching(/./), command: null };
    expect(damaged).toMatchObject([described, described, described, described]);
    expect((await machine.run(['runs', 'list'])).code).toBe(0);
  });

  it('shows a run as superseded by a later one, as runs show does, even if the journal of that one is damaged', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    await machine.add(writeList(folder.path, users(12)), service, [], on(6));
    const { id } = only(await machine.runs());
    // The clock has been set back in between.
    await machine.add(writeList(folder.path, users(5)), service, [], on(5));
    expect((await machine.runs()).map(({ state }) => state)).toEqual(['finished', 'superseded']);
    const later = only(runDirectories(folder.path).filter((directory) => !directory.endsWith(id)));
    const [head = '', ...records] = readFileSync(join(later, 'journal'), 'utf8').split('\n');
    writeFileSync(join(later, 'journal'), [head, 'damaged', ...records].join('\n'));
    expect((await machine.runs()).map(({ state }) => state)).toEqual(['superseded', 'damaged']);
    expect((await machine.run(['runs', 'show', id])).stderr).toContain(', superseded\n');
  });

  it('shows a run that a process is working on as running, as runs show does, which changes nothing', async () => {
    const machine = machineAt(folder.path);
    const { step, arrival } = holdRequest(2);
    const running = startOrgadm(
      folder.path,
      addCommand(writeList(folder.path, users(6)), await startPeopleService(step)),
    );
    await arrival;
    const directory = only(runDirectories(folder.path));
    const before = readFileSync(join(directory, 'journal'));
    expect(await machine.runs()).toMatchObject([
      { state: 'running', summary: { total: 6, created: 3, unknown: 3 }, command: null },
    ]);
    const show = async () =>
      reportOf(await machine.run(['runs', 'show', only(await machine.runs()).id, '--json'])).summary;
    expect(await show()).toMatchObject({ created: 3, unknown: 3, stopped: { code: 'running' } });
    expect(readFileSync(join(directory, 'journal')).equals(before)).toBe(true);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await machine.runs()).toMatchObject([{ state: 'unfinished' }]);
    expect(await show()).toMatchObject({ created: 3, unknown: 3, stopped: { code: 'interrupted' } });
  });
});

describe('the files of a run', () => {
  it('are removed by runs list, and by the next import, 30 days after the last request', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService();
    const list = writeList(folder.path, users(2));
    const daysLater = (days: number) => ({ clock: createAutoClock(Date.now() + days * 24 * 3_600_000) });
    await machine.add(list, service);
    await machine.run(['runs', 'list'], daysLater(29.9));
    const [first] = runDirectories(folder.path);
    await machine.add(list, service, [], daysLater(29.9));
    expect(runDirectories(folder.path)).toEqual([first]);
    await machine.add(list, service, [], daysLater(30.1));
    expect(only(runDirectories(folder.path))).not.toBe(first);
    await machine.run(['runs', 'list'], daysLater(61));
    expect(runDirectories(folder.path)).toHaveLength(0);
  });
});
