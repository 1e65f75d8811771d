import type { BulkAnswer } from '../../service/contract.ts';
import { JournalDamagedError, JournalFile } from './file.ts';
import { Ledger } from './ledger.ts';
import { decodeRanges, encodeRanges } from './ranges.ts';
import {
  type AttemptOutcome,
  type DoneRecord,
  doneRecord,
  type FactsRecord,
  type IndexBase,
  JOURNAL_VERSION,
  type JournalRecord,
  type RunRecord,
  wordsOf,
} from './records.ts';

const LOST = 'the run was interrupted while it was being sent';

/** What the answers told about the whole run. */
export interface RunFacts {
  organizationId: string | undefined;
  base: IndexBase | undefined;
  authType: string | undefined;
  authenticatedUser: { id?: string; email?: string } | undefined;
}

/**
 * A run of a list: the state of each row, and the journal that outlives the process. A row is on disk as about to be
 * sent before it is sent, and its outcome before anything further is.
 */
export class Run {
  readonly ledger: Ledger;
  readonly facts: RunFacts = {
    organizationId: undefined,
    base: undefined,
    authType: undefined,
    authenticatedUser: undefined,
  };
  readonly #journal: JournalFile;
  #attempts: number;

  private constructor(journal: JournalFile, ledger: Ledger, attempts: number) {
    this.#journal = journal;
    this.ledger = ledger;
    this.#attempts = attempts;
  }

  /**
   * Starts a run in a new journal.
   *
   * @param carried rows that an earlier run of the list left unclear
   */
  static async create(path: string, head: Omit<RunRecord, 't' | 'version'>, carried: readonly number[]): Promise<Run> {
    const journal = await JournalFile.create(path);
    const run = new Run(journal, new Ledger(head.total), 0);
    const record: RunRecord = { t: 'run', version: JOURNAL_VERSION, ...head };
    await journal.append(record);
    if (carried.length > 0) {
      const number = await journal.append({ t: 'carried', rows: encodeRanges(carried) } satisfies JournalRecord);
      for (const entry of carried) run.ledger.markUnclear(entry, number);
    }
    await journal.commit();
    return run;
  }

  /**
   * Opens a run as its journal left it. Rows that were under way are unclear now.
   *
   * @throws JournalDamagedError
   */
  static async open(path: string, total: number): Promise<Run> {
    const ledger = new Ledger(total);
    const open = new Map<number, string>();
    const facts: Partial<RunFacts> = {};
    let attempts = 0;
    const journal = await JournalFile.open(path, (value, number) => {
      const record = value as JournalRecord;
      switch (record.t) {
        case 'run':
          if (record.version > JOURNAL_VERSION)
            throw new JournalDamagedError(path, 'was written by a newer version of orgadm');
          if (record.total !== total)
            throw new JournalDamagedError(path, `is of a list of ${record.total} rows, not ${total}`);
          break;
        case 'send':
          attempts = Math.max(attempts, record.attempt);
          open.set(record.attempt, record.rows);
          break;
        case 'done':
          open.delete(record.attempt);
          apply(record, number, ledger);
          break;
        case 'facts':
          Object.assign(facts, factsOf(record));
          break;
        case 'carried':
          for (const entry of decodeRanges(record.rows)) ledger.markUnclear(entry, number);
          break;
        default:
          throw new JournalDamagedError(path, 'was written by a newer version of orgadm');
      }
    });
    const run = new Run(journal, ledger, attempts);
    Object.assign(run.facts, facts);
    for (const [attempt, rows] of open) await run.#lost(attempt, [...decodeRanges(rows)]);
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
   */
  async begin(entries: readonly number[]): Promise<number> {
    const attempt = ++this.#attempts;
    await this.#journal.append({ t: 'send', attempt, rows: encodeRanges(entries) } satisfies JournalRecord);
    await this.#journal.commit();
    return attempt;
  }

  /** Writes down what became of an attempt; on disk before the next one begins. */
  async finish(attempt: number, outcome: AttemptOutcome): Promise<void> {
    const record = doneRecord(attempt, outcome);
    const appended = this.#journal.append(record);
    // The report must tell the truth even where the journal cannot be written any more.
    apply(record, this.#journal.lastNumber, this.ledger);
    await appended;
  }

  /** Keeps what an answer tells about the whole run, once. */
  async learn(answer: BulkAnswer, base: IndexBase | undefined): Promise<void> {
    const organizationId = answer.created?.find((member) => member.organizationId != null)?.organizationId;
    const user = answer.authenticatedUser;
    const learnt: FactsRecord = { t: 'facts' };
    if (this.facts.base === undefined && base !== undefined) learnt.base = base;
    if (this.facts.organizationId === undefined && organizationId != null) learnt.organizationId = organizationId;
    if (this.facts.authType === undefined && answer.authType != null) learnt.authType = answer.authType;
    if (this.facts.authenticatedUser === undefined && user != null) {
      learnt.authenticatedUser = {
        ...(user.id != null && { id: user.id }),
        ...(user.email != null && { email: user.email }),
      };
    }
    if (Object.keys(learnt).length === 1) return;
    Object.assign(this.facts, factsOf(learnt));
    await this.#journal.append(learnt);
  }

  /** The words on a row: the service's, or why its fate is unknown. */
  async wordsOf(entry: number): Promise<string | undefined> {
    const number = this.ledger.recordOf(entry);
    return number === 0 ? undefined : wordsOf((await this.#journal.read(number)) as JournalRecord, entry);
  }

  /** Makes everything durable and lets go of the journal. */
  async close(): Promise<void> {
    try {
      await this.#journal.commit();
    } finally {
      await this.#journal.close();
    }
  }

  async #lost(attempt: number, rows: number[]): Promise<void> {
    await this.finish(attempt, { created: [], existing: [], recovered: [], failed: [], unclear: [[rows, LOST]] });
  }
}

function apply(record: DoneRecord, number: number, ledger: Ledger): void {
  for (const entry of decodeRanges(record.created ?? '')) ledger.settle(entry, 'created', number);
  for (const [entry] of record.existing ?? []) ledger.settle(entry, 'existing', number);
  for (const [entry] of record.recovered ?? []) ledger.settle(entry, 'recovered', number);
  for (const [entry] of record.failed ?? []) ledger.settle(entry, 'failed', number);
  for (const [rows] of record.unclear ?? []) for (const entry of decodeRanges(rows)) ledger.markUnclear(entry, number);
}

function factsOf({ t: _, ...facts }: FactsRecord): Partial<RunFacts> {
  return facts;
}
