import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { API_KEY, addCommand, startOrgadm } from '../../helpers/orgadm-process.ts';
import { holdRequest, startPeopleService } from '../../helpers/people-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { textLike } from '../../helpers/text-like.ts';
import { machineAt, only, runDirectories, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();
const NONE = { created: 0, existing: 0, recovered: 0, failed: 0, invalid: 0, unknown: 0, unsent: 0 };

describe('runs list', () => {
  it('lists a finished and an unfinished run, newest first, each with its command', async () => {
    const machine = machineAt(folder.path);
    const finished = folder.file('finished.csv');
    writeFileSync(finished, 'userId,role\nusr_901,member\nbad_902,member\n,member\n');
    const service = await startPeopleService();
    const clock = { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) };
    await machine.add(finished, service, ['--invalid', 'skip'], clock);
    const list = writeList(folder.path, users(12));
    const stopping = await serviceThatStops();
    const later = { clock: createAutoClock(Date.UTC(2026, 0, 6, 9)) };
    await machine.add(list, stopping, ['--profile', 'default'], later);

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

  it('says how to continue the run of a list from standard input', async () => {
    const machine = machineAt(folder.path);
    const stdin = `userId,role\n${users(12).join(',member\n')},member\n`;
    const argv = addCommand('-', await serviceThatStops());
    await machine.run(argv, { stdin, env: { ORGADM_API_KEY: API_KEY } });
    const { id, command } = only(await machine.runs());
    expect(command).toBe(`orgadm runs resume ${id.slice(0, 8)}`);
  });

  it('prints a command that continues the run, whatever service a variable named', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    const argv = ['people', 'bulk-add', writeList(folder.path, users(12)), '--batch-size', '3', '--concurrency', '1'];
    await machine.run(argv, { env: { ORGADM_API_KEY: API_KEY, ORGADM_BASE_URL: service.url } });
    const [, ...command] = only(await machine.runs()).command?.split(' ') ?? [];
    service.step = () => 'respond';
    expect((await machine.run(command, { env: { ORGADM_API_KEY: API_KEY } })).code).toBe(0);
  });

  it('prints a table with the command that continues each unfinished run below it', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, users(12));
    const service = await serviceThatStops();
    await machine.add(list, service, [], { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) });
    const { id, command } = only(await machine.runs());
    const { code, stdout } = await machine.run(['runs', 'list']);
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trimEnd().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'id | started | state | list | rows | service',
      expect.stringMatching(
        textLike(`${id.slice(0, 8)} | 2026-01-05 09:00 UTC | unfinished | members.csv | 6 …, 6 … | ${service.url}`),
      ),
      '',
      `To continue: ${command}`,
      '',
    ]);
  });

  it('shows people the time of their zone, and programs UTC', async () => {
    const machine = machineAt(folder.path);
    const service = await startPeopleService();
    await machine.add(writeList(folder.path, users(2)), service, [], {
      clock: createAutoClock(Date.UTC(2026, 0, 5, 2)),
    });
    try {
      vi.stubEnv('TZ', 'America/New_York');
      expect((await machine.run(['runs', 'list'])).stdout).toContain('  2026-01-04 21:00 UTC-05:00  ');
      expect(only(await machine.runs())).toMatchObject({ startedAt: '2026-01-05T02:00:00.000Z' });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('prints csv with one column for each count', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const { stdout } = await machine.run(['runs', 'list', '-o', 'csv']);
    expect(stdout.split('\n')[0]).toBe(
      'id,state,startedAt,lastActiveAt,list,path,service,total,created,existing,recovered,failed,invalid,unknown,unsent,command,error',
    );
    expect(stdout.split('\n')[1]).toContain(',2,2,0,0,0,0,0,0,orgadm runs show ');
  });

  it('prints nothing but a note where there are no runs, and an empty array as JSON', async () => {
    const machine = machineAt(folder.path);
    expect(await machine.run(['runs', 'list'])).toMatchObject({ code: 0, stdout: '', stderr: 'no runs\n' });
    expect(await machine.runs()).toEqual([]);
  });

  it('names the setting to correct if the records of imports cannot be read', async () => {
    const file = folder.file('a-file');
    writeFileSync(file, '');
    const { run } = machineAt(folder.path);
    expect(await run(['runs', 'list'], { env: { ORGADM_STATE_DIR: file } })).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        `error: cannot read ${file}/runs: not a directory (ENOTDIR)\n` +
        'hint: Set ORGADM_STATE_DIR to the directory that holds the records of imports.\n',
    });
  });

  it('lists damaged journals and those of other formats as damaged, and leaves out directories without one', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const runs = folder.file('state/runs');
    const journal = readFileSync(join(only(runDirectories(folder.path)), 'journal'), 'utf8');
    const contents: Record<string, string> = {
      '00000000000000000000000000000001': '',
      '00000000000000000000000000000002': 'not a journal\n',
      '00000000000000000000000000000003': journal.replace('"total":2', '"total":3'),
      '00000000000000000000000000000004': lineOf({ t: 'run', version: 6, total: 1 }),
      '00000000000000000000000000000005': lineOf({ t: 'run', version: 6, total: 1e15 }),
      '00000000000000000000000000000006': lineOf({ t: 'run', version: 99, total: 1 }),
      '00000000000000000000000000000007': lineOf(7),
    };
    for (const [name, content] of Object.entries(contents)) {
      mkdirSync(join(runs, name));
      writeFileSync(join(runs, name, 'journal'), content);
    }
    mkdirSync(join(runs, '00000000000000000000000000000008'));
    mkdirSync(join(runs, 'something else'));
    const result = await machine.run(['runs', 'list', '--json']);
    expect({ code: result.code, stderr: result.stderr }).toEqual({
      code: 0,
      stderr: '',
    });
    const listed = await machine.runs();
    expect(listed.map(({ state }) => state)).toEqual(['finished', ...Object.keys(contents).map(() => 'damaged')]);
    for (const { error, command } of listed.slice(1)) {
      expect(error).not.toBe('');
      expect(command).toBeNull();
    }
    expect((await machine.run(['runs', 'list'])).code).toBe(0);
  });

  it('shows a run as superseded if a later command named the same service in another way', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    await machine.add(writeList(folder.path, users(12)), service);
    service.step = () => 'respond';
    const url = `${service.url.replace('127.0.0.1', 'LOCALHOST')}/`;
    await machine.run(addCommand(writeList(folder.path, users(5)), { url }), { env: { ORGADM_API_KEY: API_KEY } });
    expect((await machine.runs()).map(({ state, command }) => `${state}: ${command}`)).toEqual([
      expect.stringMatching(/^finished: /),
      expect.stringMatching(/^superseded: orgadm runs show /),
    ]);
  });

  it('shows a run as superseded by a later one, also if the clock has been set back in between', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    const at = (day: number) => ({ clock: createAutoClock(Date.UTC(2026, 0, day)) });
    await machine.add(writeList(folder.path, users(12)), service, [], at(6));
    const { id } = only(await machine.runs());
    await machine.add(writeList(folder.path, users(5)), service, [], at(5));
    expect((await machine.runs()).map(({ state }) => state)).toEqual(['finished', 'superseded']);
    expect((await machine.runs())[1]?.id).toBe(id);
  });

  it('shows a run as superseded, as runs show does, even if the journal of the later run is damaged', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    const early = { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) };
    await machine.add(writeList(folder.path, users(12)), service, [], early);
    const { id } = only(await machine.runs());
    const late = { clock: createAutoClock(Date.UTC(2026, 0, 6, 9)) };
    await machine.add(writeList(folder.path, users(5)), service, [], late);
    const later = only(runDirectories(folder.path).filter((directory) => !directory.endsWith(id)));
    const [head = '', ...records] = readFileSync(join(later, 'journal'), 'utf8').split('\n');
    writeFileSync(join(later, 'journal'), [head, 'damaged', ...records].join('\n'));

    expect((await machine.runs()).map(({ state }) => state)).toEqual(['superseded', 'damaged']);
    expect((await machine.run(['runs', 'show', id])).stderr).toContain('started 2026-01-05 09:00 UTC, superseded\n');
  });

  it('shows a run that a process is working on as running', async () => {
    const machine = machineAt(folder.path);
    const { step, arrival, release } = holdRequest(2);
    const service = await startPeopleService(step);
    const running = startOrgadm(folder.path, addCommand(writeList(folder.path, users(6)), service));
    await arrival;
    expect(only(await machine.runs())).toMatchObject({
      state: 'running',
      summary: { total: 6, created: 3, unknown: 3 },
      command: null,
    });
    release();
    expect((await running.ended).code).toBe(0);
    expect(only(await machine.runs())).toMatchObject({ state: 'finished' });
  });

  it('does not call a running import unfinished because TMPDIR, which a long path requires, is missing', async () => {
    const home = join(folder.path, 'h'.repeat(60));
    mkdirSync(home, { mode: 0o700 });
    const machine = machineAt(home);
    const { step, arrival, release } = holdRequest(2);
    const service = await startPeopleService(step);
    const running = startOrgadm(home, addCommand(writeList(home, users(6)), service));
    await arrival;
    vi.stubEnv('TMPDIR', join(home, 'missing'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const { code, stdout, stderr } = await machine.run(['runs', 'list']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('hint: Set TMPDIR to a directory that you can write to.\n');
    vi.unstubAllEnvs();
    release();
    expect((await running.ended).code).toBe(0);
  });
});

describe('the files of a run', () => {
  it('are removed by runs list 30 days after the last request', async () => {
    const machine = machineAt(folder.path);
    await machine.add(writeList(folder.path, users(2)), await startPeopleService());
    const daysLater = (days: number) => ({ clock: createAutoClock(Date.now() + days * 24 * 3_600_000) });
    await machine.run(['runs', 'list'], daysLater(29.9));
    expect(runDirectories(folder.path)).toHaveLength(1);
    await machine.run(['runs', 'list'], daysLater(30.1));
    expect(runDirectories(folder.path)).toHaveLength(0);
  });
});

/** A line of a journal with a valid checksum. */
function lineOf(record: unknown): string {
  const json = JSON.stringify(record);
  return `${crc32(json).toString(16).padStart(8, '0')} ${json}\n`;
}
