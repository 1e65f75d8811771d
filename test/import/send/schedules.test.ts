import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { readRun } from '../../../src/import/journal/import-run.ts';
import type { RunState } from '../../../src/import/journal/run-state.ts';
import { ROW_STATES, type RowState } from '../../../src/import/outcome.ts';
import { type BulkRequest, type PeopleService, type Step, startPeopleService } from '../../helpers/people-service.ts';
import { SEED, type SeededRandom, seededRandom } from '../../helpers/seeded-random.ts';
import { FAULTS, type Fault, lockedTable, unreliable } from '../../helpers/service-faults.ts';
import { createTestClock, type TestClock } from '../../helpers/test-clock.ts';
import { type Import, LIFETIME_MS, TIMEOUT_MS, VirtualMachine } from './virtual-machine.ts';

const SCHEDULES = Number(process.env.SCHEDULES ?? 200);
const PARTS = 20;
const MAX_PROCESSES = 4;
const MAX_SLEEP_MS = 3_600_000;
const MAX_LOCK_MS = 600_000;
/** A request that a lock held needs at most this time afterwards, in milliseconds. */
const MAX_WORK_MS = 30_000;
/** A lock mostly ends around one of these times: timeouts, and waits for a lifetime after them. */
const WAITS_MS = [0, 1, 2, 3].flatMap((waits) => [0, TIMEOUT_MS, 2 * TIMEOUT_MS].map((ms) => ms + waits * LIFETIME_MS));

/** What the schedules have led to. */
const reached = new Map<RowState | 'late' | 'named' | 'died', number>();
const count = (what: RowState | 'late' | 'named' | 'died', times = 1) =>
  void reached.set(what, (reached.get(what) ?? 0) + times);

afterAll(() => {
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
    const all = [...ROW_STATES.filter((state) => state !== 'invalid'), 'late', 'named', 'died'] as const;
    expect(all.filter((what) => (reached.get(what) ?? 0) === 0)).toEqual([]);
  });
});

/** One list and one service: what its user runs one after another, and the invariants of each report. */
interface Schedule {
  readonly draws: SeededRandom;
  readonly machine: VirtualMachine;
  readonly service: PeopleService;
  readonly users: readonly string[];
  /** The users who are members from the start. */
  readonly before: ReadonlySet<string>;
  /** Whether a lock delays insertions. */
  readonly isLocked: boolean;
  /** The users whom the response to their last request listed. A process that dies forgets them, and so does another run. */
  readonly answered: Set<string>;
  /** The command that repeats it, and what befell its requests. */
  readonly reason: () => string;
}

async function runSchedule(seed: number): Promise<void> {
  const clock = createTestClock();
  const schedule = await drawSchedule(seed, clock);
  const { draws, machine, users, isLocked, answered, reason } = schedule;
  /** Whether no request can have added people without a trace in the journal. */
  let isTraced = true;
  let [restart, resendsFailed] = [false, false];
  try {
    for (let process = 1; ; process++) {
      const options = { ...drawImport(schedule), list: users, restart, resendsFailed };
      const ended = await machine.import(options);
      if (ended === undefined) {
        count('died');
        answered.clear();
      } else {
        check(ended.state, isTraced, schedule);
        await checkAnew(ended.state, schedule);
      }
      // No tool can know what a lock still delays if it does not even have a complete journal.
      if (!isLocked && loseRecords(ended === undefined, schedule)) isTraced = false;
      // Requests of the process that died may be delivered when the machine wakes up.
      if (draws.chance(0.2)) clock.fallAsleep(draws.int(1, MAX_SLEEP_MS));
      const next = draws.pick(['nothing', 'resume', 'resume', 'another list'] as const);
      // The next process does not wait for the requests in progress.
      if (process === MAX_PROCESSES || next === 'nothing') break;
      restart = next === 'another list';
      if (restart) {
        isTraced = false;
        answered.clear();
      }
      // The same command sends the failed rows of a finished run again.
      resendsFailed = !restart && (await isFinished(machine));
    }
    // If the last process died, `runs show` names them.
    for (const number of (await stateOf(machine))?.possibleDuplicates() ?? []) machine.named.add(`usr_${number}`);
    await machine.settle();
    const twice = machine.twice().filter((userId) => !(isLocked && machine.named.has(userId)));
    expect(twice, reason()).toEqual([]);
    if (isLocked) count('named', machine.named.size);
  } finally {
    await machine.close();
  }
}

/** Draws a list and a service. */
async function drawSchedule(seed: number, clock: TestClock): Promise<Schedule> {
  const draws = seededRandom(seed);
  const users = Array.from({ length: draws.chance(0.01) ? 250 : draws.int(1, 24) }, (_, at) => `usr_${at + 1}`);
  const share = (probability: number) => new Set(users.filter(() => draws.chance(probability)));
  const before = share(draws.pick([0, 0, 0, 0.1, 0.9]));
  const missing = share(draws.pick([0, 0, 0, 0.1, 0.9]));
  const indexBase = draws.pick([0, 1] as const);
  const identified = draws.chance(0.6);
  const isLocked = draws.chance(0.1);
  const entryMs = draws.pick([0, 0, 0, 7_000]);
  const { step, log = [] } = isLocked
    ? { step: drawLock(draws, clock) }
    : unreliable({
        clock,
        seed,
        indexBase,
        before,
        entryMs,
        failureRate: draws.pick([0, 0.1, 0.2, 0.3, 0.3, 1]),
        faults: drawFaults(draws),
        maxEntries: draws.pick([1, 3, 1000, 1000]),
        malformed: share(draws.pick([0, 0, 0, 0.05, 0.5])),
        namesMalformed: draws.chance(0.5),
        poisonous: share(draws.pick([0, 0, 0, 0.05])),
        lifetimeMs: LIFETIME_MS,
      });
  const answered = new Set<string>();
  const service = await startPeopleService(trackAnswers(step, answered), {
    clock,
    before,
    indexBase,
    identified,
    rejects: (userId) => (missing.has(userId) ? `User ${userId} not found` : undefined),
    onEnd: () => {},
  });
  const machine = new VirtualMachine(clock, service);
  const reason = () => `seed ${seed}: SCHEDULES=200 SEED=${seed}\n${(isLocked ? service.sizes : log).join(' ')}`;
  return { draws, machine, service, users, before, isLocked, answered, reason };
}

/** Draws how long a lock holds the first requests, and how long each needs afterwards. */
function drawLock(draws: SeededRandom, clock: TestClock): PeopleService['step'] {
  const ms = draws.chance(0.3) ? draws.int(1, MAX_LOCK_MS) : draws.pick(WAITS_MS) + draws.int(-3_000, 3_000);
  const seed = draws.int(1, 1_000_000);
  const workMs = ({ number }: BulkRequest) => seededRandom(seed + number).int(1, MAX_WORK_MS);
  return lockedTable({ clock, lock: [0, Math.max(1, ms)], workMs, isOneByOne: draws.chance(0.3) });
}

/** Few kinds of faults at a time, often those that end late: many of them would hide a request that is sent again too early. */
function drawFaults(draws: SeededRandom): readonly Fault[] {
  const some = draws.shuffle(FAULTS).slice(0, draws.pick([1, 2, FAULTS.length]));
  const late = FAULTS.filter((fault) => fault.endsWith('-then-apply'));
  if (draws.chance(0.1)) return ['rolled-back', ...some.slice(0, 1)];
  return draws.chance(0.5) ? [draws.pick(late), ...some.slice(0, 1)] : some;
}

/** Keeps whom a response has listed, and counts who is added after the client has left. */
function trackAnswers(step: PeopleService['step'], answered: Set<string>): PeopleService['step'] {
  return async (request) => {
    for (const userId of request.userIds) answered.delete(userId);
    const addLater = (ms: number, userIds = request.added) => {
      count('late', userIds.length);
      return request.addLater(ms, userIds);
    };
    const reaction: Step = await step({ ...request, addLater });
    if (reaction === 'respond' && !request.response.destroyed)
      for (const userId of request.userIds) answered.add(userId);
    return reaction;
  };
}

/** Draws how a process runs, and how it ends. */
function drawImport({ draws, users, machine }: Schedule): Omit<Import, 'list'> {
  const atMs = (maxMs: number) => machine.nowMs + draws.int(0, maxMs);
  return {
    batchSize: users.length > 24 ? draws.int(20, 60) : draws.int(1, 9),
    concurrency: draws.int(1, 4),
    retries: draws.int(0, 4),
    limit: draws.chance(0.1) ? draws.int(1, 10) : undefined,
    random: draws.next,
    killAfter: draws.chance(0.3) ? { intents: draws.int(1, 6), delayMs: draws.pick([0, 0, 100, 20_000]) } : undefined,
    stopAtMs: draws.chance(0.2) ? atMs(60_000) : undefined,
    sleep: draws.chance(0.1) ? { atMs: atMs(200_000), ms: draws.int(1, MAX_SLEEP_MS) } : undefined,
    isForgetful: draws.chance(0.5),
  };
}

async function stateOf({ journal }: VirtualMachine): Promise<RunState | undefined> {
  return existsSync(journal) ? (await readRun(journal)).state : undefined;
}

async function isFinished(machine: VirtualMachine): Promise<boolean> {
  return !((await stateOf(machine))?.isUnfinished ?? true);
}

const statesOf = (state: RunState) => Array.from({ length: state.total }, (_, at) => state.stateOf(at + 1));

/** Checks the report of a process. */
function check(state: RunState, isTraced: boolean, schedule: Schedule): void {
  const { users, before, service, machine, answered, isLocked, reason } = schedule;
  const wrong = users.filter((userId, at) => {
    const [held, wasBefore] = [service.members.get(userId) ?? 0, before.has(userId)];
    const isAddedByUs = held > (wasBefore ? 1 : 0);
    const rowState = state.stateOf(at + 1);
    count(rowState);
    // Failed rows that are sent again may be in requests of another run.
    if (state.unknownRequest(at + 1)?.purpose === 'others') answered.delete(userId);
    if (isLocked && machine.named.has(userId)) return false;
    if (answered.has(userId) && rowState === 'unknown') return true;
    if (rowState === 'created') return held !== 1 || wasBefore;
    if (rowState === 'recovered') return held !== 1;
    if (rowState === 'existing') return isTraced ? !wasBefore || isAddedByUs : held !== 1;
    return isTraced && (rowState === 'failed' || rowState === 'unsent') && isAddedByUs;
  });
  expect(wrong, reason()).toEqual([]);
  const counts = Object.values(state.counts()).reduce((sum, rows) => sum + rows, 0);
  expect(counts, reason()).toBe(users.length);
}

/** Reads the journal of a process that has ended as later commands do: the same states, and if it is finished, nothing is sent. */
async function checkAnew(state: RunState, { machine, service, users, reason }: Schedule): Promise<void> {
  if (!state.hasOutcome) return;
  const states = statesOf(state);
  expect(statesOf((await stateOf(machine)) ?? state), reason()).toEqual(states);
  if (state.isUnfinished) return;
  const { requests } = service;
  const again = await machine.import({ list: users });
  expect(again && statesOf(again.state), reason()).toEqual(states);
  expect(service.requests, reason()).toBe(requests);
}

/** Damages the journal at its end, or restores an earlier copy of it. Returns whether it has lost records. */
function loseRecords(hasDied: boolean, { draws, machine, answered }: Schedule): boolean {
  const kinds = hasDied ? (['damage', 'cut', 'none', 'none'] as const) : (['cut', 'none', 'none', 'none'] as const);
  const kind = draws.pick(kinds);
  const path = machine.journal;
  if (kind === 'none' || !existsSync(path)) return false;
  // The states of the lost records are no longer known.
  answered.clear();
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
