import { rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { systemErrorCode } from '../../util/errors.ts';
import { elapsedSince, type Moment } from '../../util/moment.ts';
import { JournalDamagedError, JournalWriteError } from './journal-errors.ts';
import { JournalFile, readJournalFile } from './journal-file.ts';
import type { JournalRecord } from './records.ts';

const momentSchema = z.object({ clock: z.number(), uptime: z.number(), awake: z.optional(z.number()) });

/** A line of the file. The last one counts. */
const inFlightSchema = z.object({
  run: z.string(),
  /** The last request of the run, and when its intent was recorded: the journal of the run has it, too. */
  request: z.int(),
  sentAt: momentSchema,
  /** The requests of the run are over once `forMs` has passed since `at`. */
  at: momentSchema,
  forMs: z.number(),
});
type InFlight = z.infer<typeof inFlightSchema>;

/**
 * The file of a service that holds the moment until which requests may still be running. It is next to the lock of the service,
 * so one process at a time uses it, and it is independent of the journals, which may be removed. It names only the run that has
 * sent the last request, because a run sends none before those of all other runs are over.
 */
export class InFlightFile {
  readonly #path: string;
  readonly #runId: string;
  readonly #isIntact: boolean;
  #last: InFlight | undefined;
  /** Whether the journal of this run has the last request that the file names. */
  #isInJournal = false;
  /** The file as this process writes it, from its first request on. */
  #log: Promise<JournalFile> | undefined;

  private constructor(path: string, runId: string, { last, isIntact }: Contents) {
    this.#path = path;
    this.#runId = runId;
    this.#last = last;
    this.#isIntact = isIntact;
  }

  /**
   * Reads the file of a service. Only for the holder of the service's lock.
   *
   * @param runId unique to the run whose requests it is about to hold
   * @throws the error of the file system
   */
  static async read(path: string, runId: string): Promise<InFlightFile> {
    return new InFlightFile(path, runId, await readContents(path));
  }

  /**
   * Compares the file with a record of the run's journal. If none of them is the intent of the last request that the file names,
   * the journal has lost records.
   */
  compare(record: JournalRecord): void {
    const last = this.#last;
    if (record.t !== 'intent' || last?.run !== this.#runId || record.request !== last.request) return;
    if (record.at.clock === last.sentAt.clock) this.#isInJournal = true;
  }

  /**
   * Returns how long requests may still be running that the journal of this run does not name, in milliseconds: those of other
   * runs, and those of this run if its journal has lost records.
   *
   * @param longestMs what counts at least if the file is damaged
   */
  othersMs(longestMs: number, present: Moment): number {
    const lastMs = this.#isInJournal ? 0 : this.#leftMs(present);
    return this.#isIntact ? lastMs : Math.max(lastMs, longestMs);
  }

  /**
   * Records a request of this run, which may be running for `forMs` from now. It is on disk when the promise resolves.
   *
   * @throws JournalWriteError
   */
  async add(request: number, forMs: number, present: Moment): Promise<void> {
    // An earlier request may have a longer lifetime.
    const longestMs = Math.max(forMs, this.#leftMs(present));
    const last = { run: this.#runId, request, sentAt: present, at: present, forMs: longestMs };
    this.#last = last;
    if (this.#log === undefined) {
      this.#log = this.#start(last);
      await this.#log;
      return;
    }
    const log = await this.#log;
    log.append(last);
    await log.commit();
  }

  /**
   * Records how long requests of this run may still be running now that none is in flight, in milliseconds; 0 if none is. If
   * this process has sent nothing, the file says so already.
   *
   * @throws JournalWriteError
   */
  async settle(forMs: number, present: Moment): Promise<void> {
    if (this.#log === undefined) return;
    const log = await this.#log;
    try {
      if (forMs === 0) {
        await rm(this.#path, { force: true });
        return;
      }
      log.append({ ...this.#last, at: present, forMs });
      await log.commit();
    } finally {
      await log.close();
    }
  }

  /** Replaces the file. */
  async #start(last: InFlight): Promise<JournalFile> {
    let log: JournalFile | undefined;
    try {
      log = await JournalFile.create(this.#path);
      log.append(last);
      await log.commitFile();
      return log;
    } catch (error) {
      await log?.close();
      throw error instanceof JournalWriteError ? error : new JournalWriteError(this.#path, error, 'running');
    }
  }

  #leftMs(present: Moment): number {
    if (this.#last === undefined) return 0;
    return Math.max(0, this.#last.forMs - elapsedSince(this.#last.at, present));
  }
}

interface Contents {
  readonly last: InFlight | undefined;
  readonly isIntact: boolean;
}

/** Reads the last line that is intact. Throws the error of the file system. */
async function readContents(path: string): Promise<Contents> {
  let last: InFlight | undefined;
  try {
    const isWhole = await readJournalFile(path, (record) => {
      last = inFlightSchema.safeParse(record).data;
    });
    return { last, isIntact: isWhole && last !== undefined };
  } catch (error) {
    if (error instanceof JournalDamagedError) return { last, isIntact: false };
    if (systemErrorCode(error) === 'ENOENT') return { last, isIntact: true };
    throw error;
  }
}
