import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createClient, type ServiceClient } from '../../../src/client/service.ts';
import type { CheckedRow } from '../../../src/import/checked-row.ts';
import { ImportRun } from '../../../src/import/journal/import-run.ts';
import { InFlightFile } from '../../../src/import/journal/in-flight.ts';
import { JOURNAL_VERSION } from '../../../src/import/journal/records.ts';
import { CheckedRows, rowsPathOf } from '../../../src/import/journal/rows.ts';
import type { RunState } from '../../../src/import/journal/run-state.ts';
import { send } from '../../../src/import/send/send.ts';
import type { SendEvent } from '../../../src/import/send/send-events.ts';
import { Secrets } from '../../../src/output/redact.ts';
import type { TestClock } from '../../helpers/test-clock.ts';
import type { LockedService } from './locked-service.ts';

/** Unlike any other time in a run, so that the clock can distinguish the client's deadlines from other timers. */
export const TIMEOUT_MS = 30_007;
export const LIFETIME_MS = 120_000;

/** What a user runs, and what becomes of it. */
export interface Import {
  readonly list: readonly string[];
  /** Begins a new run; otherwise it continues the run of the list. */
  readonly restart?: boolean;
  readonly lifetimeMs?: number;
  readonly batchSize?: number;
  readonly concurrency?: number;
  /** Kills the process at this time, in milliseconds since the start of the test. */
  readonly killAtMs?: number | undefined;
  /** Interrupts it at this time, as Ctrl-C does. */
  readonly stopAtMs?: number | undefined;
  /** Whether the rows of earlier runs are gone, so that nobody knows whom they have sent. */
  readonly isForgetful?: boolean;
  /** When it starts, if that is later than now. */
  readonly atMs?: number;
}

/** What an import has reported; undefined for one that was killed. */
export interface Ended {
  readonly state: RunState;
  /** Who may have been added twice. */
  readonly named: readonly string[];
  /** Waits of the import although nothing is in flight, in milliseconds. */
  readonly waits: readonly number[];
  /** When it ended, in milliseconds since the start of the test. */
  readonly endedAtMs: number;
}

/** A user's machine: its imports, one after another, and the files that each of them finds. */
export class VirtualMachine {
  readonly #clock: TestClock;
  readonly #service: LockedService;
  readonly #connect: (service: LockedService, clock: TestClock) => ServiceClient;
  readonly #startMs: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'orgadm-virtual-'));
  #home = join(this.#folder, '1');
  #processes = 1;
  /** The run of each list. */
  readonly #runs = new Map<string, string>();
  /** Everyone whom a report has named. */
  readonly named = new Set<string>();

  constructor(clock: TestClock, service: LockedService, connect = connectTo) {
    this.#clock = clock;
    this.#service = service;
    this.#connect = connect;
    this.#startMs = clock.now();
    mkdirSync(this.#home, { recursive: true });
  }

  get nowMs(): number {
    return this.#clock.now() - this.#startMs;
  }

  /** Runs an import to its end. */
  async import(options: Import): Promise<Ended | undefined> {
    const { list, killAtMs, stopAtMs, atMs = 0, batchSize = 500, concurrency = 4 } = options;
    const clock = this.#clock;
    if (atMs > this.nowMs) await clock.drive(clock.sleep(atMs - this.nowMs), () => this.#isQuiet());
    const run = await this.#open(options);
    const client = this.#connect(this.#service, clock);
    const stop = new AbortController();
    const waits: number[] = [];
    let hasDied = false;
    const cancels = [
      ...(stopAtMs === undefined ? [] : [clock.after(stopAtMs - this.nowMs, () => stop.abort('interrupted'))]),
      ...(killAtMs === undefined
        ? []
        : [
            clock.after(killAtMs - this.nowMs, () => {
              hasDied = true;
              this.#die(run);
              stop.abort('died');
              void client.close();
            }),
          ]),
    ];
    const isWriting = watchJournal(run);
    const events = send({
      run,
      client,
      clock,
      random: () => 0,
      conventions: { deviceMgmtLabelId: 'deviceMgmtLabelId', existing: [] },
      rows: () => rowsOf(list),
      batchSize,
      concurrency,
      retries: 0,
      limit: undefined,
      resendsFailed: false,
      signal: stop.signal,
    });
    const reason = await clock.drive(this.#stopReason(events, waits), () => this.#isQuiet() && !isWriting());
    for (const cancel of cancels) cancel();
    if (reason instanceof Error && reason.name === 'Error') throw reason;
    const { state } = run;
    await run.close({ atMs: clock.now() }, true);
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

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #isQuiet(): boolean {
    return this.#clock.pending(TIMEOUT_MS) === this.#service.parked();
  }

  async #open({ list, restart = false, lifetimeMs = LIFETIME_MS, isForgetful = false }: Import): Promise<ImportRun> {
    if (isForgetful) for (const id of this.#runs.values()) rmSync(rowsPathOf(this.#home, id), { force: true });
    const key = list.join(' ');
    const known = restart ? undefined : this.#runs.get(key);
    const limits = { clock: this.#clock, timeoutMs: TIMEOUT_MS, lifetimeMs, keepsMemberIds: false };
    const id = known ?? `run ${this.#runs.size + 1} ${this.#processes}`;
    const inFlight = await InFlightFile.read(join(this.#home, 'in-flight'), id);
    const path = join(this.#home, id, 'journal');
    if (known !== undefined && existsSync(path)) return ImportRun.open(path, inFlight, limits);
    this.#runs.set(key, id);
    mkdirSync(dirname(path), { recursive: true });
    const stored = new CheckedRows();
    for (const row of checkedRows(list)) stored.add(row);
    const rows = await stored.store(rowsPathOf(this.#home, id));
    const head = { t: 'run', version: JOURNAL_VERSION, id, list: 'list', digest: '', service: 'service' } as const;
    const more = { keyFingerprint: '', startedAt: '2026-01-01T00:00:00.000Z', position: 'line', file: '' } as const;
    return ImportRun.create(path, { ...head, ...more, rows, total: list.length }, inFlight, limits);
  }

  /** Keeps the files as they are now for the next process. */
  #die(run: ImportRun): void {
    const next = join(this.#folder, String(++this.#processes));
    cpSync(this.#home, next, { recursive: true });
    this.#home = next;
    run.begin = () => Promise.reject('died');
  }

  async #stopReason(events: AsyncIterable<SendEvent>, waits: number[]): Promise<unknown> {
    for await (const event of events) {
      if (event.type === 'stopped') return event.reason;
      if (event.type === 'waiting') waits.push(event.untilMs - this.#clock.now());
    }
    return undefined;
  }
}

/** Returns whether the run waits for its journal: that takes real time, in which simulated time must not pass. */
export function watchJournal(run: ImportRun): () => boolean {
  let waiting = 0;
  const begin = run.begin.bind(run);
  const rest = run.rest.bind(run);
  run.begin = (...args) => {
    waiting++;
    return begin(...args).finally(() => waiting--);
  };
  run.rest = () => {
    waiting++;
    return rest().finally(() => waiting--);
  };
  return () => waiting > 0;
}

function connectTo({ url }: LockedService, clock: TestClock): ServiceClient {
  return createClient({
    baseUrl: url,
    apiKey: 'key-of-the-test',
    timeoutMs: TIMEOUT_MS,
    retries: 0,
    allowHttp: false,
    proxy: {},
    userAgent: 'orgadm/test',
    clock,
    random: () => 0,
    secrets: new Secrets(),
  });
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
