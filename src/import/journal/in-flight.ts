import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { systemErrorCode } from '../../util/errors.ts';
import { removeDrafts, replaceFile } from '../../util/files.ts';
import { elapsedSince, type Moment } from '../../util/moment.ts';
import { JournalWriteError } from './journal-errors.ts';

/** The requests of a run: they are over once `forMs` has passed since `at`. */
interface InFlight {
  readonly at: Moment;
  readonly forMs: number;
}

/** How much further ahead than necessary the file is written, in milliseconds, so that few requests have to write it. */
const MAX_AHEAD_MS = 10_000;

/**
 * The file of a service that holds, for each run, the moment until which its requests may still be running. It is next to the
 * lock of the service, so one process at a time uses it, and it is independent of the journals, which may be removed.
 */
export class InFlightFile {
  readonly #path: string;
  readonly #runId: string;
  readonly #others: Map<string, InFlight>;
  readonly #isReadable: boolean;
  #own: InFlight | undefined;

  private constructor(path: string, runId: string, runs: Map<string, InFlight> | undefined) {
    this.#path = path;
    this.#runId = runId;
    this.#isReadable = runs !== undefined;
    this.#own = runs?.get(runId);
    runs?.delete(runId);
    this.#others = runs ?? new Map();
  }

  /**
   * Reads the file of a service, and removes drafts of it that a crash left. Only for the holder of the service's lock.
   *
   * @param runId unique to the run whose requests it is about to hold
   * @throws the error of the file system, if a draft cannot be removed
   */
  static read(path: string, runId: string): InFlightFile {
    removeDrafts(path);
    return new InFlightFile(path, runId, readRuns(path));
  }

  /**
   * Returns how long the requests of other runs may still be running, in milliseconds.
   *
   * @param longestMs what counts if the file cannot be read
   */
  othersMs(longestMs: number, present: Moment): number {
    if (!this.#isReadable) return longestMs;
    return Math.max(0, ...[...this.#others.values()].map((inFlight) => remaining(inFlight, present)));
  }

  /**
   * Counts the requests of this run as those of another one, because its journal does not name all of them. It is on disk when
   * this returns.
   *
   * @throws JournalWriteError
   */
  waitForOwn(present: Moment): void {
    if (this.#own === undefined) return;
    this.#others.set(`${this.#runId} ${crypto.randomUUID()}`, this.#own);
    this.#own = undefined;
    this.#write(present);
  }

  /**
   * Makes sure that the file names a moment at least `forMs` from now. It is on disk when this returns.
   *
   * @throws JournalWriteError
   */
  extend(forMs: number, present: Moment): void {
    if (this.#own !== undefined && covers(this.#own, forMs, present)) return;
    this.#own = { at: present, forMs: forMs + Math.min(MAX_AHEAD_MS, forMs) };
    this.#write(present);
  }

  /**
   * Records how long requests of this run may still be running now that none is in flight, in milliseconds; 0 if none is.
   *
   * @throws JournalWriteError
   */
  async settle(forMs: number, present: Moment): Promise<void> {
    if (this.#own === undefined) return;
    this.#own = forMs > 0 ? { at: present, forMs } : undefined;
    if (this.#current(present).size > 0) this.#write(present);
    else await rm(this.#path, { force: true });
  }

  /** Returns the runs whose requests may still be running. */
  #current(present: Moment): Map<string, InFlight> {
    const others = [...this.#others].filter(([, inFlight]) => remaining(inFlight, present) > 0);
    return new Map(this.#own === undefined ? others : [...others, [this.#runId, this.#own]]);
  }

  #write(present: Moment): void {
    try {
      const runs = Object.fromEntries(this.#current(present));
      replaceFile(this.#path, `${JSON.stringify({ runs })}\n`, { durable: true });
    } catch (error) {
      throw new JournalWriteError(this.#path, error, 'running');
    }
  }
}

/** Whether a time that is recorded goes on for `forMs` by both clocks. One from before a restart of the machine does not. */
function covers({ at, forMs: recordedMs }: InFlight, forMs: number, present: Moment): boolean {
  if (at.uptime > present.uptime) return false;
  return Math.max(present.clock - at.clock, present.uptime - at.uptime) <= recordedMs - forMs;
}

function remaining({ at, forMs }: InFlight, present: Moment): number {
  return Math.max(0, forMs - elapsedSince(at, present));
}

/** Returns undefined for a file that cannot be read or is not one of ours. */
function readRuns(path: string): Map<string, InFlight> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT' ? new Map() : undefined;
  }
  try {
    const { runs } = JSON.parse(text) as { runs: Record<string, InFlight> };
    const entries = Object.entries(runs);
    return entries.every(([, one]) => isInFlight(one)) ? new Map(entries) : undefined;
  } catch {
    return undefined;
  }
}

function isInFlight({ at, forMs }: InFlight): boolean {
  return [at.clock, at.uptime, forMs].every((number) => Number.isFinite(number));
}
