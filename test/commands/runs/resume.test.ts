import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { API_KEY } from '../../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { type CliOptions, type CliResult, drawnText, MemoryTerminal } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { type Machine, machineAt, only, runDirectories, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();
const ENV = { ORGADM_API_KEY: API_KEY };

interface Unfinished {
  machine: Machine;
  service: PeopleService;
  list: string;
  id: string;
  resume(more?: readonly string[], options?: CliOptions): Promise<CliResult>;
}

/** A run of twelve rows of which six are unsent. The service has recovered since. */
async function unfinished(more: readonly string[] = [], options: CliOptions = {}): Promise<Unfinished> {
  const machine = machineAt(folder.path);
  const list = writeList(folder.path, users(12));
  const service = await serviceThatStops();
  const file = options.stdin === undefined ? list : '-';
  expect((await machine.add(file, service, more, options)).code).toBe(4);
  const { id } = only(await machine.runs());
  service.step = () => 'respond';
  return {
    ...{ machine, service, list, id },
    resume: (extra = [], used = {}) =>
      machine.run(['runs', 'resume', id.slice(0, 8), ...extra], { ...used, env: { ...ENV, ...used.env } }),
  };
}

describe('runs resume', () => {
  it('continues a run from its files alone', async () => {
    const { service, resume } = await unfinished();
    const result = await resume(['--json']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
    expect(users(12).map((id) => service.sends.get(id))).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1]);
  });

  it('continues the run that it names, and no later one', async () => {
    const { machine, service, resume } = await unfinished();
    const other = folder.file('others.csv');
    writeFileSync(other, 'userId,role\nusr_901,member\nbad_902,member\n');
    expect((await machine.add(other, service)).code).toBe(3);
    const result = await resume(['--json']);
    expect(reportOf(result).summary).toEqual(counts({ total: 12, created: 12 }));
  });

  it('sends the rows with the options of this command', async () => {
    const { service, resume } = await unfinished();
    service.requests = 0;
    expect((await resume(['--batch-size', '2', '--limit', '4'])).code).toBe(3);
    expect({ requests: service.requests, added: service.members.size }).toEqual({ requests: 2, added: 10 });
  });

  it('accepts --errors-file and --all-rows', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, [...users(11), 'bad_012']);
    const service = await serviceThatStops();
    expect((await machine.add(list, service)).code).toBe(4);
    const { id } = only(await machine.runs());
    service.step = () => 'respond';
    const errors = folder.file('rejected.csv');
    const more = ['--errors-file', errors, '--all-rows', '-o', 'csv'];
    const result = await machine.run(['runs', 'resume', id, ...more], { env: ENV });
    expect(result.code).toBe(3);
    expect(result.stdout.split('\n').slice(0, 2)).toEqual([
      'line,entry,userId,state,message,memberId',
      '2,1,usr_001,created,,mem_usr_001',
    ]);
    expect(readFileSync(errors, 'utf8')).toMatch(/\nbad_012,member,,,,13,User bad_012 not found\n$/);
  });

  it('says how to import the list of a finished run again', async () => {
    const { resume } = await unfinished();
    await resume();
    const { code, stderr } = await resume();
    expect(code).toBe(0);
    expect(stderr).toContain('--restart');
  });

  it('says how to send the failed rows of a finished run again', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, [...users(2), 'bad_003']);
    const service = await startPeopleService();
    expect((await machine.add(list, service)).code).toBe(3);
    const { id } = only(await machine.runs());
    const { code, stderr } = await machine.run(['runs', 'resume', id], { env: ENV });
    expect({ code, requests: service.requests }).toEqual({ code: 3, requests: 1 });
    expect(stderr).toMatch(/\b1 failed row\b/);
  });

  it('says what it continues', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    const list = writeList(folder.path, users(3));
    const at = { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) };
    expect((await machine.add(list, service, ['--limit', '2'], at)).code).toBe(3);
    const { id } = only(await machine.runs());
    const { stderr } = await machine.run(['runs', 'resume', id], { env: ENV });
    const [first = ''] = stderr.split('\n');
    for (const named of [id.slice(0, 8), list, '2026-01-05 09:00', '1 of 3 people']) expect(first).toContain(named);
  });

  it('exits 0 for existing members with the option that the next step names', async () => {
    const { service, resume } = await unfinished();
    service.members.set('usr_012', 1);
    const result = await resume();
    expect(result).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('--ignore-existing'),
    });
    expect((await resume(['--ignore-existing'])).code).toBe(0);
  });

  it('needs no list', async () => {
    const { service, list, resume } = await unfinished();
    rmSync(list);
    expect((await resume()).code).toBe(0);
    expect(service.members.size).toBe(12);
  });

  it('continues a run that was started from standard input', async () => {
    const stdin = `Account,role\n${users(12)
      .map((id) => `${id},member\n`)
      .join('')}`;
    const { service, resume } = await unfinished(['--map', 'userId=Account', '--active', 'all'], { stdin });
    expect((await resume()).code).toBe(0);
    expect(service.members.size).toBe(12);
  });

  it('says that the list has other content now, and sends the rows that the run has stored', async () => {
    const { service, list, resume } = await unfinished();
    appendFileSync(list, 'usr_900,member\n');
    const result = await resume(['--json']);
    expect(result.stderr).toMatch(new RegExp(`^${list} `, 'm'));
    expect(reportOf(result).summary).toEqual(counts({ total: 12, created: 12 }));
    expect(service.members.has('usr_900')).toBe(false);
  });

  it('sends nothing if a byte of the stored rows has changed', async () => {
    const { service, machine, list, resume } = await unfinished();
    const rows = join(only(runDirectories(folder.path)), 'rows');
    writeFileSync(rows, readFileSync(rows, 'utf8').replace('usr_012', 'usr_912'));
    const { requests } = service;
    for (const ended of [await resume(['--json']), await machine.add(list, service, ['--json'])]) {
      expect({ code: ended.code, stdout: ended.stdout, requests: service.requests }).toEqual({
        code: 2,
        stdout: '',
        requests,
      });
      expect(errorOf(ended)).toMatchObject({
        code: 'journal-damaged',
        message: expect.stringContaining(rows),
        hint: expect.stringContaining('--restart'),
      });
    }
  });

  it('is not suggested for a run whose journal was deleted while it was sending: the same command starts a new one', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, users(12));
    const service = await startPeopleService(({ number }) => {
      if (number === 2) rmSync(folder.file('state'), { recursive: true });
      return 'respond';
    });
    const { code, stderr } = await machine.add(list, service);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.not.stringMatching(/runs resume|space/) });
    expect((await machine.add(list, service, ['--ignore-existing'])).code).toBe(0);
    expect([...service.members.values()]).toEqual(users(12).map(() => 1));
  });

  it('leaves a list that was moved to the command with its new path, which continues the run', async () => {
    const { service, list, machine } = await unfinished();
    const moved = `${list}.moved.csv`;
    renameSync(list, moved);
    expect(await machine.add(moved, service)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/\brun [0-9a-f]{8}\b/),
    });
  });

  it('rejects another service than that of the run', async () => {
    const { service, id, machine } = await unfinished();
    const { requests } = service;
    const argv = ['runs', 'resume', id, '--json', '--base-url', 'http://127.0.0.1:9'];
    const rejected = await machine.run(argv, { env: ENV });
    expect({ exit: rejected.code, error: errorOf(rejected), requests: service.requests }).toEqual({
      exit: 2,
      requests,
      error: {
        code: 'usage',
        message: expect.stringMatching(new RegExp(`${id.slice(0, 8)}.*${service.url}.*http://127.0.0.1:9`)),
        hint: expect.stringContaining('--base-url'),
      },
    });
  });

  it('finds the sandbox by the ID of its run', async () => {
    const machine = machineAt(folder.path);
    const list = folder.file('sandbox.csv');
    writeFileSync(list, 'userId,role\nusr_0101,employee\nusr_0102,employee\n');
    await machine.run(['people', 'bulk-add', list, '--sandbox', '--limit', '1']);
    const { command } = only(await machine.runs());
    expect((await machine.run(command?.split(' ').slice(1) ?? [])).code).toBe(0);
  });

  it('asks on a terminal, unless --yes', async () => {
    const { service, list, resume } = await unfinished();
    const plain = { env: { NO_COLOR: '1' } };
    const declined = await resume([], { terminal: new MemoryTerminal(['n']), ...plain });
    expect({ code: declined.code, requests: service.requests }).toEqual({ code: 2, requests: 3 });
    expect(drawnText(declined.stderr)).toContain(`6 people from ${list} into`);
    expect((await resume(['--yes'], { terminal: new MemoryTerminal([]), ...plain })).code).toBe(0);
  });

  it('takes the only unfinished run into the service with the key, without an ID', async () => {
    const { service, machine, list } = await unfinished();
    const other = folder.file('others.csv');
    writeFileSync(other, 'userId,role\nusr_901,member\nusr_902,member\n');
    const elsewhere = await startPeopleService();
    expect((await machine.add(other, elsewhere, ['--limit', '1'])).code).toBe(3);
    const resume = (key: string) =>
      machine.run(['runs', 'resume', '--json', '--base-url', service.url], { env: { ORGADM_API_KEY: key } });
    const { requests } = service;
    const stranger = await resume('key_of_another_admin_88');
    expect({ exit: stranger.code, error: errorOf(stranger) }).toMatchObject({
      exit: 5,
      error: { code: 'run-not-found' },
    });

    appendFileSync(list, 'usr_900,member\n');
    const changed = await resume(API_KEY);
    const [run] = (await machine.runs()).filter((each) => each.list === list);
    expect({ exit: changed.code, error: errorOf(changed), requests: service.requests }).toMatchObject({
      exit: 2,
      error: {
        message: expect.stringMatching(new RegExp(`${list}.*${run?.id.slice(0, 8)}`)),
        hint: expect.stringContaining(`orgadm runs resume ${run?.id.slice(0, 8)}`),
      },
      requests,
    });

    rmSync(list);
    expect(reportOf(await resume(API_KEY)).summary).toEqual(counts({ total: 12, created: 12 }));
    expect((await resume(API_KEY)).code).toBe(5);
  });

  it('lists the unfinished runs if there are several, and sends nothing', async () => {
    const { service, machine } = await unfinished();
    const other = folder.file('others.csv');
    writeFileSync(other, 'userId,role\nusr_901,member\nusr_902,member\n');
    expect((await machine.add(other, service, ['--limit', '1'])).code).toBe(3);
    const { requests } = service;
    const ended = await machine.run(['runs', 'resume', '--base-url', service.url], { env: ENV });
    expect({ code: ended.code, requests: service.requests }).toEqual({ code: 2, requests });
    for (const { id } of await machine.runs()) expect(ended.stderr).toContain(`\n  ${id.slice(0, 8)}  "`);
    expect(ended.stderr).toContain('orgadm runs resume <id>');
  });

  it('exits 5 for an ID that no run has', async () => {
    const result = await machineAt(folder.path).run(['runs', 'resume', 'ffff', '--json'], { env: ENV });
    expect({ exit: result.code, error: errorOf(result) }).toMatchObject({
      exit: 5,
      error: { code: 'run-not-found', message: 'no such run: ffff' },
    });
  });
});
