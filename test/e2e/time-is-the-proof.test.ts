import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { API_KEY, startOrgadm, withDefaults } from '../helpers/orgadm-process.ts';
import { type BulkRequest, type PeopleService, type Step, startPeopleService } from '../helpers/people-service.ts';
import { counts, errorOf, reportOf } from '../helpers/report.ts';
import { type CliResult, runBuilt, runCli } from '../helpers/run-cli.ts';
import { createAutoClock } from '../helpers/test-clock.ts';
import { expectSameStatesAnew } from './journal-anew.ts';
import { journalOf, rewriteRecords, users, writeList } from './journal-files.ts';

/** One folder for all tests, because they run at the same time. */
const folder = mkdtempSync(join(tmpdir(), 'orgadm-time-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How long after a response the service adds people. On a busy machine, it may do so later. */
const LATE_MS = 3_000;
/** A request is over before this has passed, and the timeout is shorter than either. */
const LIFETIME = { '--timeout': '1s', '--request-lifetime': '5s' };
const TIMEOUT_MS = 60_000;

/** Sets the clock of a command forward by an hour. The time since the machine was started is as it was. */
const AN_HOUR_LATER = ['env', 'FAKETIME_DONT_FAKE_MONOTONIC=1', 'faketime', '-f', '+1h'];
/** The other tests of this file need no other program, and run everywhere. */
const HAS_FAKETIME = process.env.CI !== undefined || spawnSync('faketime', ['--version']).status === 0;

function bulkAdd(list: string, { url }: { url: string }, options: readonly string[]): string[] {
  return ['people', 'bulk-add', list, '--base-url', url, ...options, '--json'];
}

interface Home {
  readonly path: string;
  /** Starts an import in a process of its own, which can be killed. */
  start(list: string, service: { url: string }, more?: readonly string[]): ReturnType<typeof startOrgadm>;
  /** Runs an import with the built program in this process, on the clock of the machine. */
  import(list: string, service: { url: string }, more?: readonly string[]): Promise<CliResult>;
  orgadm(args: readonly string[]): Promise<CliResult>;
  /** Expects that later commands find the states of this report, and send nothing. */
  expectSameAnew(list: string, service: PeopleService, report: Pick<CliResult, 'stdout'>): Promise<void>;
}

/** A user's machine. */
function home(name: string): Home {
  const path = join(folder, name);
  const importOf = (list: string, service: { url: string }, more: readonly string[] = []) =>
    bulkAdd(list, service, withDefaults(LIFETIME, more));
  const orgadm = (args: readonly string[]) => runBuilt(path, args, { env: { ORGADM_API_KEY: API_KEY } });
  return {
    path,
    start: (list, service, more = []) => startOrgadm(path, importOf(list, service, more)),
    import: (list, service, more = []) => orgadm(importOf(list, service, more)),
    orgadm,
    expectSameAnew: (list, service, report) =>
      expectSameStatesAnew(report, {
        // In this process: only what the service still does takes real time, and it has finished.
        orgadm: (args) => runCli(path, args, { env: { ORGADM_API_KEY: API_KEY }, clock: createAutoClock(Date.now()) }),
        command: importOf(list, service),
        requests: () => service.sizes.length,
      }),
  };
}

/** A step that adds the people of a request late, whatever becomes of its client, and then responds. */
function addsLate(lateMs: (request: BulkRequest) => number): PeopleService['step'] {
  return async (request): Promise<Step> => {
    await request.addLater(lateMs(request));
    return 'respond';
  };
}

async function expectNobodyTwice({ members, settled }: PeopleService, people: readonly string[]): Promise<void> {
  await settled();
  expect([...members].filter(([, count]) => count !== 1)).toEqual([]);
  expect([...members.keys()].sort()).toEqual([...people].sort());
}

/** Changes the records of a machine as if it had slept for a minute since then: wall clock and uptime have gone on. */
function fallAsleepBefore(path: string): void {
  const state = join(path, 'state');
  const services = readdirSync(join(state, 'services')).map((name) => join(state, 'services', name, 'in-flight'));
  for (const file of [journalOf(path) ?? 'none', ...services]) {
    rewriteRecords(file, (json) =>
      json.replaceAll(/"(clock|uptime)":(\d+)/g, (_, name, ms) => `"${name}":${Number(ms) - 60_000}`),
    );
  }
}

/** Returns the ID of the run in a report. */
function idOf({ stdout }: Pick<CliResult, 'stdout'>): string {
  return (JSON.parse(stdout) as { run: { id: string } }).run.id;
}

function idIn({ stderr }: Pick<CliResult, 'stderr'>): string {
  const [, id] = /orgadm runs resume ([0-9a-f]{8})/.exec(stderr) ?? [];
  if (id === undefined) throw new Error(`no run to continue: ${stderr}`);
  return id;
}

describe.concurrent('a service that responds at once and adds people three seconds later', () => {
  const half = ({ userIds, result }: BulkRequest): Step => ({ status: 201, body: result(userIds.slice(0, 7)) });
  it.for<[string, Step | typeof half]>([
    ['200 with HTML', { status: 200, body: '<html><title>Please wait</title></html>' }],
    ['202', { status: 202, body: '{"status":"queued"}' }],
    ['500', { status: 500, body: '{"statusCode":500,"message":"Internal server error"}' }],
    ['half of the rows', half],
    ['a reset', { raw: '', after: 'reset' }],
  ])(
    'adds nobody twice when its response is %s',
    { timeout: TIMEOUT_MS },
    async ([name, response], { expect, onTestFinished }) => {
      const { path, import: importList } = home(name.replaceAll(' ', '-'));
      const people = users(45);
      const service = await startPeopleService(
        (request) => {
          if (request.number !== 2) return 'respond';
          void request.addLater(LATE_MS);
          return typeof response === 'function' ? response(request) : response;
        },
        { onEnd: onTestFinished },
      );
      const ended = await importList(writeList(path, people), service, ['--batch-size', '15', '--concurrency', '1']);
      await expectNobodyTwice(service, people);
      const recovered = response === half ? 8 : 15;
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 45, created: 45 - recovered, recovered }),
      });
    },
  );
});

describe.concurrent('kill -9 with a slow request in flight', () => {
  const people = users(20);

  /** A run that is killed while the service is adding its first ten people. */
  async function killedInFlight(
    name: string,
    onTestFinished: (close: () => void) => void,
    more: readonly string[] = [],
  ) {
    const machine = home(name);
    const service = await startPeopleService(
      addsLate(({ number }) => (number === 1 ? LATE_MS : 0)),
      { onEnd: onTestFinished },
    );
    const list = writeList(machine.path, people);
    const first = machine.start(list, service, ['--batch-size', '10', ...more]);
    await service.arrival(1);
    first.child.kill('SIGKILL');
    expect((await first.ended).signal).toBe('SIGKILL');
    return { machine, service, list };
  }

  it(
    'adds nobody twice with the same command',
    async ({ expect, onTestFinished }) => {
      const { machine, service, list } = await killedInFlight('resume', onTestFinished);
      const ended = await machine.import(list, service, ['--batch-size', '10']);
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 0,
        ...counts({ total: 20, created: 10, recovered: 10 }),
      });
      await machine.expectSameAnew(list, service, ended);
    },
    TIMEOUT_MS,
  );

  it.skipIf(!HAS_FAKETIME)(
    'adds nobody twice with runs resume, on a clock that was set forward by an hour',
    async ({ expect, onTestFinished }) => {
      const { machine, service, list } = await killedInFlight('clock', onTestFinished);
      const listed = await machine.orgadm(['runs', 'list', '--json']);
      const [{ id }] = JSON.parse(listed.stdout) as [{ id: string }];
      const argv = ['runs', 'resume', id, '--json', ...Object.entries(LIFETIME).flat()];
      const ended = await startOrgadm(machine.path, argv, undefined, AN_HOUR_LATER).ended;
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 0,
        ...counts({ total: 20, created: 10, recovered: 10 }),
      });
      await machine.expectSameAnew(list, service, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'adds nobody twice with --restart',
    async ({ expect, onTestFinished }) => {
      const { machine, service, list } = await killedInFlight('restart', onTestFinished);
      const ended = await machine.import(list, service, ['--restart']);
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 0,
        ...counts({ total: 20, created: 10, recovered: 10 }),
      });
      await machine.expectSameAnew(list, service, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'adds nobody twice with another list',
    async ({ expect, onTestFinished }) => {
      const { machine, service } = await killedInFlight('other-list', onTestFinished);
      const all = [...people, 'usr_900'];
      const other = writeList(join(machine.path, 'other'), all);
      const ended = await machine.import(other, service);
      await expectNobodyTwice(service, all);
      expect(reportOf(ended).summary).toEqual(counts({ total: 21, created: 11, recovered: 10 }));
      await machine.expectSameAnew(other, service, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'adds nobody twice after its journal was removed',
    async ({ expect, onTestFinished }) => {
      const { machine, service, list } = await killedInFlight('removed', onTestFinished);
      rmSync(join(machine.path, 'state', 'runs'), { recursive: true });
      const ended = await machine.import(list, service);
      await expectNobodyTwice(service, people);
      expect(reportOf(ended).summary).toEqual(counts({ total: 20, created: 10, recovered: 10 }));
      await machine.expectSameAnew(list, service, ended);
    },
    TIMEOUT_MS,
  );

  it(
    'adds nobody twice if the file of the requests in flight is damaged',
    async ({ expect, onTestFinished }) => {
      // Longer than the lifetime alone.
      const limits = ['--timeout', '5s', '--request-lifetime', '1s'];
      const { machine, service, list } = await killedInFlight('unreadable', onTestFinished, limits);
      const [name = ''] = readdirSync(join(machine.path, 'state', 'services'));
      writeFileSync(join(machine.path, 'state', 'services', name, 'in-flight'), 'garbage');
      const ended = await machine.import(list, service, [...limits, '--restart']);
      await expectNobodyTwice(service, people);
      expect(reportOf(ended).summary).toEqual(counts({ total: 20, created: 10, recovered: 10 }));
      await machine.expectSameAnew(list, service, ended);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a journal that lacks the intent of a request in flight', () => {
  it.for<[string, (intent: Buffer) => Buffer]>([
    ['a bit of it is another one', (intent) => Buffer.from(intent.map((byte, at) => (at === 20 ? byte ^ 1 : byte)))],
    ['its newline is missing', (intent) => intent.subarray(0, -1)],
    ['the file system has lost it, or somebody restored a copy', () => Buffer.alloc(0)],
  ])(
    'belongs to a run that adds nobody twice: %s',
    { timeout: TIMEOUT_MS },
    async ([name, damage], { expect, onTestFinished }) => {
      const people = users(20);
      const machine = home(name.replaceAll(' ', '-'));
      const service = await startPeopleService(
        addsLate(({ number }) => (number === 2 ? LATE_MS : 0)),
        { onEnd: onTestFinished },
      );
      const list = writeList(machine.path, people);
      const first = machine.start(list, service, ['--batch-size', '10']);
      await service.arrival(2);
      first.child.kill('SIGKILL');
      await first.ended;
      const journal = journalOf(machine.path) ?? 'none';
      const content = readFileSync(journal);
      const last = content.lastIndexOf('\n', -2) + 1;
      expect(content.toString('utf8', last)).toContain('"t":"intent"');
      writeFileSync(journal, Buffer.concat([content.subarray(0, last), damage(content.subarray(last))]));

      const ended = await machine.import(list, service, ['--batch-size', '10']);
      await expectNobodyTwice(service, people);
      // Nothing says that the first process sent the last ten, but it may have.
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 20, created: 10, recovered: 10 }),
      });
      await machine.expectSameAnew(list, service, ended);
    },
  );
});

describe.concurrent('a machine that sleeps with a request in its send buffer', () => {
  it(
    'adds nobody twice when it wakes up and the request is delivered: the time asleep does not count',
    async ({ expect, onTestFinished }) => {
      const people = users(20);
      const machine = home('asleep');
      const service = await startPeopleService(
        addsLate(({ number }) => (number === 1 ? LATE_MS : 0)),
        { onEnd: onTestFinished },
      );
      const list = writeList(machine.path, people);
      const first = machine.start(list, service, ['--batch-size', '10']);
      await service.arrival(1);
      first.child.kill('SIGKILL');
      await first.ended;
      fallAsleepBefore(machine.path);
      const ended = await machine.import(list, service, ['--batch-size', '10']);
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 20, created: 10, recovered: 10 }),
      });
    },
    TIMEOUT_MS,
  );

  it(
    'makes another list wait as long',
    async ({ expect, onTestFinished }) => {
      const people = users(20);
      const machine = home('asleep-other-list');
      const service = await startPeopleService(
        addsLate(({ number }) => (number === 1 ? LATE_MS : 0)),
        { onEnd: onTestFinished },
      );
      const first = machine.start(writeList(machine.path, people), service);
      await service.arrival(1);
      first.child.kill('SIGKILL');
      await first.ended;
      fallAsleepBefore(machine.path);
      const all = [...people, 'usr_900'];
      const ended = await machine.import(writeList(join(machine.path, 'other'), all), service);
      await expectNobodyTwice(service, all);
      expect(reportOf(ended).summary).toEqual(counts({ total: 21, created: 1, recovered: 20 }));
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a request that times out on a plain connection', () => {
  it(
    'ends with a reset of the connection, so that the system delivers nothing afterwards',
    async ({ expect, onTestFinished }) => {
      const ends: string[] = [];
      const server = createServer((socket) => {
        socket.on('data', (bytes) => {
          if (bytes.toString('latin1', 0, 3) === 'GET') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]');
        });
        socket.on('error', ({ message }) => ends.push(message));
        socket.on('end', () => ends.push('end'));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      onTestFinished(() => void server.close());
      const { path, import: importList } = home('reset');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      await importList(writeList(path, users(1)), { url }, ['--request-lifetime', '1ms']);
      expect([...new Set(ends)]).toEqual(['read ECONNRESET']);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a run that is continued twice', () => {
  it(
    'waits for the requests of the second process, whatever became of those of the first one',
    async ({ expect, onTestFinished }) => {
      const people = users(100);
      const machine = home('twice');
      const error500 = { status: 500, body: '{"statusCode":500,"message":"Internal server error"}' };
      let isFailing = true;
      const service = await startPeopleService(
        (request) => {
          // The first request hangs, and those of the second process fail while the service is adding people.
          if (request.number === 1) return 'ignore';
          if (!isFailing || request.number === 2) return 'respond';
          void request.addLater(LATE_MS);
          return error500;
        },
        { onEnd: onTestFinished },
      );
      const list = writeList(machine.path, people);
      const first = machine.start(list, service);
      await service.arrival(1);
      first.child.kill('SIGKILL');
      await first.ended;
      const second = await machine.import(list, service, ['--concurrency', '1']);
      expect({ code: second.code, ...reportOf(second).summary }).toEqual({
        code: 3,
        ...counts({ total: 100, created: 1, unknown: 99 }),
      });
      isFailing = false;
      const third = await machine.import(list, service);
      await expectNobodyTwice(service, people);
      // A probe had created one of them, and the others may have been added by the first request or by a later one.
      expect({ code: third.code, ...reportOf(third).summary }).toEqual({
        code: 3,
        ...counts({ total: 100, created: 1, recovered: 99 }),
      });
      await machine.expectSameAnew(list, service, third);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('an import whose batches take longer than the timeout', () => {
  it(
    'converges: every person is added once, and a message names --timeout',
    async ({ expect, onTestFinished }) => {
      const { path, import: importList } = home('slow');
      const people = users(60);
      // Far from the timeout of a second, for a machine that is busy.
      const lateMs = ({ userIds }: { userIds: readonly string[] }) => (userIds.length > 30 ? 3_000 : 50);
      const service = await startPeopleService(addsLate(lateMs), { onEnd: onTestFinished });
      const ended = await importList(writeList(path, people), service, ['--batch-size', '60']);
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 0,
        ...counts({ total: 60, recovered: 60 }),
      });
      expect(ended.stderr).toContain(
        'the service took longer than 1 s to respond for a while, so orgadm reduced the batch size to 30 rows for that time. To wait longer for responses, use --timeout.\n',
      );
    },
    TIMEOUT_MS,
  );

  it(
    'sends the rest of the list in batches that fit',
    async ({ expect, onTestFinished }) => {
      const { path, import: importList } = home('slow-rest');
      const people = users(60);
      // Ten rows take longer than a quarter of the timeout.
      const lateMs = ({ userIds }: { userIds: readonly string[] }) =>
        userIds.length > 10 ? 3_000 : userIds.length === 10 ? 400 : 0;
      const service = await startPeopleService(addsLate(lateMs), { onEnd: onTestFinished });
      const more = ['--batch-size', '20', '--concurrency', '1'];
      const ended = await importList(writeList(path, people), service, more);
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 0,
        ...counts({ total: 60, created: 40, recovered: 20 }),
      });
      expect(service.sizes).toEqual([20, 1, 10, 10, 10, 9, 10, 10]);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a table that is locked for longer than the lifetime', () => {
  /** Everybody waits for the lock, and then for the ordinary time of a request, whatever orgadm does. */
  async function lockedService(lockMs: number, onTestFinished: (close: () => void) => void) {
    let releasedAtMs = 0;
    const lateMs = ({ number }: { number: number }) => {
      if (number === 1) releasedAtMs = Date.now() + lockMs;
      return Math.max(0, releasedAtMs - Date.now()) + 500;
    };
    return startPeopleService(addsLate(lateMs), { onEnd: onTestFinished });
  }
  const options = ['--batch-size', '8', '--concurrency', '1', '--request-lifetime', '2s', '--timeout', '2s'];
  const twice = ({ members }: PeopleService) => [...members].flatMap(([userId, count]) => (count > 1 ? userId : []));

  it(
    'adds one person twice, whom every later report names, and everyone else once',
    async ({ expect, onTestFinished }) => {
      const machine = home('locked');
      const people = users(8);
      // For the first request, a lifetime, and half of the timeout of the probe.
      const service = await lockedService(5_000, onTestFinished);
      const list = writeList(machine.path, people);
      const ended = await machine.orgadm(bulkAdd(list, service, options));
      await service.settled();
      expect(twice(service), ended.stderr).toEqual(['usr_008']);
      expect([...service.members.keys()].sort()).toEqual(people);
      expect(service.sizes).toEqual([8, 1, 4, 3]);
      const named = [{ line: 9, entry: 8, userId: 'usr_008' }];
      expect({ code: ended.code, ...reportOf(ended) }).toMatchObject({
        code: 3,
        summary: { total: 8, created: 1, recovered: 7 },
        possibleDuplicates: named,
      });
      const shown = await machine.orgadm(['runs', 'show', idOf(ended), '--json']);
      expect(reportOf(shown)).toMatchObject({ possibleDuplicates: named });
      const table = await machine.orgadm(['runs', 'show', idOf(ended)]);
      expect(table.stderr).toContain('1 person may be in your service twice, because');
    },
    TIMEOUT_MS,
  );

  it(
    'sends no other row again if that row has no outcome three times, and the same command completes the run',
    async ({ expect, onTestFinished }) => {
      const machine = home('locked-for-long');
      const people = users(8);
      const service = await lockedService(16_000, onTestFinished);
      const list = writeList(machine.path, people);
      const first = await machine.orgadm(bulkAdd(list, service, options));
      expect({ code: first.code, ...reportOf(first).summary }).toMatchObject({ code: 3, unknown: 8 });
      expect(service.sizes).toEqual([8, 1, 1, 1]);
      await service.settled();
      const second = await machine.orgadm(bulkAdd(list, service, options));
      expect({ code: second.code, ...reportOf(second) }, second.stderr).toMatchObject({
        code: 3,
        summary: { recovered: 8, unknown: 0 },
        possibleDuplicates: [{ userId: 'usr_008' }],
      });
      expect(twice(service)).toEqual(['usr_008']);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a service that is slow for a while', () => {
  it(
    'gets batches of the size that the user asked for again when it is fast',
    async ({ expect, onTestFinished }) => {
      const machine = home('slow-for-a-while');
      const people = users(300);
      const service = await startPeopleService(
        addsLate(({ number }) => (number <= 4 ? 3_000 : 0)),
        { onEnd: onTestFinished },
      );
      // A fast response takes less than a quarter of the timeout, also on a busy machine.
      const more = ['--batch-size', '64', '--concurrency', '1', '--timeout', '2s'];
      const ended = await machine.import(writeList(machine.path, people), service, more);
      await expectNobodyTwice(service, people);
      expect(ended.code, ended.stderr).toBe(0);
      expect(service.sizes.slice(0, 8)).toEqual([64, 1, 1, 1, 1, 32, 64, 64]);
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a response that lists a person as created and, by position, as failed', () => {
  it(
    'does not make the person created: orgadm sends the row again',
    async ({ expect, onTestFinished }) => {
      const machine = home('rolled-back');
      const people = users(3);
      const service = await startPeopleService(
        ({ number, userIds }) => {
          if (number > 1) return 'respond';
          const created = userIds.map((userId) => ({ id: `mem_${userId}`, userId }));
          return { status: 201, body: { created, errors: [{ index: 1, error: 'rolled back' }] } };
        },
        { onEnd: onTestFinished },
      );
      const ended = await machine.import(writeList(machine.path, people), service);
      expect({ code: ended.code, ...reportOf(ended).summary }).toMatchObject({ code: 0, created: 3 });
      // The index alone does not say which of two rows failed, so each of them was sent again.
      expect([...service.addedBy].sort()).toEqual(people.map((userId) => [userId, 2]));
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('one row that makes the service fail', () => {
  it(
    'is found and named, and every other row is resolved',
    async ({ expect, onTestFinished }) => {
      const { path, import: importList } = home('bad-row');
      const people = users(300);
      const service = await startPeopleService(
        ({ userIds }) =>
          userIds.includes('usr_150')
            ? { status: 500, body: { statusCode: 500, message: 'Internal server error' } }
            : 'respond',
        { onEnd: onTestFinished },
      );
      const errors = join(path, 'errors.csv');
      const more = ['--batch-size', '100', '--request-lifetime', '100ms', '--errors-file', errors];
      const ended = await importList(writeList(path, people), service, more);
      expect({ code: ended.code, ...reportOf(ended).summary }).toEqual({
        code: 3,
        ...counts({ total: 300, created: 299, unknown: 1 }),
      });
      const message = 'the service fails when orgadm sends the row alone (500 Internal server error)';
      expect(reportOf(ended).rows).toMatchObject([{ line: 151, userId: 'usr_150', state: 'unknown', error: message }]);
      expect(readFileSync(errors, 'utf8')).toBe(
        `userId,role,department,isActive,deviceMgmtLabelId,line,error\nusr_150,member,,,,151,${message}\n`,
      );
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('two services and one file', () => {
  it(
    'are two runs: each is continued by the command that its own run has printed',
    async ({ expect, onTestFinished }) => {
      const machine = home('two-services');
      const people = users(9);
      const list = writeList(machine.path, people);
      const options = ['--batch-size', '3', '--concurrency', '1', '--request-lifetime', '1ms'];
      const forbidden = { status: 403, body: { statusCode: 403, message: 'Forbidden' } };
      const staging = await startPeopleService(
        ({ number, response }) => {
          if (number !== 2) return number === 3 ? forbidden : 'respond';
          response.destroy();
          return 'apply';
        },
        { onEnd: onTestFinished },
      );
      const production = await startPeopleService(({ number }) => (number === 2 ? forbidden : 'respond'), {
        onEnd: onTestFinished,
      });
      const inStaging = await machine.import(list, staging, options);
      expect(reportOf(inStaging).summary).toMatchObject({ created: 3, unknown: 3, unsent: 3 });
      const inProduction = await machine.import(list, production, options);
      expect(reportOf(inProduction).summary).toMatchObject({ created: 3, unsent: 6 });

      production.step = () => 'respond';
      staging.step = () => 'respond';
      const continued = await machine.orgadm(['runs', 'resume', idIn(inProduction), ...options, '--json']);
      expect({ code: continued.code, ...reportOf(continued).summary }).toEqual({
        code: 0,
        ...counts({ total: 9, created: 9 }),
      });
      const first = await machine.orgadm(['runs', 'resume', idIn(inStaging), ...options, '--json']);
      expect({ code: first.code, ...reportOf(first).summary }).toEqual({
        code: 0,
        ...counts({ total: 9, created: 6, recovered: 3 }),
      });
    },
    TIMEOUT_MS,
  );
});

describe.concurrent('a gateway that responds with a web page to every import', () => {
  it(
    'costs ten requests, one at a time, and one wait',
    async ({ expect, onTestFinished }) => {
      const { path, import: importList } = home('web-page');
      const service = await startPeopleService(
        (request) => {
          request.add();
          return { status: 200, body: '<html><title>Sign in</title></html>' };
        },
        { onEnd: onTestFinished },
      );
      const list = writeList(path, users(300));
      const more = ['--batch-size', '30', '--request-lifetime', '100ms'];
      const ended = await importList(list, service, more);
      expect({ code: ended.code, sizes: service.sizes }).toEqual({
        code: 6,
        sizes: [30, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      });
      expect(errorOf(ended)).toMatchObject({
        code: 'invalid-response',
        message: expect.stringMatching(/^the outcome of 10 requests in a row is unknown: /),
        hint: 'Try again later.',
      });
    },
    TIMEOUT_MS,
  );
});
