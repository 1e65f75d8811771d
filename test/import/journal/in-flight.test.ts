import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { journalOf, rewriteRecords, runDirectories, users, writeList } from '../../helpers/journal-files.ts';
import { FORBIDDEN, type PeopleService, type Step, startPeopleService } from '../../helpers/people-service.ts';
import { reportOf } from '../../helpers/report.ts';
import { runCli } from '../../helpers/run-cli.ts';
import { MINUTE_MS, TIMEOUT_MS, timedMachine } from './timed-imports.ts';

/*
 * Nobody is sent who may be in a request of another import into the same service before that request is over, whatever became of
 * the journals: one row first, a lifetime after the end of the request, and the others a lifetime after somebody was created.
 */

const machine = timedMachine();

/** Imports another list with a short lifetime of its own. Returns its waits in milliseconds. */
async function waitsOfOtherList(service: PeopleService): Promise<readonly number[]> {
  const list = writeList(join(machine.home, 'other'), users(7));
  const { code, stderr, waits } = await machine.importList(list, service, '1s');
  expect(code, stderr).not.toBe(2);
  return waits;
}

/** The directory of the only service. */
function serviceDirectory(): string {
  const services = join(machine.home, 'state', 'services');
  const names = readdirSync(services);
  expect(names).toHaveLength(1);
  return join(services, names[0] ?? 'none');
}

const inFlightPath = () => join(serviceDirectory(), 'in-flight');

/** Returns what leaves the files of the only run as they are now, as those of a process that is killed. */
function keepFiles(): () => void {
  const path = journalOf(machine.home) ?? 'none';
  const [file, journal] = [readFileSync(inFlightPath()), readFileSync(path)];
  return () => {
    writeFileSync(inFlightPath(), file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, journal);
  };
}

/** Imports a list until this request of the import arrives, and leaves the files as a process leaves them that is killed then. */
async function killedInRequest(killed: number, list: string, service: PeopleService, lifetime: string): Promise<void> {
  const { requests } = service;
  let kept: () => void = () => {};
  service.step = async ({ number }): Promise<Step> => {
    if (number < requests + killed) {
      await machine.clock.advance(5_000);
      return 'respond';
    }
    kept = keepFiles();
    return FORBIDDEN;
  };
  await machine.importList(list, service, lifetime);
  kept();
  service.step = () => 'respond';
}

describe('another list into the same service', () => {
  it('sends other people at once, and those of an earlier run a lifetime after somebody was created', async () => {
    const { service } = await machine.unfinished('2m');
    const before = service.sizes.length;
    expect(await waitsOfOtherList(service)).toEqual([2 * MINUTE_MS]);
    // The four others, and then the three people of the earlier run.
    expect(service.sizes.slice(before)).toEqual([3, 1, 3]);
  });

  it.each<[string, boolean]>([
    ['--restart', false],
    ['--restart after its journal was removed', true],
  ])('sends nobody again before that request is over: %s', async (_, isRemoved) => {
    const { list, service } = await machine.unfinished('2m');
    if (isRemoved) rmSync(join(machine.home, 'state', 'runs'), { recursive: true });
    const times = machine.timesOfSends(service);
    const { code, stdout } = await machine.importList(list, service, '1s', { more: ['--restart'] });
    expect({ code, ...reportOf({ stdout }).summary }).toMatchObject({ created: 3, recovered: 3 });
    // Without the journal, nobody knows whom the lost run has sent, so the person of the probe is named.
    expect(code).toBe(isRemoved ? 3 : 0);
    const inFlight = ['usr_001', 'usr_002', 'usr_003'].map((userId) => times[userId] ?? 0);
    expect(Math.min(...inFlight)).toBeGreaterThanOrEqual(2 * MINUTE_MS);
    expect([...service.members.values()]).toEqual(Array(6).fill(1));
  });

  it('counts when the failed rows of a finished run are sent again, too', async () => {
    const service = await startPeopleService(undefined, { rejects: () => undefined });
    const list = writeList(machine.home, users(3));
    service.step = ({ userIds }) => ({
      status: 201,
      body: { created: [], errors: userIds.map((userId) => ({ userId, error: 'no seat left' })) },
    });
    await machine.importList(list, service, '2m');
    const longer = writeList(join(machine.home, 'longer'), users(4));
    service.step = (request) => {
      if (request.number > 2) return FORBIDDEN;
      request.response.destroy();
      return 'apply';
    };
    expect(reportOf(await machine.importList(longer, service, '2m')).summary).toMatchObject({ unknown: 3, unsent: 1 });
    const times = machine.timesOfSends(service);
    const { waits } = await machine.importList(list, service, '2m');
    expect(waits).toEqual([2 * MINUTE_MS]);
    expect(Math.min(...Object.values(times))).toBe(2 * MINUTE_MS);
    expect([...service.members.values()]).toEqual([1, 1, 1]);
  });

  it('sends no more people than --limit allows if everybody counts', async () => {
    const { service } = await machine.unfinished('2m');
    rmSync(join(machine.home, 'state', 'runs'), { recursive: true });
    const list = writeList(join(machine.home, 'other'), users(7));
    const times = machine.timesOfSends(service);
    const { stdout } = await machine.importList(list, service, '1s', { more: ['--limit', '2'] });
    expect(Object.keys(times).sort()).toEqual(['usr_001', 'usr_002']);
    expect(reportOf({ stdout }).summary).toMatchObject({ recovered: 2, unsent: 5, stopped: { code: 'limit' } });
  });

  it.each<[string, string[], object]>([
    ['with others of the request', ['usr_001', 'usr_002', 'usr_900'], { created: 1, recovered: 2 }],
    ['of other people', ['usr_900'], { created: 1 }],
  ])('names a person of a killed run whom a probe may have added: a list %s', async (_, people, summary) => {
    let kept: () => void = () => {};
    const service = await startPeopleService(({ number, response }) => {
      if (number > 1) {
        kept = keepFiles();
        return FORBIDDEN;
      }
      response.destroy();
      return 'apply';
    });
    await machine.importList(writeList(machine.home, users(3)), service, '2m');
    kept();
    service.step = () => 'respond';
    const other = writeList(join(machine.home, 'other'), people);
    const { code, stdout, stderr } = await machine.importList(other, service, '2m');
    expect({ code, ...JSON.parse(stdout) }, stderr).toMatchObject({
      code: 3,
      summary,
      possibleDuplicates: [{ line: null, entry: null, userId: 'usr_003' }],
    });
    const shown = await runCli(machine.home, ['runs', 'show', JSON.parse(stdout).run.id, '--json']);
    expect(JSON.parse(shown.stdout).possibleDuplicates).toEqual(JSON.parse(stdout).possibleDuplicates);
  });

  it('takes people whom a list of others has added for the proof', async () => {
    const { service } = await machine.unfinished('2m');
    const others = writeList(join(machine.home, 'others'), ['usr_900']);
    expect((await machine.importList(others, service, '2m')).waits).toEqual([]);
    await machine.clock.advance(MINUTE_MS);
    expect(await waitsOfOtherList(service)).toEqual([MINUTE_MS]);
  });

  it('does not do so if they were sent before the first request must have ended', async () => {
    const service = await startPeopleService();
    await killedInRequest(2, writeList(machine.home, users(6)), service, '2m');
    const others = writeList(join(machine.home, 'others'), ['usr_900']);
    expect((await machine.importList(others, service, '2m')).waits).toEqual([]);
    await machine.clock.advance(TIMEOUT_MS + 2 * MINUTE_MS);
    expect(await waitsOfOtherList(service)).toEqual([2 * MINUTE_MS]);
  });

  it('does not wait for a run that knows the outcome of each request', async () => {
    const service = await startPeopleService(({ number }) => (number === 2 ? FORBIDDEN : 'respond'));
    const list = writeList(machine.home, users(6));
    expect(reportOf(await machine.importList(list, service, '2m')).summary).toMatchObject({ created: 3, unsent: 3 });
    expect(await waitsOfOtherList(service)).toEqual([]);
  });

  it('waits for the later one of two earlier runs', async () => {
    const { service } = await machine.unfinished('10m');
    const second = writeList(join(machine.home, 'second'), users(3));
    service.step = ({ response }) => {
      response.destroy();
      return 'apply';
    };
    const { waits } = await machine.importList(second, service, '3m');
    // For the first run, and before it sends its only unknown row again, twice.
    expect(waits).toEqual([10, 3, 3].map((minutes) => minutes * MINUTE_MS));
    await machine.clock.advance(MINUTE_MS);
    service.step = () => 'respond';
    // The longest lifetime of all of them counts.
    expect(await waitsOfOtherList(service)).toEqual([10 * MINUTE_MS]);
  });

  it.each([1, 2])(
    'waits for the timeout and the lifetime of request %i if the process was killed in it',
    async (killed) => {
      const service = await startPeopleService();
      await killedInRequest(killed, writeList(machine.home, users(6)), service, '2m');
      await machine.clock.advance(10_000);
      expect(await waitsOfOtherList(service)).toEqual([TIMEOUT_MS + 2 * MINUTE_MS - 10_000, 2 * MINUTE_MS]);
    },
  );

  it('does not wait for the timeout of a request that had ended before the process was killed', async () => {
    const { list, service } = await machine.unfinished('2m');
    let kept: () => void = () => {};
    const signals = new EventEmitter();
    const sleep = (_ms: number, signal?: AbortSignal) => {
      kept = keepFiles();
      signals.emit('signal', 'SIGINT');
      return machine.clock.sleep(0, signal);
    };
    await machine.importList(list, service, '2m', { clock: { ...machine.clock, sleep }, signals });
    kept();
    rmSync(join(machine.home, 'state', 'runs'), { recursive: true });
    // Somebody was created before that, too.
    expect(await waitsOfOtherList(service)).toEqual([2 * MINUTE_MS]);
  });

  it('waits for an earlier request of a run that was killed in a request with a shorter lifetime', async () => {
    const { list, service } = await machine.unfinished('10m');
    await machine.clock.advance(MINUTE_MS);
    await killedInRequest(1, list, service, '1s');
    expect(await waitsOfOtherList(service)).toEqual([TIMEOUT_MS + 10 * MINUTE_MS, 10 * MINUTE_MS]);
  });
});

describe('the file of requests in flight', () => {
  it('counts from the end of the last request, also if the lifetimes of all of them were over', async () => {
    const list = writeList(machine.home, users(6));
    const service = await startPeopleService(async ({ number, response }): Promise<Step> => {
      await machine.clock.advance(20_000);
      if (number > 2) return FORBIDDEN;
      response.destroy();
      return 'apply';
    });
    const first = await machine.importList(list, service, '1s');
    expect(reportOf(first).summary).toMatchObject({ unknown: 4, unsent: 2 });
    rmSync(join(machine.home, 'state', 'runs'), { recursive: true });
    service.step = () => 'respond';
    const other = writeList(join(machine.home, 'other'), users(7));
    const { waits } = await machine.importList(other, service, '10m');
    expect(waits).toEqual([10 * MINUTE_MS - 20_000, 10 * MINUTE_MS]);
  });

  it('is removed with the last of them', async () => {
    const { list, service } = await machine.unfinished('2m');
    expect(existsSync(inFlightPath())).toBe(true);
    expect((await machine.importList(list, service, '2m')).code).toBe(0);
    expect(existsSync(inFlightPath())).toBe(false);
    expect(await waitsOfOtherList(service)).toEqual([]);
  });

  it('has nothing of a run that ends without any outcome, which leaves no journal behind', async () => {
    const service = await startPeopleService(() => FORBIDDEN);
    const ended = await machine.importList(writeList(machine.home, users(6)), service, '2m');
    expect({ code: ended.code, ...reportOf(ended).summary }).toMatchObject({ code: 4, unsent: 6 });
    expect({ runs: runDirectories(machine.home), inFlight: existsSync(inFlightPath()) }).toEqual({
      runs: [],
      inFlight: false,
    });
  });

  it.each<[string, (text: string) => string, number]>([
    ['is empty', () => '', 1_000],
    ['has a damaged first line', (text) => text.replace(/^./, 'x'), 1_000],
    ['has a damaged line in the middle', (text) => text.replace(/\n./, '\nx'), 10 * MINUTE_MS],
    ['has a damaged last line', (text) => `${text}torn`, 10 * MINUTE_MS],
  ])(
    'makes everybody count if it %s: for the lifetime in the lines before, or that of the command',
    async (_, damage, lifetimeMs) => {
      const { service } = await machine.unfinished('10m');
      writeFileSync(inFlightPath(), damage(readFileSync(inFlightPath(), 'utf8')));
      expect(await waitsOfOtherList(service)).toEqual([TIMEOUT_MS + lifetimeMs, lifetimeMs]);
    },
  );

  it('makes everybody count if it has another format', async () => {
    const { service } = await machine.unfinished('10m');
    rewriteRecords(inFlightPath(), (json) => JSON.stringify({ ...JSON.parse(json), lifetimeMs: undefined }));
    expect(await waitsOfOtherList(service)).toEqual([TIMEOUT_MS + 1_000, 1_000]);
  });

  it('shows that a journal lacks the last request, also if it has an earlier one of the same moment', async () => {
    const { list, service } = await machine.unfinished('2m');
    const journal = journalOf(machine.home) ?? 'none';
    const records = readFileSync(journal, 'utf8');
    writeFileSync(journal, records.slice(0, records.lastIndexOf('\n', records.indexOf('"request":2')) + 1));
    const times = machine.timesOfSends(service);
    await machine.importList(list, service, '2m');
    // One row first, and the others after a second lifetime.
    expect(times).toMatchObject({ usr_006: 2 * MINUTE_MS, usr_004: 4 * MINUTE_MS });
  });

  it('shows that an older copy of a journal lacks the last request, also if it has another one with its number', async () => {
    const { list, service } = await machine.unfinished('2m');
    service.step = () => FORBIDDEN;
    await machine.importList(list, service, '2m');
    const journal = journalOf(machine.home) ?? 'none';
    const copy = readFileSync(journal, 'utf8');
    writeFileSync(journal, copy.slice(0, copy.indexOf('\n') + 1));
    await machine.clock.advance(60 * MINUTE_MS);
    const { requests } = service;
    service.step = ({ number, response }) => {
      if (number > requests + 1) return FORBIDDEN;
      response.destroy();
      return 'apply';
    };
    // Everybody in flight is number 1, a probe 2, and the last request 3, as in the copy.
    expect(reportOf(await machine.importList(list, service, '2m')).summary).toMatchObject({ unknown: 6 });
    writeFileSync(journal, copy);
    service.step = () => 'respond';
    const before = service.sizes.length;
    await machine.importList(list, service, '2m');
    // Nobody is sent as if for the first time.
    expect(service.sizes.slice(before)).toEqual([1, 1, 1, 3]);
  });
});
