import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { runDirectories, users, writeList } from '../../helpers/journal-files.ts';
import { type PeopleService, startPeopleService } from '../../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../../helpers/report.ts';
import { type CliOptions, type CliResult, drawnText, MemoryTerminal } from '../../helpers/run-cli.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createAutoClock } from '../../helpers/test-clock.ts';
import { type Machine, machineAt, only, serviceThatStops } from './run-fixtures.ts';

const folder = temporaryFolder();
const ENV = { ORGADM_API_KEY: API_KEY };
const COMPLETE = counts({ total: 12, created: 12 });

interface Unfinished {
  machine: Machine;
  service: PeopleService;
  list: string;
  id: string;
  resume(more?: readonly string[], options?: CliOptions): Promise<CliResult>;
}

/** A run of twelve rows of which six are unsent. The service has recovered since. */
async function unfinished(): Promise<Unfinished> {
  const machine = machineAt(folder.path);
  const list = writeList(folder.path, users(12));
  const service = await serviceThatStops();
  const at = { clock: createAutoClock(Date.UTC(2026, 0, 5, 9)) };
  expect((await machine.add(list, service, [], at)).code).toBe(4);
  const { id } = only(await machine.runs());
  service.step = () => 'respond';
  return {
    ...{ machine, service, list, id },
    resume: (more = [], options = {}) =>
      machine.run(['runs', 'resume', id.slice(0, 8), ...more], { ...options, env: { ...ENV, ...options.env } }),
  };
}

/** Imports one of two other people. */
async function addOthers(machine: Machine, service: PeopleService): Promise<void> {
  const others = folder.file('others.csv');
  writeFileSync(others, 'userId,role\nusr_901,member\nusr_902,member\n');
  expect((await machine.add(others, service, ['--limit', '1'])).code).toBe(3);
}

describe('runs resume', () => {
  it('continues the run that it names from its files alone, and says what it continues', async () => {
    const { machine, service, list, id, resume } = await unfinished();
    await addOthers(machine, service);
    rmSync(list);
    const result = await resume(['--json']);
    expect({ code: result.code, summary: reportOf(result).summary }).toEqual({ code: 0, summary: COMPLETE });
    expect(users(12).map((user) => service.sends.get(user))).toEqual([1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1]);
    expect(service.sends.has('usr_902')).toBe(false);
    const [first = ''] = result.stderr.split('\n');
    for (const named of [id.slice(0, 8), list, '2026-01-05 09:00', '6 of 12 people']) expect(first).toContain(named);
    const again = await resume();
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('--restart') });
  });

  it('sends the rows with the options of this command', async () => {
    const { service, resume } = await unfinished();
    service.requests = 0;
    service.members.set('usr_012', 1);
    expect((await resume(['--batch-size', '2', '--limit', '4', '--ignore-existing'])).code).toBe(3);
    expect({ requests: service.requests, added: service.members.size }).toEqual({ requests: 2, added: 11 });
    const errors = folder.file('rejected.csv');
    const result = await resume(['--ignore-existing', '--errors-file', errors, '--all-rows', '-o', 'csv']);
    expect({ code: result.code, rows: result.stdout.trim().split('\n').length }).toEqual({ code: 0, rows: 13 });
  });

  it('says that the list has other content now, and sends the rows that the run has stored', async () => {
    const { service, list, resume } = await unfinished();
    appendFileSync(list, 'usr_900,member\n');
    const result = await resume(['--json']);
    expect(result.stderr).toMatch(new RegExp(`^${list} `, 'm'));
    expect(reportOf(result).summary).toEqual(COMPLETE);
    expect(service.members.has('usr_900')).toBe(false);
  });

  it('sends nothing if a byte of the stored rows has changed', async () => {
    const { service, machine, list, resume } = await unfinished();
    const rows = join(only(runDirectories(folder.path)), 'rows');
    writeFileSync(rows, readFileSync(rows, 'utf8').replace('usr_012', 'usr_912'));
    const { requests } = service;
    for (const ended of [await resume(['--json']), await machine.add(list, service, ['--json'])]) {
      expect({ exit: ended.code, stdout: ended.stdout, requests: service.requests, error: errorOf(ended) }).toEqual({
        ...{ exit: 2, stdout: '', requests },
        error: {
          code: 'journal-damaged',
          message: expect.stringContaining(rows),
          hint: expect.stringContaining('--restart'),
        },
      });
    }
  });

  it('rejects another service than that of the run', async () => {
    const { service, id, resume } = await unfinished();
    const { requests } = service;
    const rejected = await resume(['--json', '--base-url', 'http://127.0.0.1:9']);
    expect({ exit: rejected.code, requests: service.requests }).toEqual({ exit: 2, requests });
    const { message, hint } = errorOf(rejected);
    for (const named of [id.slice(0, 8), service.url, 'http://127.0.0.1:9']) expect(message).toContain(named);
    expect(hint).toContain('--base-url');
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
});

describe('runs resume without an ID', () => {
  it('takes the only unfinished run into the service with the key, unless its list has changed', async () => {
    const { service, machine, list, id } = await unfinished();
    await addOthers(machine, await startPeopleService());
    // The same service in another spelling.
    const url = service.url.replace('127.0.0.1', 'LOCALHOST');
    const resume = (key: string) =>
      machine.run(['runs', 'resume', '--json', '--base-url', url], { env: { ORGADM_API_KEY: key } });
    const { requests } = service;
    const stranger = await resume('key_of_another_admin_88');
    expect({ exit: stranger.code, error: errorOf(stranger).code }).toEqual({ exit: 5, error: 'run-not-found' });

    appendFileSync(list, 'usr_900,member\n');
    const changed = await resume(API_KEY);
    expect({ exit: changed.code, requests: service.requests }).toEqual({ exit: 2, requests });
    expect(errorOf(changed).message).toContain(list);
    expect(errorOf(changed).hint).toContain(`orgadm runs resume ${id.slice(0, 8)}`);

    rmSync(list);
    expect(reportOf(await resume(API_KEY)).summary).toEqual(COMPLETE);
    expect((await resume(API_KEY)).code).toBe(5);
  });

  it('lists the unfinished runs if there are several, and sends nothing', async () => {
    const { service, machine } = await unfinished();
    await addOthers(machine, service);
    const { requests } = service;
    const ended = await machine.run(['runs', 'resume', '--base-url', service.url], { env: ENV });
    expect({ code: ended.code, requests: service.requests }).toEqual({ code: 2, requests });
    for (const { id } of await machine.runs()) expect(ended.stderr).toContain(`\n  ${id.slice(0, 8)}  "`);
  });
});

describe('with another key', () => {
  const stranger = { env: { ORGADM_API_KEY: 'key_of_production_77' } };

  it('an unfinished run is rejected before a request, and continued with its own key from a file', async () => {
    const { service, list, id, resume } = await unfinished();
    const { requests } = service;
    for (const variables of [{}, { ORGADM_BASE_URL: service.url }]) {
      const ended = await resume(['--json'], { env: { ...stranger.env, ...variables } });
      expect({ exit: ended.code, stdout: ended.stdout, requests: service.requests }).toEqual({
        ...{ exit: 2, stdout: '', requests },
      });
      expect(errorOf(ended)).toMatchObject({ code: 'key-changed', hint: expect.stringContaining(list) });
      expect(errorOf(ended).message).toContain(id.slice(0, 8));
    }
    writeFileSync(folder.file('key'), API_KEY, { mode: 0o600 });
    const ended = await resume(['--key-file', folder.file('key'), '--json'], stranger);
    expect(reportOf(ended).summary).toEqual(COMPLETE);
  });

  it('a list starts another run, into the organization of that key, and each is reported with its own key', async () => {
    const machine = machineAt(folder.path);
    const list = writeList(folder.path, users(3));
    const service = await startPeopleService();
    expect((await machine.add(list, service)).code).toBe(0);
    // Two organizations behind one URL.
    service.members.clear();
    const result = await machine.add(list, service, ['--json'], stranger);
    expect(reportOf(result).summary).toEqual(counts({ total: 3, created: 3 }));
    expect(service.members.size).toBe(3);
    const { requests } = service;
    for (const options of [stranger, {}]) expect((await machine.add(list, service, [], options)).code).toBe(0);
    expect(service.requests).toBe(requests);
  });
});
