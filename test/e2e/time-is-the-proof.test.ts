import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { journalOf, rewriteRecords, users, writeList } from '../helpers/journal-files.ts';
import { bulkAddArgs, startOrgadm, withDefaults } from '../helpers/orgadm-process.ts';
import {
  type BulkRequest,
  INTERNAL_ERROR,
  type PeopleService,
  type Step,
  startPeopleService,
} from '../helpers/people-service.ts';
import { counts, reportOf } from '../helpers/report.ts';
import { runBuilt } from '../helpers/run-cli.ts';

/*
 * What only the built program, real time, and real processes show. The tests of import/send and import/journal have a clock of their
 * own, and state everything else.
 */

/** One folder for all tests, because they run at the same time. */
const folder = mkdtempSync(join(tmpdir(), 'orgadm-time-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** How long after a request the service adds people. On a busy machine, it may do so later. */
const LATE_MS = 3_000;
/** A request is over before this has passed, and the timeout is shorter than either. */
const LIMITS = { '--timeout': '1s', '--request-lifetime': '5s' };
const TIMEOUT_MS = 60_000;

function importArgs(path: string, service: { url: string }, people: readonly string[], more: readonly string[] = []) {
  return bulkAddArgs(writeList(path, people), service, withDefaults({ '--batch-size': '10', ...LIMITS }, more));
}

async function expectNobodyTwice({ members, settled }: PeopleService, people: readonly string[]): Promise<void> {
  await settled();
  expect([...members].filter(([, count]) => count !== 1)).toEqual([]);
  expect([...members.keys()].sort()).toEqual(people);
}

describe.concurrent('a service that adds people three seconds after a request', () => {
  it.for<[string, number, (request: BulkRequest) => Step]>([
    ['202', 10, () => ({ status: 202, body: { status: 'queued' } })],
    ['500', 10, () => INTERNAL_ERROR],
    ['half of the rows', 5, ({ userIds, result }) => ({ status: 201, body: result(userIds.slice(0, 5)) })],
    ['a reset', 10, () => ({ raw: '', after: 'reset' })],
    ['nothing', 10, () => 'ignore'],
  ])(
    'adds nobody twice when its response is %s',
    { timeout: TIMEOUT_MS },
    async ([name, recovered, respond], { expect, onTestFinished }) => {
      const path = join(folder, name.replaceAll(' ', '-'));
      const people = users(30);
      const service = await startPeopleService(
        (request) => {
          if (request.number !== 2) return 'respond';
          void request.addLater(LATE_MS);
          return respond(request);
        },
        { onEnd: onTestFinished },
      );
      const args = importArgs(path, service, people);
      const ended = await runBuilt(path, args, { env: { ORGADM_API_KEY: API_KEY } });
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 30, created: 30 - recovered, recovered }),
      });
    },
  );
});

/** Sets the clock of a command forward by an hour. The time since the machine was started is as it was. */
const AN_HOUR_LATER = ['env', 'FAKETIME_DONT_FAKE_MONOTONIC=1', 'faketime', '-f', '+1h'];
/** The other tests of this file need no other program, and run everywhere. */
const HAS_FAKETIME = process.env.CI !== undefined || spawnSync('faketime', ['--version']).status === 0;

/** Changes the records of a machine as if it had slept for a minute since then: wall clock and uptime have gone on. */
function fallAsleepBefore(path: string): void {
  const services = join(path, 'state', 'services');
  const inFlight = readdirSync(services).map((name) => join(services, name, 'in-flight'));
  for (const file of [journalOf(path) ?? 'none', ...inFlight])
    rewriteRecords(file, (json) =>
      json.replaceAll(/"(clock|uptime)":(\d+)/g, (_, name, ms) => `"${name}":${Number(ms) - 60_000}`),
    );
}

describe.concurrent('kill -9 with a slow request in flight', () => {
  it.for<[string, (path: string) => void, within: readonly string[]]>([
    ['', () => {}, []],
    [' on a clock that was set forward by an hour', () => {}, AN_HOUR_LATER],
    [' after the machine has slept for a minute', fallAsleepBefore, []],
  ])(
    'adds nobody twice with the same command%s',
    { timeout: TIMEOUT_MS },
    async ([name, change, within], { expect, onTestFinished, skip }) => {
      skip(within.length > 0 && !HAS_FAKETIME);
      const path = join(folder, `killed${name.replaceAll(' ', '-')}`);
      // In one request, so nobody else proves anything.
      const people = users(10);
      const service = await startPeopleService(
        async ({ number, addLater }): Promise<Step> => {
          await addLater(number === 1 ? LATE_MS : 0);
          return 'respond';
        },
        { onEnd: onTestFinished },
      );
      const args = importArgs(path, service, people);
      const first = startOrgadm(path, args);
      await service.arrival(1);
      first.child.kill('SIGKILL');
      expect((await first.ended).signal).toBe('SIGKILL');
      change(path);
      const ended = await startOrgadm(path, args, undefined, within).ended;
      await expectNobodyTwice(service, people);
      expect({ code: ended.code, ...reportOf(ended).summary }, ended.stderr).toEqual({
        code: 0,
        ...counts({ total: 10, recovered: 10 }),
      });
    },
  );
});

it.concurrent('resets the connection of a request that times out, so that the system delivers nothing afterwards', async ({
  expect,
}) => {
  const ends: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      if (bytes.toString('latin1', 0, 3) === 'GET') socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]');
    });
    socket.on('error', ({ message }) => ends.push(message));
    socket.on('end', () => ends.push('end'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const path = join(folder, 'reset');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = importArgs(path, { url }, users(1), ['--request-lifetime', '1ms']);
  await runBuilt(path, args, { env: { ORGADM_API_KEY: API_KEY } });
  server.close();
  expect([...new Set(ends)]).toEqual(['read ECONNRESET']);
});
