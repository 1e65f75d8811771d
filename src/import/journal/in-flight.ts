import { rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import { systemErrorCode } from '../../util/errors.ts';
import { elapsedSince, type Moment } from '../../util/moment.ts';
import { JournalDamagedError, JournalWriteError } from './journal-errors.ts';
import { JournalFile, readJournalFile } from './journal-file.ts';
import type { JournalRecord } from './records.ts';

const momentSchema = z.object({ clock: z.number(), uptime: z.number(), awake: z.optional(z.number()) });

/** What the file knows about a run with requests of unknown outcome. The last line about the run counts. */
const entrySchema = z.object({
  run: z.string(),
  /** The last request of the run, and when its intent was recorded: the journal of the run has it, too. */
  request: z.int(),
  sentAt: momentSchema,
  /** When the last request ended; it must have ended `timeoutMs` later. */
  at: momentSchema,
  timeoutMs: z.number(),
  /** The longest lifetime of its requests. */
  lifetimeMs: z.number(),
  /** The end of a later request that created somebody. */
  proof: z.optional(momentSchema),
  /** Whether any of the requests was stuck, or its process has died. */
  stuck: z.boolean(),
  /** The user IDs of the people whom it sent again as probes, and who may have been added twice. */
  probes: z.array(z.string()),
});
/** A run with requests of unknown outcome. */
export type InFlightEntry = Readonly<z.infer<typeof entrySchema>>;
/** When the requests of a run are over, as far as one of its processes knows. */
export type InFlightEnd = Pick<InFlightEntry, 'at' | 'timeoutMs' | 'lifetimeMs' | 'proof' | 'stuck'>;

/** A line of the file: an entry, or the end of one. */
const lineSchema = z.union([entrySchema, z.object({ run: z.string(), over: z.literal(true) })]);
type Line = z.infer<typeof lineSchema>;

/** Stands for the runs that a damaged file has named. */
const LOST_RUN = 'lost';

/**
 * The file of a service that names the runs with requests of unknown outcome. It is next to the lock of the service, so one
 * process at a time uses it, and it is independent of the journals, which may be removed. An entry stays until its people are
 * confirmed, and those who may have been added twice were reported.
 */
export class InFlightFile {
  readonly #path: string;
  readonly #runId: string;
  readonly #isIntact: boolean;
  /** The entries of other runs, and that of this run before it was opened if its journal has lost requests. */
  readonly #others: Map<string, InFlightEntry>;
  /** The entry of this run when it was opened. */
  readonly #before: InFlightEntry | undefined;
  /** Whether the journal of this run has the last request that the file names. */
  #isInJournal = false;
  readonly #probes: Set<string>;
  /** The file as this process writes it, from its first request on. */
  #log: Promise<JournalFile> | undefined;
  #last: InFlightEntry | undefined;

  private constructor(path: string, runId: string, { entries, isIntact }: Contents) {
    this.#path = path;
    this.#runId = runId;
    this.#isIntact = isIntact;
    this.#before = entries.get(runId);
    entries.delete(runId);
    this.#others = entries;
    this.#probes = new Set(this.#before?.probes);
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
    const before = this.#before;
    if (record.t !== 'intent' || record.request !== before?.request) return;
    if (record.at.clock === before.sentAt.clock) this.#isInJournal = true;
  }

  /**
   * Returns the runs whose requests of unknown outcome the journal of this run does not name: other runs, and this run if its
   * journal has lost records.
   *
   * @param lost what counts if the file is damaged
   */
  others(lost: Pick<InFlightEntry, 'timeoutMs' | 'lifetimeMs'>, present: Moment): InFlightEntry[] {
    if (!this.#isIntact && !this.#others.has(LOST_RUN)) {
      const moments = { sentAt: present, at: present };
      this.#others.set(LOST_RUN, { run: LOST_RUN, request: 0, ...moments, ...lost, stuck: false, probes: [] });
    }
    const own = this.#before !== undefined && !this.#isInJournal ? [this.#before] : [];
    return [...this.#others.values(), ...own];
  }

  /**
   * Records a request of this run. It is on disk when the promise resolves.
   *
   * @param probes the user IDs of a probe
   * @throws JournalWriteError
   */
  async add(
    request: number,
    { timeoutMs, lifetimeMs }: Pick<InFlightEntry, 'timeoutMs' | 'lifetimeMs'>,
    present: Moment,
    probes: readonly string[] = [],
  ): Promise<void> {
    for (const userId of probes) this.#probes.add(userId);
    // An earlier request may have a longer lifetime.
    const longestMs = Math.max(lifetimeMs, this.#last?.lifetimeMs ?? this.#before?.lifetimeMs ?? 0);
    const moments = { sentAt: present, at: present };
    const entry = { run: this.#runId, request, ...moments, timeoutMs, lifetimeMs: longestMs, stuck: true };
    this.#last = { ...entry, probes: [...this.#probes] };
    if (this.#log === undefined) {
      this.#log = this.#start([...this.#others.values(), this.#last]);
      await this.#log;
      return;
    }
    const log = await this.#log;
    log.append(this.#last);
    await log.commit();
  }

  /** Forgets people of a probe who cannot have been added twice. */
  clearProbes(userIds: readonly string[]): void {
    for (const userId of userIds) this.#probes.delete(userId);
  }

  /**
   * Records that a request of this run created somebody: the requests of other runs that had ended before it was sent are over a
   * lifetime later. Never throws: without it, a later run only waits longer.
   */
  async prove(sentAt: Moment, at: Moment): Promise<void> {
    const log = await this.#log;
    for (const [run, entry] of this.#others) {
      if (entry.proof !== undefined || elapsedSince(entry.at, sentAt) < entry.timeoutMs) continue;
      this.#others.set(run, { ...entry, proof: at });
      try {
        log?.append(this.#others.get(run));
      } catch {}
    }
  }

  /**
   * Records that this run waits, and when its requests of unknown outcome are over; undefined if it has none.
   *
   * @throws JournalWriteError
   */
  async rest(end: InFlightEnd | undefined): Promise<void> {
    const log = await this.#log;
    if (log === undefined) return;
    log.append(this.#lineOf(end));
    await log.commit();
  }

  /**
   * Records what is left now that no request is in flight. If this process has sent nothing, the file says so already.
   *
   * @param end when the requests of this run are over; undefined if it has none of unknown outcome
   * @param isOver whether another run needs no entry any more
   * @throws JournalWriteError
   */
  async settle(end: InFlightEnd | undefined, isOver: (other: InFlightEntry) => boolean): Promise<void> {
    if (this.#log === undefined || this.#last === undefined) return;
    const log = await this.#log;
    try {
      const over = [...this.#others.values()].filter(isOver);
      if (end === undefined && over.length === this.#others.size) {
        await rm(this.#path, { force: true });
        return;
      }
      log.append(this.#lineOf(end));
      for (const other of over) log.append({ run: other.run, over: true });
      await log.commit();
    } finally {
      await log.close();
    }
  }

  #lineOf(end: InFlightEnd | undefined): Line {
    if (end === undefined || this.#last === undefined) return { run: this.#runId, over: true };
    return { ...this.#last, proof: undefined, ...end, probes: [...this.#probes] };
  }

  /** Replaces the file. */
  async #start(entries: readonly InFlightEntry[]): Promise<JournalFile> {
    let log: JournalFile | undefined;
    try {
      log = await JournalFile.create(this.#path);
      for (const entry of entries) log.append(entry);
      await log.commitFile();
      return log;
    } catch (error) {
      await log?.close();
      throw error instanceof JournalWriteError ? error : new JournalWriteError(this.#path, error, 'running');
    }
  }
}

interface Contents {
  readonly entries: Map<string, InFlightEntry>;
  readonly isIntact: boolean;
}

/** Reads the last intact line about each run. Throws the error of the file system. */
async function readContents(path: string): Promise<Contents> {
  const entries = new Map<string, InFlightEntry>();
  let lines = 0;
  let isReadable = true;
  try {
    const isWhole = await readJournalFile(path, (record) => {
      lines++;
      const line: Line | undefined = lineSchema.safeParse(record).data;
      if (line === undefined) isReadable = false;
      else if ('over' in line) entries.delete(line.run);
      else entries.set(line.run, line);
    });
    return { entries, isIntact: isWhole && isReadable && lines > 0 };
  } catch (error) {
    if (error instanceof JournalDamagedError) return { entries, isIntact: false };
    if (systemErrorCode(error) === 'ENOENT') return { entries, isIntact: true };
    throw error;
  }
}
