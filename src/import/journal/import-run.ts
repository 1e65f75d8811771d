import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../util/host.ts';
import { type Moment, momentAfter, presentMoment } from '../../util/moment.ts';
import type { Outcomes } from '../outcome.ts';
import type { InFlightFile } from './in-flight.ts';
import { JournalDamagedError } from './journal-errors.ts';
import { JournalFile, readFirstRecord, readJournalFile } from './journal-file.ts';
import { encodeOutcomes } from './outcome-record.ts';
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
import { type RunFacts, RunState, remainingMs } from './run-state.ts';

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

  /** Returns how long requests of unknown outcome may still be running, in milliseconds; 0 if all are over. */
  unknownMs(): number {
    const present = presentMoment(this.#limits.clock);
    const { lifetimeMs } = this.#limits;
    return Math.max(0, ...this.state.unknownRequests().map((request) => remainingMs(request, lifetimeMs, present)));
  }

  /** Returns the longest lifetime of the requests of unknown outcome, in milliseconds, and at least the present one. */
  longestLifetimeMs(): number {
    return Math.max(this.#limits.lifetimeMs, ...this.state.unknownRequests().map(({ lifetimeMs }) => lifetimeMs));
  }

  /**
   * Returns how long requests that the journal does not name may still be running, in milliseconds: those of other runs into the
   * same service, and those of this run if its journal has lost records.
   */
  othersMs(): number {
    const { timeoutMs, lifetimeMs, clock } = this.#limits;
    return this.#inFlight.othersMs(timeoutMs + lifetimeMs, presentMoment(clock));
  }

  /**
   * Logs the intent to send these rows; it is on disk when the promise resolves. The request must end within the timeout.
   *
   * @param isProbe whether it is one row that is sent again before the others
   * @returns the number of the request, and when it must end
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async begin(numbers: readonly number[], isProbe: boolean): Promise<{ request: number; endsAt: Moment }> {
    const { clock, timeoutMs, lifetimeMs } = this.#limits;
    const at = presentMoment(clock);
    const request = this.state.lastRequest + 1;
    const probe = isProbe ? ({ probe: true } as const) : {};
    const record = { t: 'intent', request, rows: encodeRanges(numbers), at, timeoutMs, lifetimeMs, ...probe } as const;
    this.#journal.append(record);
    this.#hasChanged = true;
    this.state.apply(record);
    await Promise.all([this.#journal.commit(), this.#inFlight.add(request, timeoutMs + lifetimeMs, at)]);
    return { request, endsAt: momentAfter(at, timeoutMs) };
  }

  /** Applies the outcomes of a request and logs them; they are on disk before the next request begins. Never throws. */
  finish(request: number, outcomes: Outcomes): void {
    const at = presentMoment(this.#limits.clock);
    this.state.applyOutcomes({ request, at }, outcomes);
    this.#append(encodeOutcomes(request, outcomes, at));
  }

  /** Records what a response shows about the entire run, and no earlier one has shown. Never throws. */
  note(news: RunFacts): void {
    const record = { t: 'note', ...news } as const;
    this.state.apply(record);
    this.#append(record);
  }

  /**
   * Makes everything durable and closes the journal. A run without any outcome is removed: its directory disappears.
   *
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async close(end: Omit<ClosedRecord, 't'>): Promise<void> {
    if (!this.state.hasOutcome) {
      await this.#journal.close();
      await this.#inFlight.settle(0, presentMoment(this.#limits.clock));
      await rm(dirname(this.#journal.path), { recursive: true, force: true });
      return;
    }
    if (this.#hasChanged) this.#append({ t: 'closed', ...end });
    try {
      await this.#inFlight.settle(this.unknownMs(), presentMoment(this.#limits.clock));
      await this.#journal.commit();
    } finally {
      await this.#journal.close();
    }
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
