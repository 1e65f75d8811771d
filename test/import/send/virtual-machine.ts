import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient } from '../../../src/client/service.ts';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import { ImportRun } from '../../../src/import/journal/import-run.ts';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import { JOURNAL_VERSION } from '../../../src/import/journal/records.ts';
import { CheckedRows, rowsPathOf } from '../../../src/import/journal/rows.ts';
import type { RunState } from '../../../src/import/journal/run-state.ts';
import { type SendOptions, send } from '../../../src/import/send/send.ts';
import type { SendEvent } from '../../../src/import/send/send-events.ts';
import { Secrets } from '../../../src/output/redact.ts';
import type { PeopleService } from '../../helpers/people-service.ts';
import type { TestClock } from '../../helpers/test-clock.ts';

/** Unlike any other time in a run, so that the clock can distinguish the client's deadlines from other timers. */
export const TIMEOUT_MS = 30_007;
export const LIFETIME_MS = 120_000;

/** What a user runs, and what becomes of it. Times are in milliseconds since the start of the test. */
export interface Import
  extends Partial<Pick<SendOptions, 'batchSize' | 'concurrency' | 'retries' | 'limit' | 'random' | 'resendsFailed'>> {
  readonly list: readonly string[];
  /** Begins a new run; otherwise it continues the run of the list. */
  readonly restart?: boolean;
  readonly lifetimeMs?: number;
  /** When it starts, if that is later than now. */
  readonly atMs?: number;
  /** Kills the process at this time. */
  readonly killAtMs?: number | undefined;
  /** Kills it so many milliseconds after so many of its intents are on disk. */
  readonly killAfter?: { readonly intents: number; readonly delayMs: number } | undefined;
  /** Interrupts it at this time, as Ctrl-C does. */
  readonly stopAtMs?: number | undefined;
  /** When the machine sleeps, and for how long. */
  readonly sleep?: { readonly atMs: number; readonly ms: number } | undefined;
  /** Whether the rows of earlier runs are gone, so that nobody knows whom they have sent. */
  readonly isForgetful?: boolean;
}

/** What an import has reported; undefined for one that was killed. */
export interface Ended {
  readonly state: RunState;
  /** Who may have been added twice. */
  readonly named: readonly string[];
  /** Waits of the import although nothing is in flight, in milliseconds. */
  readonly waits: readonly number[];
  readonly endedAtMs: number;
}

/**
 * A user's machine: its imports, one after another, and the files that each of them finds. Its clock jumps from timer to timer, so
 * it runs the engine without the command around it, which reads files of its own in real time.
 */
export class VirtualMachine {
  readonly #clock: TestClock;
  readonly #service: PeopleService;
  readonly #startMs: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'orgadm-virtual-'));
  #home = join(this.#folder, '1');
  #processes = 1;
  /** The last run of each list, and all runs. */
  readonly #runs = new Map<string, string>();
  readonly #ids: string[] = [];
  /** The journal of the last import. */
  #journal = '';
  /** Number of calls in progress that wait for the journal: that takes real time, in which virtual time must not pass. */
  #writing = 0;
  /** Everyone whom a report has named. */
  readonly named = new Set<string>();

  constructor(clock: TestClock, service: PeopleService) {
    this.#clock = clock;
    this.#service = service;
    this.#startMs = clock.now();
    mkdirSync(this.#home, { recursive: true });
  }

  get nowMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  /** The path of the journal of the last import, as the next process finds it. */
  get journal(): string {
    return join(this.#home, this.#journal);
  }

  /** Runs an import to its end. Throws if it sends rows that have a final state. */
  async import(options: Import): Promise<Ended | undefined> {
    const { list, killAtMs, killAfter, stopAtMs, sleep, atMs = 0, resendsFailed = false } = options;
    const clock = this.#clock;
    if (atMs > this.nowMs) await clock.drive(clock.sleep(atMs - this.nowMs), () => this.#isQuiet());
    const run = await this.#open(options);
    const client = createClient({
      baseUrl: this.#service.url,
      apiKey: 'key-of-the-test',
      timeoutMs: TIMEOUT_MS,
      retries: 0,
      allowHttp: false,
      proxy: {},
      userAgent: 'orgadm/test',
      clock,
      random: options.random ?? (() => 0),
      secrets: new Secrets(),
    });
    const stop = new AbortController();
    const waits: number[] = [];
    let [hasDied, hasEnded] = [false, false];
    const die = () => {
      if (hasEnded) return;
      hasDied = true;
      this.#keepFiles();
      run.begin = () => Promise.reject('died');
      stop.abort('died');
      void client.close();
    };
    const at = (ms: number | undefined, act: () => void) =>
      ms === undefined ? () => {} : clock.after(ms - this.nowMs, act);
    const cancels = [
      at(stopAtMs, () => stop.abort('interrupted')),
      at(killAtMs, die),
      at(sleep?.atMs, () => clock.fallAsleep(sleep?.ms ?? 0)),
    ];
    this.#watch(run, resendsFailed, (intents) => {
      if (intents === killAfter?.intents) clock.after(killAfter.delayMs, die);
    });
    const events = send({
      batchSize: 500,
      concurrency: 4,
      random: () => 0,
      retries: 0,
      limit: undefined,
      ...options,
      run,
      client,
      clock,
      conventions: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
      rows: () => rowsOf(list),
      resendsFailed,
      signal: stop.signal,
    });
    const reason = await clock.drive(this.#stopReason(events, waits), () => this.#isQuiet());
    hasEnded = true;
    for (const cancel of cancels) cancel();
    if (reason instanceof Error && reason.name === 'Error') throw reason;
    const { state } = run;
    await run.close({ atMs: clock.now() });
    await client.close();
    if (hasDied) return undefined;
    const named = [...state.possibleDuplicates().map((number) => list[number - 1] ?? ''), ...state.strangers()];
    for (const userId of named) this.named.add(userId);
    return { state, named, waits, endedAtMs: this.nowMs };
  }

  /** Lets time pass until the service has nothing to do any more. */
  async settle(): Promise<void> {
    await this.#clock.drain(() => this.#isQuiet());
  }

  /** Returns who is a member twice or more often. */
  twice(): string[] {
    return [...this.#service.members].flatMap(([userId, count]) => (count > 1 ? userId : []));
  }

  async close(): Promise<void> {
    await this.#service.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #isQuiet(): boolean {
    return this.#clock.pending(TIMEOUT_MS) === this.#service.parked() && this.#writing === 0;
  }

  async #open({ list, restart = false, lifetimeMs = LIFETIME_MS, isForgetful = false }: Import): Promise<ImportRun> {
    if (isForgetful) for (const id of this.#ids) rmSync(rowsPathOf(this.#home, id), { force: true });
    const key = list.join(' ');
    const known = restart ? undefined : this.#runs.get(key);
    const limits = { clock: this.#clock, timeoutMs: TIMEOUT_MS, lifetimeMs, keepsMemberIds: false };
    const id = known ?? `run ${this.#ids.length + 1}`;
    const inFlight = await InFlightFile.read(join(this.#home, 'in-flight'), id);
    this.#journal = join(id, 'journal');
    const path = this.journal;
    if (known !== undefined && existsSync(path)) return ImportRun.open(path, inFlight, limits);
    this.#runs.set(key, id);
    this.#ids.push(id);
    mkdirSync(dirname(path), { recursive: true });
    const stored = new CheckedRows();
    for (const row of checkedRows(list)) stored.add(row);
    const rows = await stored.store(rowsPathOf(this.#home, id));
    const head = { t: 'run', version: JOURNAL_VERSION, id, list: 'list', digest: '', service: 'service' } as const;
    const more = { keyFingerprint: '', startedAt: '2026-01-01T00:00:00.000Z', position: 'line', file: '' } as const;
    return ImportRun.create(path, { ...head, ...more, rows, total: list.length }, inFlight, limits);
  }

  /** Watches what a run records, and calls `onIntent` with the number of intents that are on disk. */
  #watch(run: ImportRun, resendsFailed: boolean, onIntent: (intents: number) => void): void {
    const sent = resendsFailed ? ['unsent', 'unknown', 'failed'] : ['unsent', 'unknown'];
    const [begin, rest] = [run.begin.bind(run), run.rest.bind(run)];
    let intents = 0;
    const written = async <T>(done: Promise<T>) => {
      this.#writing++;
      return done.finally(() => this.#writing--);
    };
    run.begin = async (numbers, intent) => {
      const final = numbers.filter((number) => !sent.includes(run.state.stateOf(number)));
      if (final.length > 0) throw new Error(`the rows ${final.join(', ')} have a final state, and are sent again`);
      const begun = await written(begin(numbers, intent));
      onIntent(++intents);
      return begun;
    };
    run.rest = () => written(rest());
  }

  /** Keeps the files as they are now for the next process. */
  #keepFiles(): void {
    const next = join(this.#folder, String(++this.#processes));
    cpSync(this.#home, next, { recursive: true });
    this.#home = next;
  }

  async #stopReason(events: AsyncIterable<SendEvent>, waits: number[]): Promise<unknown> {
    for await (const event of events) {
      if (event.type === 'stopped') return event.reason;
      if (event.type === 'waiting') waits.push(event.untilMs - this.#clock.now());
    }
    return undefined;
  }
}

async function* rowsOf(users: readonly string[]): AsyncGenerator<CheckedRow[]> {
  yield checkedRows(users);
}

function checkedRows(users: readonly string[]): CheckedRow[] {
  return users.map((userId, at) => {
    const member = { userId, role: 'employee' };
    return { line: at + 2, number: at + 1, member, fields: member, issues: [] };
  });
}
