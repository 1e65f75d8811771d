import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { users, writeList } from '../../e2e/journal-files.ts';
import { API_KEY, addCommand, startShell } from '../../helpers/orgadm-process.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import {
  type CliOptions,
  type CliResult,
  drawnText,
  MemoryTerminal,
  temporaryCliDirectory,
} from '../../helpers/run-cli.ts';
import { type Machine, machineAt, only, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryCliDirectory();
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
  it('continues a run from its journal alone: list, options and base URL', async () => {
    const { service, resume } = await unfinished();
    const result = await resume(['--json']);
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
    expect(users(12).map((id) => service.sends.get(id))).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1]);
    // The batches are those of the first command.
    expect(service.requests).toBe(5);
  });

  it('continues the run that it names, and no later one', async () => {
    const { machine, service, resume } = await unfinished();
    const other = folder.file('others.csv');
    writeFileSync(other, 'userId,role\nusr_901,member\nbad_902,member\n');
    expect((await machine.add(other, service)).code).toBe(3);
    const result = await resume(['--json']);
    expect(reportOf(result).summary).toEqual(counts({ total: 12, created: 12 }));
  });

  it('reads the list as the first command has, with its mapping and defaults', async () => {
    const machine = machineAt(folder.path);
    const list = folder.file('export.csv');
    writeFileSync(
      list,
      `Account;Dept\n${users(12)
        .map((id) => `${id};IT\n`)
        .join('')}`,
    );
    const service = await serviceThatStops();
    const options = [
      '--delimiter',
      ';',
      '--map',
      'userId=Account',
      '--map',
      'department=Dept',
      '--default',
      'role=auditor',
      '--default',
      'isActive=true',
    ];
    expect((await machine.add(list, service, options)).code).toBe(4);
    const { id } = only(await machine.runs());
    service.step = () => 'respond';
    const result = await machine.run(['runs', 'resume', id, '--json'], { env: ENV });
    expect({ code: result.code, ...reportOf(result).summary }).toEqual({
      code: 0,
      ...counts({ total: 12, created: 12 }),
    });
  });

  it('works from any directory, with a path that was relative', async () => {
    const { id, service } = await unfinishedInShell();
    const ended = await startShell(folder.path, `cd / && orgadm runs resume ${id.slice(0, 8)}`).ended;
    expect({ code: ended.code, added: service.members.size }).toEqual({ code: 0, added: 12 });
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
    expect(readFileSync(errors, 'utf8')).toBe('userId,role,error\nbad_012,member,User bad_012 not found\n');
  });

  it('says how to import the list of a finished run again', async () => {
    const { resume } = await unfinished();
    await resume();
    const { code, stderr } = await resume();
    expect(code).toBe(0);
    expect(stderr).toContain('To import it again, run the command that started the run, with --restart.\n');
  });

  it('says how to send the failed rows of a finished run again', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, [...users(2), 'bad_003']);
    const service = await startPeopleService();
    expect((await machine.add(list, service)).code).toBe(3);
    const { id } = only(await machine.runs());
    const { code, stderr } = await machine.run(['runs', 'resume', id], { env: ENV });
    expect({ code, requests: service.requests }).toEqual({ code: 3, requests: 1 });
    expect(stderr).toContain(
      ' To send its 1 failed row again, run the command that started the run, without --restart.\n',
    );
  });

  it('counts one row that is done', async () => {
    const machine = machineAt(folder.path);
    const service = await serviceThatStops();
    const list = writeList(folder.path, users(3));
    expect((await machine.add(list, service, ['--limit', '1'])).code).toBe(3);
    const { id } = only(await machine.runs());
    const { stderr } = await machine.run(['runs', 'resume', id], { env: ENV });
    expect(stderr).toContain('UTC: 1 of 3 rows is done\n');
    expect(stderr).toMatch(/^.* remaining 2 people /m);
  });

  it('exits 0 for existing members with the option that the next step names', async () => {
    const { service, resume } = await unfinished();
    service.members.set('usr_012', 1);
    const result = await resume();
    expect(result).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('To exit 0 when people are already members, add --ignore-existing\n'),
    });
    expect((await resume(['--ignore-existing'])).code).toBe(0);
  });

  it('rejects a list that has changed, and sends nothing', async () => {
    const { service, list, resume } = await unfinished();
    appendFileSync(list, 'usr_900,member\n');
    const { requests } = service;
    const result = await resume(['--json']);
    expect({ code: result.code, stdout: result.stdout, requests: service.requests }).toEqual({
      code: 2,
      stdout: '',
      requests,
    });
    expect(errorOf(result)).toEqual({
      code: 'usage',
      message: `${list} has changed since the run started`,
      hint: 'Nothing was sent. Restore the list to continue the run. To import it as it is now, run the command that started the run.',
    });
  });

  it('reports a list that is gone, and sends nothing', async () => {
    const { list, resume } = await unfinished();
    rmSync(list);
    const result = await resume(['--json']);
    expect(errorOf(result)).toMatchObject({
      code: 'usage',
      message: `the list of this run is missing: ${list}`,
      hint: expect.stringContaining('run the command that started the run with its new path'),
    });
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
    expect(stderr).toContain('The same command starts a new run');
    expect((await machine.add(list, service, ['--ignore-existing'])).code).toBe(0);
    expect([...service.members.values()]).toEqual(users(12).map(() => 1));
  });

  it('leaves a list that was moved to the command with its new path, which continues the run', async () => {
    const { service, list, machine } = await unfinished();
    const moved = `${list}.moved.csv`;
    renameSync(list, moved);
    expect(await machine.add(moved, service)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Continuing run'),
    });
  });

  it('names the command to run instead for a list that came from standard input', async () => {
    const stdin = `Account,role\n${users(12)
      .map((id) => `${id},member\n`)
      .join('')}`;
    const options = ['--map', 'userId=Account', '--default', 'isActive=true'];
    const { service, resume, machine } = await unfinished(options, { stdin });
    const result = await resume(['--json']);
    expect(result.code).toBe(2);
    expect(errorOf(result)).toMatchObject({
      message: expect.stringMatching(/^the list of run [0-9a-f]{8} came from standard input$/),
      hint: 'Nothing was sent. Pipe the same list into the command that started the run, without --restart or --limit.',
    });
    expect((await machine.add('-', service, options, { stdin })).code).toBe(0);
  });

  it.each([
    ['with a new column', (list: string) => list.replace('\n', ',Status\n')],
    ['without a column that the options name', (list: string) => list.replace('role', 'rank')],
  ])('says that a list %s has changed, and suggests no option that it does not have', async (_, change) => {
    const { service, list, resume } = await unfinished();
    const { requests } = service;
    writeFileSync(list, change(readFileSync(list, 'utf8')));
    const result = await resume(['--errors-file', join(dirname(list), 'bulk-add')]);
    expect({ code: result.code, requests: service.requests }).toEqual({ code: 2, requests });
    expect(result.stderr).toContain('has changed since the run started');
    expect(result.stderr).not.toMatch(/--map|--ignore-extra-columns|--dry-run/);
  });

  it('rejects a profile whose base URL has changed, or that does not exist anymore', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, users(12));
    const service = await serviceThatStops();
    writeConfig({ staging: { 'base-url': service.url } });
    const argv = ['people', 'bulk-add', list, '--batch-size', '3', '--concurrency', '1', '--profile', 'staging'];
    expect((await machine.run(argv, { env: ENV })).code).toBe(4);
    const { id, profile } = only(await machine.runs());
    expect(profile).toBe('staging');
    writeConfig({ staging: { 'base-url': 'http://127.0.0.1:9' } });
    const { requests } = service;
    const rejected = await machine.run(['runs', 'resume', id, '--json'], { env: ENV });
    expect({ exit: rejected.code, error: errorOf(rejected), requests: service.requests }).toEqual({
      exit: 2,
      requests,
      error: {
        code: 'usage',
        message: `this run was sent to ${service.url}, but the service is now http://127.0.0.1:9 (profile staging)`,
        hint: 'Nothing was sent. Restore the base URL to continue the run.',
      },
    });
    writeConfig({});
    const removed = errorOf(await machine.run(['runs', 'resume', id, '--json'], { env: ENV }));
    expect(removed).toMatchObject({
      message: 'the profile of this run: unknown profile "staging"; known: default',
      hint: expect.stringContaining('add --profile <name>'),
    });
    writeConfig({ staging2: { 'base-url': service.url } });
    const renamed = errorOf(await machine.run(['runs', 'resume', id, '--json'], { env: ENV }));
    expect(renamed.hint).toBe(removed.hint);
    service.step = () => 'respond';
    expect((await machine.run(['runs', 'resume', id, '--profile', 'staging2'], { env: ENV })).code).toBe(0);
  });

  it('asks on a terminal, unless --yes', async () => {
    const { service, list, resume } = await unfinished();
    const plain = { env: { NO_COLOR: '1' } };
    const declined = await resume([], { terminal: new MemoryTerminal(['n']), ...plain });
    expect({ code: declined.code, requests: service.requests }).toEqual({ code: 2, requests: 3 });
    expect(drawnText(declined.stderr)).toContain(`import the remaining 6 people from ${list} into`);
    expect((await resume(['--yes'], { terminal: new MemoryTerminal([]), ...plain })).code).toBe(0);
  });

  it('exits 5 for an ID that no run has', async () => {
    const result = await machineAt(folder.path).run(['runs', 'resume', 'ffff', '--json'], { env: ENV });
    expect({ exit: result.code, error: errorOf(result) }).toMatchObject({
      exit: 5,
      error: { code: 'run-not-found', message: 'no such run: ffff' },
    });
  });
});

function writeConfig(profiles: Record<string, Record<string, string>>): void {
  mkdirSync(folder.file('config'), { recursive: true });
  writeFileSync(join(folder.file('config'), 'config.json'), JSON.stringify({ profiles }), { mode: 0o600 });
}

/** The same, started by the built program in the directory of its list. */
async function unfinishedInShell(): Promise<{ id: string; service: PeopleService }> {
  const machine = machineAt(folder.path);
  writeList(folder.path, users(12));
  const service = await serviceThatStops();
  const line = `cd '${folder.path}' && orgadm ${addCommand('members.csv', service).join(' ')}`;
  expect((await startShell(folder.path, line).ended).code).toBe(4);
  service.step = () => 'respond';
  return { id: only(await machine.runs()).id, service };
}
