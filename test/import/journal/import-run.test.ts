import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ImportRun, type RunLimits, readRun } from '../../../src/import/journal/import-run.ts';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import { JOURNAL_VERSION } from '../../../src/import/journal/records.ts';
import { emptyOutcome } from '../../../src/import/journal/request-outcome.ts';
import type { RunState } from '../../../src/import/journal/run-state.ts';
import { presentMoment } from '../../../src/util/moment.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { journalWith } from './write-journal.ts';

const TIMEOUT_MS = 30_000;
const LIFETIME_MS = 120_000;

const HEAD = {
  t: 'run',
  version: JOURNAL_VERSION,
  id: 'run-1',
  list: 'members.csv',
  digest: 'd',
  total: 10,
  invalid: '10',
  service: 'https://api.example.com',
  keyFingerprint: 'f',
  startedAt: '2026-01-01T00:00:00.000Z',
} as const;

interface Fixture {
  readonly path: string;
  readonly clock: TestClock;
  readonly limits: RunLimits;
  inFlight(): Promise<InFlightFile>;
  create(): Promise<ImportRun>;
  open(lifetimeMs?: number): Promise<ImportRun>;
}

async function fixture(): Promise<Fixture> {
  const folder = temporaryFolder();
  const path = join(folder, 'run', 'journal');
  await mkdir(dirname(path));
  const clock = createTestClock();
  await clock.advance(1_000_000);
  const limits = { clock, timeoutMs: TIMEOUT_MS, lifetimeMs: LIFETIME_MS, keepsMemberIds: true };
  const inFlight = () => InFlightFile.read(join(folder, 'in-flight'), HEAD.id);
  return {
    ...{ path, clock, limits, inFlight },
    create: async () => ImportRun.create(path, HEAD, await inFlight(), limits),
    open: async (lifetimeMs = LIFETIME_MS) => ImportRun.open(path, await inFlight(), { ...limits, lifetimeMs }),
  };
}

const statesOf = ({ rowStates }: RunState) =>
  Array.from({ length: rowStates.total }, (_, at) => rowStates.stateOf(at + 1));

describe('a run', () => {
  it('gives each row the state that its last outcome proves, also when another process reads the journal', async () => {
    const { create, open, path } = await fixture();
    const run = await create();
    const { request } = await run.begin([1, 2, 3, 4, 5, 6]);
    run.finish(request, {
      ...emptyOutcome(),
      created: [1, 2, 6],
      memberIds: ['mem_1', null, 'mem_6'],
      existing: [[3, 'already a member']],
      failed: [[4, 'not found']],
      unknown: [[[5], 'left out']],
      duplicates: [{ entry: 1, memberIds: ['mem_0', 'mem_1'] }],
    });
    const expected = [
      ...['created', 'created', 'existing', 'failed', 'unknown'],
      ...['created', 'unsent', 'unsent', 'unsent', 'invalid'],
    ];
    expect(statesOf(run.state)).toEqual(expected);
    await run.close({ atMs: 1, stopped: { code: 'timeout', message: 'no response' } });

    const read = await readRun(path);
    expect(statesOf(read.state)).toEqual(expected);
    expect(read.closed).toEqual({ t: 'closed', atMs: 1, stopped: { code: 'timeout', message: 'no response' } });
    const again = await open();
    expect(statesOf(again.state)).toEqual(expected);
    expect([3, 4, 5].map((entry) => again.state.messageFor(entry))).toEqual([
      'already a member',
      'not found',
      'left out',
    ]);
    expect([1, 2, 6].map((entry) => again.state.memberIdFor(entry))).toEqual(['mem_1', undefined, 'mem_6']);
    expect(again.state.duplicates).toEqual([{ entry: 1, memberIds: ['mem_0', 'mem_1'] }]);
    expect((await again.begin([7])).request).toBe(2);
    await again.close({ atMs: 2 });
  });

  it('leaves rows that an outcome does not name as they were', async () => {
    const { create } = await fixture();
    const run = await create();
    const { request } = await run.begin([1, 2]);
    run.finish(request, emptyOutcome());
    expect(statesOf(run.state).slice(0, 2)).toEqual(['unsent', 'unsent']);
    await run.close({ atMs: 0 });
  });

  it('calls a row that was ever part of an ambiguous request recovered, whatever happened in between', async () => {
    const { create, open } = await fixture();
    const run = await create();
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), unknown: [[[1], 'reset']] });
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), failed: [[1, 'not found']] });
    await run.close({ atMs: 0 });
    const again = await open();
    expect(statesOf(again.state)[0]).toBe('failed');
    expect(again.state.messageFor(1)).toBe('not found (an earlier request may have added this person)');
    again.finish((await again.begin([1])).request, { ...emptyOutcome(), existing: [[1, 'already a member']] });
    expect(statesOf(again.state)[0]).toBe('recovered');
    await again.close({ atMs: 0 });
  });

  it('knows the rows that make the service fail, until they have a known outcome', async () => {
    const { create, open } = await fixture();
    const run = await create();
    const send = async (entries: number[], outcome: Partial<ReturnType<typeof emptyOutcome>>) =>
      run.finish((await run.begin(entries)).request, { ...emptyOutcome(), ...outcome });
    await send([1], { unknown: [[[1], 'reset']] });
    await send([2, 3], { unknown: [[[2, 3], 'reset']] });
    expect([...run.state.failing]).toEqual([]);
    await send([1], { unknown: [[[1], '500', 'failing']] });
    await send([3], { unknown: [[[3], '500', 'failing']] });
    expect([...run.state.failing]).toEqual([
      [1, 3],
      [3, 4],
    ]);
    await send([3], { existing: [[3, 'already a member']] });
    await run.close({ atMs: 0 });
    const again = await open();
    expect([...again.state.failing]).toEqual([[1, 3]]);
    again.finish((await again.begin([1])).request, { ...emptyOutcome(), unknown: [[[1], 'reset']] });
    expect([...again.state.failing]).toEqual([]);
    await again.close({ atMs: 0 });
  });

  it('is removed with its directory if no row has an outcome', async () => {
    const { create, path } = await fixture();
    const run = await create();
    run.finish((await run.begin([1])).request, emptyOutcome());
    await run.close({ atMs: 0 });
    expect(existsSync(dirname(path))).toBe(false);
  });

  it('remembers facts about the run once', async () => {
    const { create, open, path } = await fixture();
    const run = await create();
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), failed: [[1, 'not found']] });
    run.note({ authType: 'api-key', indexBase: 0 });
    run.note({ authType: 'api-key', indexBase: 0 });
    expect(statesOf(run.state)[0]).toBe('failed');
    await run.close({ atMs: 0 });
    expect((await readFile(path, 'utf8')).match(/"t":"note"/g)?.length).toBe(1);
    const again = await open();
    expect(again.state.facts).toEqual({ authType: 'api-key', indexBase: 0 });
    await again.close({ atMs: 0 });
  });

  it.each([
    ['older', 4, 'was written by an older version of orgadm'],
    ['newer', 6, 'was written by a newer version of orgadm'],
  ])('of an %s format is rejected with a hint', async (_, version, reason) => {
    const path = await journalWith({ ...HEAD, version });
    await expect(readRun(path)).rejects.toMatchObject({
      code: 'journal-damaged',
      message: `the journal ${path} ${reason}`,
      hint: 'Nothing was sent. To start over, add --restart. Existing members are reported as existing.',
    });
  });

  it.each([{ list: undefined }, { total: '10' }, { startedAt: 'yesterday' }])(
    'whose first record has %o is rejected, also if its checksum is right',
    async (change) => {
      const path = await journalWith({ ...HEAD, ...change });
      await expect(readRun(path)).rejects.toMatchObject({
        code: 'journal-damaged',
        message: `the journal ${path} does not begin with its run`,
      });
    },
  );

  it('with a row that its list does not have is rejected', async () => {
    const at = { clock: 0, uptime: 0 };
    const path = await journalWith(HEAD, { t: 'outcome', request: 1, at, created: '11' });
    await expect(readRun(path)).rejects.toMatchObject({
      message: `the journal ${path} does not fit its list: row 11 is not in a list of 10`,
    });
  });
});

describe('a request of unknown outcome', () => {
  it('is over once its lifetime has passed since it ended', async () => {
    const { create, clock } = await fixture();
    const run = await create();
    const { request } = await run.begin([1]);
    await clock.advance(5_000);
    run.finish(request, { ...emptyOutcome(), unknown: [[[1], 'reset']] });
    expect(run.unknownMs()).toBe(LIFETIME_MS);
    await clock.advance(LIFETIME_MS - 1);
    expect(run.unknownMs()).toBe(1);
    await clock.advance(1);
    expect(run.unknownMs()).toBe(0);
    await run.close({ atMs: 0 });
  });

  it('is over once the timeout and its lifetime have passed since its intent, if the process died', async () => {
    const { create, open, clock } = await fixture();
    const run = await create();
    await run.begin([1, 2]);
    await clock.advance(10_000);
    const next = await open();
    expect(statesOf(next.state).slice(0, 3)).toEqual(['unknown', 'unknown', 'unsent']);
    expect(next.state.messageFor(1)).toBe('orgadm ended before the response arrived');
    expect(next.unknownMs()).toBe(TIMEOUT_MS + LIFETIME_MS - 10_000);
    await next.close({ atMs: 0 });
  });

  it('that sent one row again names this person for every later process, whatever becomes of the row', async () => {
    const { create, open, path } = await fixture();
    const run = await create();
    run.finish((await run.begin([1, 2])).request, { ...emptyOutcome(), unknown: [[[1, 2], 'reset']] });
    await run.begin([1], true);
    expect([...(await readRun(path)).state.stalled]).toEqual([1]);
    const next = await open();
    next.finish((await next.begin([1], true)).request, { ...emptyOutcome(), existing: [[1, 'already a member']] });
    next.finish((await next.begin([2], true)).request, {
      ...emptyOutcome(),
      created: [2],
      memberIds: [null],
      stalled: [2],
    });
    expect([...next.state.stalled]).toEqual([1, 2]);
    await next.close({ atMs: 0 });
    expect([...(await readRun(path)).state.stalled]).toEqual([1, 2]);
  });

  it('counts from its own end, not from that of a process that died before', async () => {
    const { create, open, clock } = await fixture();
    const run = await create();
    await run.begin([1]);
    const second = await open();
    await clock.advance(TIMEOUT_MS + LIFETIME_MS);
    expect(second.unknownMs()).toBe(0);
    second.finish((await second.begin([1])).request, { ...emptyOutcome(), unknown: [[[1], '500']] });
    await second.close({ atMs: 0 });
    const third = await open();
    expect(third.state.messageFor(1)).toBe('500');
    expect(third.unknownMs()).toBe(LIFETIME_MS);
    await third.close({ atMs: 0 });
  });

  it('of a process that died leaves the final states alone that later processes record', async () => {
    const { create, open, path } = await fixture();
    const run = await create();
    await run.begin([1, 2, 3]);
    const second = await open();
    second.finish((await second.begin([1, 2, 3])).request, {
      ...emptyOutcome(),
      created: [1],
      memberIds: [null],
      existing: [[2, 'already a member']],
      failed: [[3, 'not found']],
    });
    await second.close({ atMs: 0 });
    expect(statesOf((await readRun(path)).state).slice(0, 3)).toEqual(['created', 'recovered', 'failed']);
    const third = await open();
    expect(statesOf(third.state).slice(0, 3)).toEqual(['created', 'recovered', 'failed']);
    expect(third.unknownMs()).toBe(0);
    await third.close({ atMs: 0 });
  });

  it.each([
    ['a longer lifetime at the time of the resume', 600_000, 600_000],
    ['a shorter lifetime at the time of the resume', 1_000, LIFETIME_MS],
  ])('counts the longer of both lifetimes: %s', async (_, lifetimeMs, expected) => {
    const { create, open } = await fixture();
    const run = await create();
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), unknown: [[[1], 'reset']] });
    await run.close({ atMs: 0 });
    const next = await open(lifetimeMs);
    expect(next.unknownMs()).toBe(expected);
    await next.close({ atMs: 0 });
  });

  it('no longer counts once each of its rows has a final state', async () => {
    const { create } = await fixture();
    const run = await create();
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), unknown: [[[1], 'reset']] });
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), existing: [[1, 'already a member']] });
    expect(run.unknownMs()).toBe(0);
    await run.close({ atMs: 0 });
  });
});

describe.each<[string, (journal: string) => string]>([
  ['whose last line is torn', (journal) => journal.slice(0, -1)],
  ['whose last line is damaged', (journal) => journal.replace('"rows":"2"', '"rows":"3"')],
  ['that has lost its last record', (journal) => journal.slice(0, journal.lastIndexOf('\n', journal.length - 2) + 1)],
  ['that has lost every record but the first one', (journal) => journal.slice(0, journal.indexOf('\n') + 1)],
])('a journal %s', (_, lose) => {
  /** A process that died with its second request in flight, and a journal that does not name it: its rows look unsent. */
  async function lossy() {
    const machine = await fixture();
    const run = await machine.create();
    run.finish((await run.begin([1])).request, { ...emptyOutcome(), created: [1], memberIds: [null] });
    await machine.clock.advance(1_000);
    await run.begin([2]);
    await writeFile(machine.path, lose(await readFile(machine.path, 'utf8')));
    await machine.clock.advance(20_000);
    return machine;
  }

  it('makes the run wait until all of its requests must be over', async () => {
    const { open, clock } = await lossy();
    const next = await open();
    expect(next.state.rowStates.stateOf(2)).toBe('unsent');
    expect(next.othersMs()).toBe(TIMEOUT_MS + LIFETIME_MS - 20_000);
    await clock.advance(TIMEOUT_MS + LIFETIME_MS);
    expect(next.othersMs()).toBe(0);
    await next.close({ atMs: 0 });
  });

  it('makes later processes wait, too, if that one ends before', async () => {
    const { path, open, clock } = await lossy();
    await (await open()).close({ atMs: 0 });
    await clock.advance(20_000);
    // A run without any outcome has removed its directory. Its requests count for the next one.
    const next = existsSync(path) ? await open() : await nextRun(path, clock);
    expect(next.othersMs()).toBe(TIMEOUT_MS + LIFETIME_MS - 40_000);
    await next.close({ atMs: 0 });
  });
});

async function nextRun(path: string, clock: TestClock): Promise<ImportRun> {
  await mkdir(dirname(path));
  const inFlight = await InFlightFile.read(join(dirname(dirname(path)), 'in-flight'), 'run-2');
  const limits = { clock, timeoutMs: TIMEOUT_MS, lifetimeMs: LIFETIME_MS, keepsMemberIds: true };
  return ImportRun.create(path, { ...HEAD, id: 'run-2' }, inFlight, limits);
}

it('a run that is continued does not wait for requests that its journal names', async () => {
  const { create, open } = await fixture();
  await (await create()).begin([1, 2]);
  const next = await open();
  expect([next.othersMs(), next.unknownMs()]).toEqual([0, TIMEOUT_MS + LIFETIME_MS]);
  await next.close({ atMs: 0 });
});

it('a request that was sent before the machine slept is not over when it wakes up', async () => {
  const machine = await fixture();
  await (await machine.create()).begin([1]);
  const { clock, limits, path } = machine;
  const afterSleep = { ...clock, now: () => clock.now() + 3_600_000, uptime: () => clock.uptime() + 3_600_000 };
  const inFlight = await machine.inFlight();
  expect(inFlight.othersMs(0, presentMoment(afterSleep))).toBe(TIMEOUT_MS + LIFETIME_MS);
  const next = await ImportRun.open(path, inFlight, { ...limits, clock: afterSleep });
  expect(next.unknownMs()).toBe(TIMEOUT_MS + LIFETIME_MS);
  await next.close({ atMs: 0 });
});

it('a run waits for the timeout and a complete lifetime if the file of the requests in flight is damaged', async () => {
  const { create, path } = await fixture();
  await writeFile(join(dirname(dirname(path)), 'in-flight'), 'garbage');
  const run = await create();
  expect(run.othersMs()).toBe(TIMEOUT_MS + LIFETIME_MS);
  await run.close({ atMs: 0 });
});

describe('a journal that ends anywhere', () => {
  /** Every state in which a process can have died: after each record, and after part of the next one. */
  it('never calls a row unsent that may have been sent, and keeps every final state', async () => {
    const { create, path, open } = await fixture();
    const run = await create();
    const first = await run.begin([1, 2]);
    const second = await run.begin([3, 4]);
    run.finish(first.request, { ...emptyOutcome(), created: [1], memberIds: [null], failed: [[2, 'no']] });
    const third = await run.begin([5]);
    run.finish(second.request, { ...emptyOutcome(), unknown: [[[3, 4], 'reset']] });
    run.finish(third.request, { ...emptyOutcome(), existing: [[5, 'already a member']] });
    const fourth = await run.begin([3]);
    run.finish(fourth.request, { ...emptyOutcome(), existing: [[3, 'already a member']] });
    await run.close({ atMs: 0 });

    const lines = (await readFile(path, 'utf8')).split(/(?<=\n)/);
    const read: string[] = [];
    for (let complete = 1; complete <= lines.length; complete++) {
      const torn = (lines[complete] ?? '').slice(0, -5);
      await writeFile(path, lines.slice(0, complete).join('') + torn);
      const next = await open();
      read.push(statesOf(next.state).slice(0, 6).join(' '));
      await writeFile(path, lines.join(''));
    }
    expect(read).toEqual([
      'unsent unsent unsent unsent unsent unsent',
      'unknown unknown unsent unsent unsent unsent',
      'unknown unknown unknown unknown unsent unsent',
      'created failed unknown unknown unsent unsent',
      'created failed unknown unknown unknown unsent',
      'created failed unknown unknown unknown unsent',
      'created failed unknown unknown existing unsent',
      'created failed unknown unknown existing unsent',
      'created failed recovered unknown existing unsent',
      'created failed recovered unknown existing unsent',
    ]);
  });
});
