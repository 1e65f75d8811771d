import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../util/host.ts';
import { elapsedSince, type Moment, momentAfter, presentMoment } from '../../util/moment.ts';
import type { Outcomes } from '../outcome.ts';
import type { InFlightEnd, InFlightEntry, InFlightFile } from './in-flight.ts';
import { JournalDamagedError } from './journal-errors.ts';
import { JournalFile, readFirstRecord, readJournalFile } from './journal-file.ts';
import { encodeOutcomes, type RequestEnd } from './outcome-record.ts';
import {
  type ClosedRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  type OutcomeRecord,
  type RunHead,
  type RunRecord,
  runHeadSchema,
  runRecordSchema,
} from './records.ts';
import { encodeRanges } from './row-ranges.ts';
import { type RunFacts, RunState } from './run-state.ts';
import { lifetimeLeftMs, remainingMs, type UnknownRequest } from './unknown-requests.ts';

/** Limits and options with which a run sends its list. */
export interface RunLimits {
  readonly clock: Clock;
  /** When a request has ended at the latest, in milliseconds after its intent. */
  readonly timeoutMs: number;
  /** How long the service may process a request after it has ended for orgadm, in milliseconds. */
  readonly lifetimeMs: number;
  /** Whether the report shows member IDs. */
  readonly keepsMemberIds: boolean;
}

/** Why rows are sent. */
export type Intent =
  | { readonly purpose: 'first' | 'again' }
  /** Some rows of a request of unknown outcome are sent again before the others. */
  | { readonly purpose: 'probe'; readonly probed: number; readonly userIds: readonly string[] };

/** The end of a request that left nothing unknown. */
const ENDED: RequestEnd = { isStuck: false, isTimeout: false };

/** The rows of a list whose people are in a request of another run. */
export interface AdoptedRows extends Pick<UnknownRequest, 'at' | 'timeoutMs' | 'lifetimeMs' | 'proof' | 'isStuck'> {
  /** Whether the request may have other people, too, so that rows that were created say nothing about it. */
  readonly isAnybody: boolean;
  readonly rows: readonly number[];
  /** Rows whose people other runs have probed, and who may have been added twice. */
  readonly atRisk: readonly number[];
  /** The user IDs of such people who are not on the list. */
  readonly strangers: readonly string[];
}

/**
 * A run of a list: the state of each row, and the journal that outlives the process. The intent to send a row is on disk
 * before it is sent, and its outcome before anything else is sent.
 *
 * A failure of the journal is thrown at the next `begin`, or at `close`. The outcomes of requests in flight are applied all
 * the same, so that the report is correct.
 */
export class ImportRun {
  readonly state: RunState;
  readonly #journal: JournalFile;
  readonly #inFlight: InFlightFile;
  readonly #limits: RunLimits;
  #hasChanged = false;
  /** The requests in flight. */
  readonly #sent = new Map<number, { at: Moment; numbers: readonly number[]; intent: Intent }>();

  private constructor(journal: JournalFile, state: RunState, inFlight: InFlightFile, limits: RunLimits) {
    this.#journal = journal;
    this.state = state;
    this.#inFlight = inFlight;
    this.#limits = limits;
  }

  /**
   * Starts a run in a new journal, which replaces one that is there.
   *
   * @throws JournalWriteError; the error of the file system
   */
  static async create(path: string, head: RunRecord, inFlight: InFlightFile, limits: RunLimits): Promise<ImportRun> {
    const state = new RunState(head.total, limits.keepsMemberIds);
    const journal = await JournalFile.create(path);
    try {
      journal.append(head);
      state.apply(head);
      await journal.commitFile();
      return new ImportRun(journal, state, inFlight, limits);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /**
   * Continues a run. The outcome of requests that were in flight when its process died is unknown, which the first records of
   * this process say: whatever it and later processes record about their rows stays as it is.
   *
   * @throws JournalDamagedError, JournalWriteError; the error of the file system
   */
  static async open(path: string, inFlight: InFlightFile, limits: RunLimits): Promise<ImportRun> {
    const replay = createReplay(path, limits.keepsMemberIds);
    const journal = await JournalFile.open(path, (record) => {
      replay.apply(record);
      inFlight.compare(record as JournalRecord);
    });
    try {
      const { state, outcomesOfDeadProcess } = replay.result();
      for (const record of outcomesOfDeadProcess) journal.append(record);
      await journal.commit();
      return new ImportRun(journal, state, inFlight, limits);
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** The directory that contains the directories of the runs. */
  get root(): string {
    return dirname(dirname(this.#journal.path));
  }

  /** Returns until when a request of unknown outcome is not probed, in milliseconds from now: its lifetime since its end. */
  lifetimeLeftMs(request: UnknownRequest): number {
    return lifetimeLeftMs(request, this.#limits.lifetimeMs, presentMoment(this.#limits.clock));
  }

  /** Returns until when a request of unknown outcome may still be running, in milliseconds from now; Infinity without a proof. */
  remainingMs(request: UnknownRequest): number {
    return remainingMs(request, this.#limits.lifetimeMs, presentMoment(this.#limits.clock));
  }

  /** Returns how long no row is probed because one was a member after a stuck probe, in milliseconds. */
  restartMs(): number {
    const { restart } = this.state;
    if (restart === undefined) return 0;
    const { lifetimeMs, clock } = this.#limits;
    const longestMs = Math.max(lifetimeMs, restart.lifetimeMs);
    return Math.max(0, longestMs - elapsedSince(restart.at, presentMoment(clock)));
  }

  /** Returns how long a lifetime since the end of every request of unknown outcome takes, in milliseconds. */
  longestLifetimeLeftMs(): number {
    return Math.max(0, ...[...this.state.unknownRequests().keys()].map((request) => this.lifetimeLeftMs(request)));
  }

  /**
   * Returns the runs with requests of unknown outcome that the journal of this run does not name, and that still matter: the
   * requests may be running, or people whom they may have added twice were not reported.
   */
  othersInFlight(): InFlightEntry[] {
    const { timeoutMs, lifetimeMs, clock } = this.#limits;
    const others = this.#inFlight.others({ timeoutMs, lifetimeMs }, presentMoment(clock));
    return others.filter((other) => other.probes.length > 0 || !this.#isOver(other));
  }

  /**
   * Makes the outcome of rows unknown whose people are in requests of other runs. It is on disk before the next request.
   *
   * @throws JournalWriteError
   */
  adoptOthers({ rows, atRisk, strangers, isAnybody, isStuck, at, timeoutMs, lifetimeMs, proof }: AdoptedRows): void {
    const record = {
      t: 'others',
      request: this.state.lastRequest + 1,
      rows: encodeRanges(rows),
      at,
      timeoutMs,
      lifetimeMs,
      ...(proof !== undefined && { proof }),
      ...(isStuck && ({ stuck: true } as const)),
      ...(isAnybody && ({ anybody: true } as const)),
      ...(atRisk.length > 0 && { atRisk: encodeRanges(atRisk) }),
      ...(strangers.length > 0 && { strangers }),
    } as const;
    this.#journal.append(record);
    this.#hasChanged = true;
    this.state.apply(record);
  }

  /**
   * Logs the intent to send these rows; it is on disk when the promise resolves. The request must end within the timeout.
   *
   * @returns the number of the request, and when it must end
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async begin(numbers: readonly number[], intent: Intent): Promise<{ request: number; endsAt: Moment }> {
    const { clock, timeoutMs, lifetimeMs } = this.#limits;
    const at = presentMoment(clock);
    const request = this.state.lastRequest + 1;
    const record = {
      t: 'intent',
      request,
      rows: encodeRanges(numbers),
      at,
      timeoutMs,
      lifetimeMs,
      ...(intent.purpose === 'probe' && { probe: intent.probed }),
      ...(intent.purpose === 'again' && ({ again: true } as const)),
    } as const;
    this.#journal.append(record);
    this.#hasChanged = true;
    this.state.apply(record);
    this.#sent.set(request, { at, numbers, intent });
    const probes = intent.purpose === 'probe' ? intent.userIds : [];
    await Promise.all([this.#journal.commit(), this.#inFlight.add(request, { timeoutMs, lifetimeMs }, at, probes)]);
    return { request, endsAt: momentAfter(at, timeoutMs) };
  }

  /**
   * Applies the outcomes of a request and logs them; they are on disk before the next request begins. Never throws.
   *
   * @param end how it ended, if it left outcomes unknown
   */
  finish(request: number, outcomes: Outcomes, end: RequestEnd = ENDED): void {
    const at = presentMoment(this.#limits.clock);
    const record = encodeOutcomes(request, outcomes, at, end);
    this.state.applyOutcomes(record, outcomes);
    this.#append(record);
    const sent = this.#sent.get(request);
    this.#sent.delete(request);
    if (sent === undefined) return;
    const { intent, numbers } = sent;
    if (intent.purpose === 'probe')
      this.#inFlight.clearProbes(intent.userIds.filter((_, row) => !this.state.isAtRisk(numbers[row] ?? 0)));
    if (record.created !== undefined) void this.#inFlight.prove(sent.at, at);
  }

  /** Records what a response shows about the entire run, and no earlier one has shown. Never throws. */
  note(news: RunFacts): void {
    const record = { t: 'note', ...news } as const;
    this.state.apply(record);
    this.#append(record);
  }

  /**
   * Records that no request is in flight while this run waits, so that other runs need not assume that one is.
   *
   * @throws JournalWriteError
   */
  async rest(): Promise<void> {
    if (this.#sent.size > 0) return;
    const requests = [...this.state.unknownRequests().keys()];
    await Promise.all([this.#journal.commit(), this.#inFlight.rest(this.#endOf(requests))]);
  }

  /**
   * Makes everything durable and closes the journal. A run without any outcome is removed: its directory disappears.
   *
   * @param isReported whether the people who may have been added twice were reported
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async close(end: Omit<ClosedRecord, 't'>, isReported = true): Promise<void> {
    if (!this.state.hasOutcome) {
      await this.#journal.close();
      await this.#inFlight.settle(undefined, () => false);
      await rm(dirname(this.#journal.path), { recursive: true, force: true });
      return;
    }
    if (this.#hasChanged) this.#append({ t: 'closed', ...end });
    try {
      await this.#settle(isReported);
      await this.#journal.commit();
    } finally {
      await this.#journal.close();
    }
  }

  /** Records in the file of requests in flight what this run leaves behind. */
  #settle(isReported: boolean): Promise<void> {
    const requests = [...this.state.unknownRequests().keys()];
    const mayLeave = requests.length === 0 && isReported;
    const hasOthers = requests.some(({ purpose }) => purpose === 'others');
    return this.#inFlight.settle(mayLeave ? undefined : this.#endOf(requests), (other) => {
      if (hasOthers || !this.#isOver(other)) return false;
      return isReported || other.probes.length === 0;
    });
  }

  /** Returns the end of the last of these requests, with the longest lifetime: a later run may have a longer one. */
  #endOf(requests: readonly UnknownRequest[]): InFlightEnd {
    const present = presentMoment(this.#limits.clock);
    const sinceEndMs = ({ at, timeoutMs }: UnknownRequest) => elapsedSince(at, present) - timeoutMs;
    const [last] = requests.toSorted((a, b) => sinceEndMs(a) - sinceEndMs(b));
    const lifetimeMs = Math.max(0, ...requests.map((request) => request.lifetimeMs));
    if (last === undefined) {
      return { at: present, timeoutMs: 0, lifetimeMs, proof: present, stuck: false };
    }
    const { at, timeoutMs } = last;
    const proofs = requests.flatMap(({ proof }) => proof ?? []).sort((a, b) => b.clock - a.clock);
    const isProven = proofs.length === requests.length;
    const stuck = requests.some(({ isStuck }) => isStuck);
    return { at, timeoutMs, lifetimeMs, ...(isProven && { proof: proofs[0] }), stuck };
  }

  /** Whether the requests of another run are over. */
  #isOver({ at, timeoutMs, lifetimeMs, proof }: InFlightEntry): boolean {
    if (proof === undefined) return false;
    const present = presentMoment(this.#limits.clock);
    const longestMs = Math.max(lifetimeMs, this.#limits.lifetimeMs);
    return elapsedSince(at, present) >= timeoutMs + longestMs && elapsedSince(proof, present) >= longestMs;
  }

  /** Logs a record. A failure is reported by the next `begin`, or by `close`. */
  #append(record: JournalRecord): void {
    this.#hasChanged = true;
    try {
      this.#journal.append(record);
    } catch {}
  }
}

/** A run as its journal describes it. */
export interface ReplayedRun {
  readonly head: RunRecord;
  readonly state: RunState;
  /** The last record, if a process closed the journal with it. */
  readonly closed: ClosedRecord | undefined;
  /** The outcomes of requests that no process has ended. The state includes them, the journal does not yet. */
  readonly outcomesOfDeadProcess: readonly OutcomeRecord[];
}

/**
 * Reads a run, which another process may be working on, and changes nothing.
 *
 * @throws JournalDamagedError; the error of the file system
 */
export async function readRun(path: string, keepsMemberIds = false): Promise<ReplayedRun> {
  const replay = createReplay(path, keepsMemberIds);
  await readJournalFile(path, replay.apply);
  return replay.result();
}

/**
 * Reads which list a run sends, and where to, from a journal of any format.
 *
 * @returns undefined if the first record is damaged
 * @throws UsageError if it is no regular file; the error of the file system
 */
export function readRunHead(path: string): RunHead | undefined {
  return runHeadSchema.safeParse(readFirstRecord(path)).data;
}

function createReplay(path: string, keepsMemberIds: boolean) {
  let run: { head: RunRecord; state: RunState; closed: ClosedRecord | undefined } | undefined;
  return {
    apply(value: unknown): void {
      const record = value as JournalRecord;
      if (run !== undefined && record.t === 'run') throw new JournalDamagedError(path, 'has the records of two runs');
      const head = run?.head ?? checkHead(record, path);
      try {
        run ??= { head, state: new RunState(head.total, keepsMemberIds), closed: undefined };
        run.closed = record.t === 'closed' ? record : undefined;
        run.state.apply(record);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        throw new JournalDamagedError(path, `does not fit its list: ${error.message}`);
      }
    },
    /** Throws JournalDamagedError for a journal without records. */
    result(): ReplayedRun {
      if (run === undefined) throw new JournalDamagedError(path, 'is empty');
      const outcomesOfDeadProcess = run.state.outcomesOfDeadProcess();
      for (const record of outcomesOfDeadProcess) run.state.apply(record);
      return { ...run, outcomesOfDeadProcess };
    },
  };
}

/** Throws JournalDamagedError if a record is not the first one of a journal in the present format. */
function checkHead(record: unknown, path: string): RunRecord {
  const { data: head } = runHeadSchema.safeParse(record);
  if (head !== undefined && head.version !== JOURNAL_VERSION) {
    const other = head.version > JOURNAL_VERSION ? 'a newer' : 'an older';
    throw new JournalDamagedError(
      path,
      `was written by ${other} version of orgadm`,
      'Nothing was sent. Continue the run with that version.',
    );
  }
  const { data: run } = runRecordSchema.safeParse(record);
  if (run === undefined) throw new JournalDamagedError(path, 'does not begin with its run');
  return run;
}
