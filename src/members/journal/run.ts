import type { BulkAnswer } from '../../service/contract.ts';
import { identifierOf } from '../../service/identifier.ts';
import { JournalFile } from './file.ts';
import { Ledger } from './ledger.ts';
import { decodeRanges, encodeRanges } from './ranges.ts';
import {
  type AttemptOutcome,
  doneRecord,
  emptyOutcome,
  type FactsRecord,
  type IndexBase,
  JOURNAL_VERSION,
  type JournalRecord,
  noFacts,
  type RunFacts,
  type RunRecord,
  wordsIn,
} from './records.ts';
import { applyOutcome, applyTime, factsOf, replay } from './replay.ts';

export type { RunFacts } from './records.ts';

const LOST = 'the run was interrupted while it was being sent';

/**
 * A run of a list: the state of each row, and the journal that outlives the process. A row is on disk as about to be
 * sent before it is sent, and its outcome before anything further is.
 *
 * A journal that fails stops the run where it would go on: at the next `begin`, or at `close`. What was under way is
 * accounted for all the same, so that the report tells the truth.
 */
export class Run {
  readonly ledger: Ledger;
  readonly facts: RunFacts = noFacts();
  readonly #journal: JournalFile;
  #attempts: number;
  #words: { number: number; of: (entry: number) => string | undefined } | undefined;

  private constructor(journal: JournalFile, ledger: Ledger, attempts: number) {
    this.#journal = journal;
    this.ledger = ledger;
    this.#attempts = attempts;
  }

  /**
   * Starts a run in a new journal, which takes the place of one that is there.
   *
   * @param carried rows that an earlier run of the list left unclear
   */
  static async create(path: string, head: Omit<RunRecord, 't' | 'version'>, carried: readonly number[]): Promise<Run> {
    const journal = await JournalFile.create(path);
    try {
      const run = new Run(journal, new Ledger(head.total), 0);
      journal.append({ t: 'run', version: JOURNAL_VERSION, ...head } satisfies JournalRecord);
      if (carried.length > 0) {
        const number = journal.append({ t: 'carried', rows: encodeRanges(carried) } satisfies JournalRecord);
        for (const entry of carried) run.ledger.markUnclear(entry, number);
      }
      await journal.publish();
      return run;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /**
   * Opens a run as its journal left it. Rows that were under way are unclear now.
   *
   * @throws JournalDamagedError
   */
  static async open(path: string, total: number): Promise<Run> {
    const { journal, ledger, facts, attempts, open } = await replay(path, total);
    const run = new Run(journal, ledger, attempts);
    Object.assign(run.facts, facts);
    for (const [attempt, rows] of open) {
      run.finish(attempt, { ...emptyOutcome(), unclear: [[[...decodeRanges(rows)], LOST]] });
    }
    return run;
  }

  /** Whether a row is neither settled nor invalid. */
  get unfinished(): boolean {
    const { unknown, unsent } = this.ledger.counts();
    return unknown + unsent > 0;
  }

  /**
   * Writes down that these rows are about to be sent; they are on disk when it resolves.
   *
   * @returns the attempt's number
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async begin(entries: readonly number[]): Promise<number> {
    const attempt = ++this.#attempts;
    this.#journal.append({ t: 'send', attempt, rows: encodeRanges(entries) } satisfies JournalRecord);
    await this.#journal.commit();
    return attempt;
  }

  /** Accounts for an attempt and writes down what became of it; on disk before the next one begins. Never throws. */
  finish(attempt: number, outcome: AttemptOutcome): void {
    const record = doneRecord(attempt, outcome);
    this.#keep(record);
    applyOutcome(record, this.#journal.lastNumber, this.ledger);
    applyTime(record, this.facts);
  }

  /** Keeps what an answer tells about the whole run, once. Never throws. */
  learn(answer: BulkAnswer, base: IndexBase | undefined, organizationId: string | undefined): void {
    const user = answer.authenticatedUser;
    const learnt: FactsRecord = { t: 'facts' };
    if (this.facts.base === undefined && base !== undefined) learnt.base = base;
    if (this.facts.organizationId === undefined && organizationId !== undefined) learnt.organizationId = organizationId;
    if (this.facts.authType === undefined && answer.authType != null) learnt.authType = answer.authType;
    if (this.facts.authenticatedUser === undefined && user != null) {
      const id = identifierOf(user.id);
      learnt.authenticatedUser = {
        ...(id !== undefined && { id }),
        ...(user.email != null && { email: user.email }),
      };
    }
    if (Object.keys(learnt).length === 1) return;
    Object.assign(this.facts, factsOf(learnt));
    this.#keep(learnt);
  }

  /** Keeps that people were added to another organization too. Never throws. */
  learnOtherOrganization(otherOrganization: string): void {
    if (this.facts.otherOrganization !== undefined) return;
    this.facts.otherOrganization = otherOrganization;
    this.#keep({ t: 'facts', otherOrganization });
  }

  /** The words on a row: the service's, or why its fate is unknown. */
  async wordsOf(entry: number): Promise<string | undefined> {
    const number = this.ledger.recordOf(entry);
    if (number === 0) return undefined;
    if (this.#words?.number !== number) {
      this.#words = { number, of: wordsIn((await this.#journal.read(number)) as JournalRecord) };
    }
    return this.#words.of(entry);
  }

  /**
   * Makes everything durable and lets go of the journal.
   *
   * @throws JournalWriteError, also for what an earlier `finish` could not write
   */
  async close(): Promise<void> {
    try {
      await this.#journal.commit();
    } finally {
      await this.#journal.close();
    }
  }

  /** A failure is told by the next `begin`, or by `close`. */
  #keep(record: JournalRecord): void {
    try {
      this.#journal.append(record);
    } catch {}
  }
}
