import { rm } from 'node:fs/promises';
import { systemErrorCode } from '../../util/errors.ts';
import { elapsedSince, type Moment } from '../../util/moment.ts';
import { JournalDamagedError, JournalWriteError } from './journal-errors.ts';
import { JournalFile, readJournalFile } from './journal-file.ts';
import type { JournalRecord } from './records.ts';

/** A line of the file. The last one about a run counts. */
interface InFlight {
  readonly run: string;
  /** The last request of the run, and when its intent was recorded: the journal of the run has it, too. */
  readonly request: number;
  readonly sentAt: Moment;
  /** The requests of the run are over once `forMs` has passed since `at`. */
  readonly at: Moment;
  readonly forMs: number;
}

/**
 * The file of a service that holds, for each run, the moment until which its requests may still be running. It is next to the
 * lock of the service, so one process at a time uses it, and it is independent of the journals, which may be removed.
 */
export class InFlightFile {
  readonly #path: string;
  readonly #runId: string;
  readonly #others: readonly InFlight[];
  readonly #isIntact: boolean;
  #own: InFlight | undefined;
  /** Whether the journal of this run has the last request that the file names. */
  #isJournalComplete = false;
  /** The file as this process writes it, from its first request on. */
  #log: Promise<JournalFile> | undefined;

  private constructor(path: string, runId: string, runs: ReadonlyMap<string, InFlight>, isIntact: boolean) {
    this.#path = path;
    this.#runId = runId;
    this.#own = runs.get(runId);
    this.#others = [...runs.values()].filter(({ run }) => run !== runId);
    this.#isIntact = isIntact;
  }

  /**
   * Reads the file of a service. Only for the holder of the service's lock.
   *
   * @param runId unique to the run whose requests it is about to hold
   * @throws the error of the file system
   */
  static async read(path: string, runId: string): Promise<InFlightFile> {
    const runs = new Map<string, InFlight>();
    const isIntact = await readRuns(path, runs);
    return new InFlightFile(path, runId, runs, isIntact);
  }

  /**
   * Compares the file with a record of the run's journal. If none of them is the intent of the last request that the file names,
   * the journal has lost records.
   */
  compare(record: JournalRecord): void {
    if (record.t !== 'intent' || record.request !== this.#own?.request) return;
    const { clock, uptime } = this.#own.sentAt;
    if (record.at.clock === clock && record.at.uptime === uptime) this.#isJournalComplete = true;
  }

  /**
   * Returns how long requests may still be running that the journal of this run does not name, in milliseconds: those of other
   * runs, and those of this run if its journal has lost records.
   *
   * @param longestMs what counts at least if the file is damaged
   */
  othersMs(longestMs: number, present: Moment): number {
    const waits = this.#others.map((inFlight) => msLeft(inFlight, present));
    if (!this.#isIntact) waits.push(longestMs);
    if (!this.#isJournalComplete && this.#own !== undefined) waits.push(msLeft(this.#own, present));
    return Math.max(0, ...waits);
  }

  /**
   * Records a request of this run, which may be running for `forMs` from now. It is on disk when the promise resolves.
   *
   * @throws JournalWriteError
   */
  async add(request: number, forMs: number, present: Moment): Promise<void> {
    // An earlier request of this run may have a longer lifetime.
    const longestMs = Math.max(forMs, this.#own === undefined ? 0 : msLeft(this.#own, present));
    const own = { run: this.#runId, request, sentAt: present, at: present, forMs: longestMs };
    this.#own = own;
    this.#isJournalComplete = true;
    if (this.#log === undefined) {
      this.#log = this.#start(own);
      await this.#log;
      return;
    }
    const log = await this.#log;
    log.append(own);
    await log.commit();
  }

  /**
   * Records how long requests of this run may still be running now that none is in flight, in milliseconds; 0 if none is. If
   * this process has sent nothing, the file says so already.
   *
   * @throws JournalWriteError
   */
  async settle(forMs: number, present: Moment): Promise<void> {
    if (this.#log === undefined || this.#own === undefined) return;
    const log = await this.#log;
    try {
      if (forMs === 0 && this.#current(present).length === 0) {
        await rm(this.#path, { force: true });
        return;
      }
      log.append({ ...this.#own, at: present, forMs });
      await log.commit();
    } finally {
      await log.close();
    }
  }

  /** Replaces the file by one without the runs whose requests are over. */
  async #start(own: InFlight): Promise<JournalFile> {
    const log = await JournalFile.create(this.#path).catch((error: unknown) => {
      throw new JournalWriteError(this.#path, error, 'running');
    });
    try {
      for (const inFlight of [...this.#current(own.at), own]) log.append(inFlight);
      await log.commitFile();
      return log;
    } catch (error) {
      await log.close();
      throw error instanceof JournalWriteError ? error : new JournalWriteError(this.#path, error, 'running');
    }
  }

  /** Returns the other runs whose requests may still be running. */
  #current(present: Moment): InFlight[] {
    return this.#others.filter((inFlight) => msLeft(inFlight, present) > 0);
  }
}

function msLeft({ at, forMs }: InFlight, present: Moment): number {
  return Math.max(0, forMs - elapsedSince(at, present));
}

/** Reads the last line about each run. Returns whether the file is intact. Throws the error of the file system. */
async function readRuns(path: string, runs: Map<string, InFlight>): Promise<boolean> {
  try {
    return await readJournalFile(path, (record) => {
      if (!isInFlight(record)) throw new JournalDamagedError(path, 'has another format');
      runs.set(record.run, record);
    });
  } catch (error) {
    if (error instanceof JournalDamagedError) return false;
    if (systemErrorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

function isInFlight(record: unknown): record is InFlight {
  const { run, at, forMs } = record as Partial<InFlight>;
  return typeof run === 'string' && [at?.clock, at?.uptime, forMs].every(Number.isFinite);
}
