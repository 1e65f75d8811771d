import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../src/client/service.ts';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import { ImportRun, type RunLimits, readRun } from '../../../src/import/journal/import-run.ts';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import { JOURNAL_VERSION } from '../../../src/import/journal/records.ts';
import type { RunState } from '../../../src/import/journal/run-state.ts';
import type { RowState } from '../../../src/import/outcome.ts';
import { send } from '../../../src/import/send/send.ts';
import type { SendEvent } from '../../../src/import/send/send-events.ts';
import { Secrets } from '../../../src/output/redact.ts';
import { SEED, type SeededRandom, seededRandom } from '../../helpers/seeded-random.ts';
import { createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { OUTCOMES, startUnreliableService, type UnreliableService } from './unreliable-service.ts';
import { TIMEOUT_MS, watchJournal } from './virtual-machine.ts';

const SCHEDULES = Number(process.env.SCHEDULES ?? 200);
const PARTS = 20;
const MAX_PROCESSES = 4;

const REQUEST_LIFETIME_MS = 120_000;
const MAX_SLEEP_MS = 3_600_000;
const MAX_LOCK_MS = 600_000;
/** A lock mostly ends around one of these times: timeouts, and waits for a lifetime after them. */
const WAITS_MS = [0, 1, 2, 3].flatMap((waits) =>
  [0, TIMEOUT_MS, 2 * TIMEOUT_MS].map((ms) => ms + waits * REQUEST_LIFETIME_MS),
);

/** Rows of all schedules by their last state. */
const reached: Record<RowState, number> = {
  created: 0,
  existing: 0,
  recovered: 0,
  failed: 0,
  invalid: 0,
  unknown: 0,
  unsent: 0,
};
let lateInsertions = 0;
/** People whom reports named because of a lock. */
let namedInStalls = 0;
/** Processes that died with requests in flight. */
let deaths = 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'orgadm-schedules-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
  process.stdout.write(`schedules: ${SCHEDULES} from SEED=${SEED}\n`);
});

describe(`random schedules, from SEED=${SEED}`, () => {
  // In parts, so that a failing one is found without running all of them.
  for (let part = 0; part < PARTS; part++) {
    const seeds = Array.from({ length: SCHEDULES / PARTS }, (_, at) => SEED + part * (SCHEDULES / PARTS) + at);
    it(`add nobody twice and report true states for the seeds ${seeds[0]} to ${seeds.at(-1)}`, async () => {
      for (const seed of seeds) await runSchedule(seed);
    }, 120_000);
  }

  it('reach every state that sending can lead to, and people who were added after their request had ended', () => {
    const { created, existing, recovered, failed, unknown, unsent } = reached;
    expect(Math.min(created, existing, recovered, failed, unknown, unsent)).toBeGreaterThan(0);
    expect(lateInsertions).toBeGreaterThan(0);
    expect(deaths).toBeGreaterThan(0);
    expect(namedInStalls).toBeGreaterThan(0);
  });
});

/** One list and one service: what its user runs one after another, and the invariants of each report. */
interface Schedule {
  readonly seed: number;
  readonly draws: SeededRandom;
  readonly clock: TestClock;
  readonly service: UnreliableService;
  readonly users: readonly string[];
  readonly members: ReadonlySet<string>;
  /** Whether a lock delays insertions. */
  readonly isLocked: boolean;
  /** The people of whom a report has said that they may have been added twice. */
  readonly named: Set<string>;
}

async function runSchedule(seed: number): Promise<void> {
  const draws = seededRandom(seed);
  const clock = createTestClock();
  const users = Array.from({ length: draws.chance(0.01) ? 250 : draws.int(1, 24) }, (_, at) => `usr_${at + 1}`);
  const share = (probability: number) => new Set(users.filter(() => draws.chance(probability)));
  const members = share(draws.pick([0, 0, 0, 0.1, 0.9]));
  const isLocked = draws.chance(0.1);
  const service = await startUnreliableService({
    clock,
    seed,
    failureRate: isLocked ? 0 : draws.pick([0, 0.1, 0.2, 0.3, 0.3, 1]),
    outcomes: drawOutcomes(draws),
    indexBase: draws.pick([0, 1]),
    unidentifiedErrors: draws.chance(0.4),
    maxEntries: draws.pick([1, 3, 1000, 1000]),
    members,
    unknownUsers: share(draws.pick([0, 0, 0, 0.1, 0.9])),
    malformed: share(draws.pick([0, 0, 0, 0.05, 0.5])),
    namesMalformed: draws.chance(0.5),
    poisonous: share(draws.pick([0, 0, 0, 0.05])),
    entryMs: draws.pick([0, 0, 0, 7_000]),
    lifetimeMs: REQUEST_LIFETIME_MS,
    timeoutMs: TIMEOUT_MS,
    lockMs: isLocked ? drawLock(draws) : 0,
  });
  const schedule: Schedule = { seed, draws, clock, service, users, members, isLocked, named: new Set() };
  let home = join(folder, `${seed}`, '1');
  let id = 'first';
  /** Whether no request can have added people without a trace in the journal. */
  let isTraced = true;
  try {
    let run = await createRun(id, home, schedule);
    for (let process = 1; ; process++) {
      const nextHome = join(folder, `${seed}`, `${process + 1}`);
      const death = draws.chance(0.3) ? { home, copy: nextHome } : undefined;
      // As the same command does for a finished run.
      const hasDied = await sendAll(run, death, schedule, process > 1 && !run.state.isUnfinished);
      if (hasDied) {
        deaths++;
        // Its files are those of nobody from here on.
        await run.close({ atMs: clock.now() });
        home = nextHome;
      } else {
        check(run, isTraced, schedule);
        await run.close({ atMs: clock.now() });
        if (run.state.hasOutcome) await checkAnew(run, id, home, schedule);
      }
      const next = draws.pick(['nothing', 'resume', 'resume', 'another list'] as const);
      // No tool can know what a lock still delays if it does not even have a complete journal.
      if (!isLocked && loseRecords(journalIn(home), hasDied, schedule)) isTraced = false;
      // Requests of the process that died may be delivered when the machine wakes up.
      if (draws.chance(0.2)) clock.fallAsleep(draws.int(1, MAX_SLEEP_MS));
      // The next process does not wait for the requests in progress.
      if (process === MAX_PROCESSES || next === 'nothing') break;
      if (next === 'another list' || !existsSync(journalIn(home))) {
        id = `other ${process}`;
        isTraced = false;
        // What the service has answered to another run is not known to this one.
        service.answered.clear();
        run = await createRun(id, home, schedule);
      } else {
        run = await ImportRun.open(journalIn(home), await inFlightFile(id, home), limitsOf(clock));
      }
    }
    // If the last process died, `runs show` names them.
    for (const number of await possibleDuplicates(home)) schedule.named.add(`usr_${number}`);
    await clock.drain(() => clock.pending(TIMEOUT_MS) === service.parked());
    checkNobodyTwice(schedule);
    if (isLocked) namedInStalls += schedule.named.size;
    lateInsertions += service.lateInsertions();
  } finally {
    await service.close();
    rmSync(join(folder, `${seed}`), { recursive: true, force: true });
  }
}

function journalIn(home: string): string {
  return join(home, 'run', 'journal');
}

function inFlightFile(id: string, home: string): Promise<InFlightFile> {
  return InFlightFile.read(join(home, 'in-flight'), id);
}

/** Returns the rows of which a report of the run in this directory says that they may have been added twice. */
async function possibleDuplicates(home: string): Promise<readonly number[]> {
  return existsSync(journalIn(home)) ? (await readRun(journalIn(home))).state.possibleDuplicates() : [];
}

/** Damages a journal at its end, or restores an earlier copy of it. Returns whether it has lost records. */
function loseRecords(path: string, hasDied: boolean, { draws, service }: Schedule): boolean {
  const kind = draws.pick(
    hasDied ? (['damage', 'cut', 'none', 'none'] as const) : (['cut', 'none', 'none', 'none'] as const),
  );
  if (kind === 'none' || !existsSync(path)) return false;
  // The states of the lost records are no longer known.
  service.answered.clear();
  if (kind === 'damage') damageLastLine(path, draws);
  else cutRecords(path, draws.int(1, 4));
  return true;
}

/** Removes so many records, as a file system does that loses its last writes. */
function cutRecords(path: string, records: number): void {
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/);
  // A run cannot be continued without its first line.
  writeFileSync(path, lines.slice(0, Math.max(1, lines.length - records)).join(''));
}

/** Changes a bit of the last line, or tears it. */
function damageLastLine(path: string, draws: SeededRandom): void {
  const bytes = readFileSync(path);
  const start = bytes.lastIndexOf('\n', -2) + 1;
  // A run cannot be continued without its first line.
  if (start === 0) return;
  const at = draws.int(start, bytes.length - 1);
  const isTorn = draws.chance(0.5);
  if (!isTorn) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, isTorn ? bytes.subarray(0, at) : bytes);
}

const statesOf = (state: RunState) => Array.from({ length: state.total }, (_, at) => state.stateOf(at + 1));

/** Reads the journal of a process that has ended as later commands do: the same states, and if it is finished, nothing is sent. */
async function checkAnew(run: ImportRun, id: string, home: string, schedule: Schedule): Promise<void> {
  const { clock, service } = schedule;
  const states = statesOf(run.state);
  expect(statesOf((await readRun(journalIn(home))).state), reasonOf(schedule)).toEqual(states);
  if (run.state.isUnfinished) return;
  const requests = service.outcomes.length;
  const again = await ImportRun.open(journalIn(home), await inFlightFile(id, home), limitsOf(clock));
  await sendAll(again, undefined, schedule);
  expect(statesOf(again.state), reasonOf(schedule)).toEqual(states);
  await again.close({ atMs: clock.now() });
  expect(service.outcomes.length, reasonOf(schedule)).toBe(requests);
}

function limitsOf(clock: TestClock): RunLimits {
  return { clock, timeoutMs: TIMEOUT_MS, lifetimeMs: REQUEST_LIFETIME_MS, keepsMemberIds: false };
}

async function createRun(id: string, home: string, schedule: Schedule): Promise<ImportRun> {
  // A run without any outcome has removed its directory.
  mkdirSync(dirname(journalIn(home)), { recursive: true });
  const head = {
    t: 'run',
    version: JOURNAL_VERSION,
    id,
    list: 'list',
    digest: '',
    service: schedule.service.url,
    total: schedule.users.length,
    keyFingerprint: '',
    startedAt: '2026-01-01T00:00:00.000Z',
    rows: '',
    position: 'line',
    file: '',
  } as const;
  return ImportRun.create(journalIn(home), head, await inFlightFile(id, home), limitsOf(schedule.clock));
}

/** Checks that no request has a row with a final state, except failed rows of a command that sends them again. */
function expectUnfinishedRows(run: ImportRun, resendsFailed: boolean, schedule: Schedule): void {
  const sent = resendsFailed ? ['unsent', 'unknown', 'failed'] : ['unsent', 'unknown'];
  const begin = run.begin.bind(run);
  run.begin = (numbers, intent) => {
    const finished = numbers.filter((number) => !sent.includes(run.state.stateOf(number)));
    expect(finished, reasonOf(schedule)).toEqual([]);
    return begin(numbers, intent);
  };
}

/** Returns how long a lock holds the first requests, in milliseconds. */
function drawLock(draws: SeededRandom): number {
  return draws.chance(0.3) ? draws.int(1, MAX_LOCK_MS) : Math.max(1, draws.pick(WAITS_MS) + draws.int(-3_000, 3_000));
}

/** Few kinds of failure at a time, often those that end late: many of them would hide a request that is sent again too early. */
function drawOutcomes(draws: SeededRandom): readonly (typeof OUTCOMES)[number][] {
  const some = draws.shuffle(OUTCOMES).slice(0, draws.pick([1, 2, OUTCOMES.length]));
  const late = OUTCOMES.filter((outcome) => outcome.endsWith('-then-apply'));
  if (draws.chance(0.1)) return ['rolled-back', ...some.slice(0, 1)];
  return draws.chance(0.5) ? [draws.pick(late), ...some.slice(0, 1)] : some;
}

/** Where the files of a process are, and where to copy them when it dies: that is what the next process finds. */
interface Death {
  readonly home: string;
  readonly copy: string;
}

/** Calls `die` some time after one of the first intents of a run is on disk. */
function dieAfterIntent(run: ImportRun, die: () => void, { clock, draws }: Schedule): void {
  let left = draws.int(1, 6);
  const delayMs = draws.pick([0, 0, 100, 20_000]);
  const begin = run.begin.bind(run);
  run.begin = async (...args) => {
    const begun = await begin(...args);
    if (--left === 0) clock.after(delayMs, die);
    return begun;
  };
}

/** Sends the list as one process. Returns whether it died. */
async function sendAll(
  run: ImportRun,
  death: Death | undefined,
  schedule: Schedule,
  resendsFailed = false,
): Promise<boolean> {
  const { draws, clock, service, users } = schedule;
  const client = createClient({
    baseUrl: service.url,
    apiKey: 'schedule-key',
    timeoutMs: TIMEOUT_MS,
    retries: 0,
    allowHttp: false,
    proxy: {},
    userAgent: 'orgadm/test',
    clock,
    random: draws.next,
    secrets: new Secrets(),
  });
  const stop = new AbortController();
  const events = send({
    run,
    client,
    clock,
    random: draws.next,
    conventions: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
    rows: () => listOf(users),
    batchSize: users.length > 24 ? draws.int(20, 60) : draws.int(1, 9),
    concurrency: draws.int(1, 4),
    retries: draws.int(0, 4),
    limit: draws.chance(0.1) ? draws.int(1, 10) : undefined,
    resendsFailed,
    signal: stop.signal,
  });
  const cancel = draws.chance(0.2) ? clock.after(draws.int(0, 60_000), () => stop.abort('interrupted')) : () => {};
  const stayAwake = draws.chance(0.1)
    ? clock.after(draws.int(0, 200_000), () => clock.fallAsleep(draws.int(1, MAX_SLEEP_MS)))
    : () => {};
  let isOver = false;
  let hasDied = false;
  const die = ({ home, copy }: Death) => {
    if (isOver) return;
    hasDied = true;
    cpSync(home, copy, { recursive: true });
    run.begin = () => Promise.reject('died');
    service.answered.clear();
    stop.abort('died');
    void client.close();
  };
  if (death !== undefined) dieAfterIntent(run, () => die(death), schedule);
  expectUnfinishedRows(run, resendsFailed, schedule);
  const isWriting = watchJournal(run);
  const isQuiet = () => clock.pending(TIMEOUT_MS) === service.parked() && !isWriting();
  const end = await clock.drive(stopReasonOf(events), isQuiet);
  cancel();
  stayAwake();
  isOver = true;
  if (end instanceof Error && end.name === 'Error') throw end;
  await client.close();
  return hasDied;
}

async function stopReasonOf(events: AsyncIterable<SendEvent>): Promise<unknown> {
  for await (const event of events) if (event.type === 'stopped') return event.reason;
  return undefined;
}

function reasonOf({ seed, service }: Schedule): string {
  return `seed ${seed}: SCHEDULES=200 SEED=${seed}\n${service.outcomes.join(' ')}`;
}

/** @param isFirst whether no other run has sent the same people before */
function check(run: ImportRun, isFirst: boolean, schedule: Schedule): void {
  const { users, members, service } = schedule;
  const { state: states } = run;
  // Failed rows that are sent again may be in requests of another run.
  const isAdopted = (at: number) => states.unknownRequest(at + 1)?.purpose === 'others';
  const rows = users.map((userId, at) => {
    const ours = service.insertions.get(userId) ?? 0;
    if (isAdopted(at)) service.answered.delete(userId);
    return { userId, state: states.stateOf(at + 1), held: service.memberships.get(userId) ?? 0, ours };
  });
  for (const number of run.state.possibleDuplicates()) schedule.named.add(`usr_${number}`);
  const wrong = rows.filter(({ userId, state, held, ours }) => {
    if (schedule.isLocked && schedule.named.has(userId)) return false;
    if (service.answered.has(userId) && state === 'unknown') return true;
    if (state === 'created') return held !== 1 || ours !== 1;
    if (state === 'recovered') return held !== 1;
    if (state === 'existing') return isFirst ? !members.has(userId) || ours !== 0 : held !== 1;
    return isFirst && (state === 'failed' || state === 'unsent') && ours !== 0;
  });
  expect(wrong, reasonOf(schedule)).toEqual([]);
  for (const { state } of rows) reached[state]++;
  const { created, existing, recovered, failed, invalid, unknown, unsent } = states.counts();
  expect(created + existing + recovered + failed + invalid + unknown + unsent, reasonOf(schedule)).toBe(users.length);
}

function checkNobodyTwice(schedule: Schedule): void {
  const { service, named, isLocked } = schedule;
  const twice = [...service.memberships].filter(([userId, count]) => count > 1 && !(isLocked && named.has(userId)));
  expect(twice, reasonOf(schedule)).toEqual([]);
}

async function* listOf(users: readonly string[]): AsyncGenerator<CheckedRow[]> {
  for (const [at, userId] of users.entries()) {
    yield [
      {
        line: at + 2,
        number: at + 1,
        member: { userId, role: 'employee' },
        fields: { userId, role: 'employee' },
        issues: [],
      },
    ];
  }
}
