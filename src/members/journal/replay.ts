import { JournalDamagedError } from './errors.ts';
import { JournalFile } from './file.ts';
import { Ledger } from './ledger.ts';
import { decodeRanges } from './ranges.ts';
import {
  type DoneRecord,
  type FactsRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  noFacts,
  type RunFacts,
} from './records.ts';

/** A run as its journal tells it. */
export interface Replayed {
  journal: JournalFile;
  ledger: Ledger;
  facts: RunFacts;
  /** The highest number of an attempt. */
  attempts: number;
  /** Attempts that were begun and not finished, and their rows as ranges. */
  open: Map<number, string>;
}

/**
 * Opens a journal and takes up what it holds of a list of `total` rows.
 *
 * @throws JournalDamagedError for damage, another list's journal, and that of a newer version
 */
export async function replay(path: string, total: number): Promise<Replayed> {
  const replayed = { ledger: new Ledger(total), facts: noFacts(), attempts: 0, open: new Map<number, string>() };
  const journal = await JournalFile.open(path, (value, number) => {
    const record = value as JournalRecord;
    if ((number === 1) !== (record.t === 'run')) throw new JournalDamagedError(path, 'does not begin with its run');
    try {
      take(record, number, replayed);
    } catch (error) {
      if (error instanceof RangeError) throw new JournalDamagedError(path, `is not of this list: ${error.message}`);
      throw error;
    }
  });
  if (journal.lastNumber === 0) {
    await journal.close();
    throw new JournalDamagedError(path, 'is empty');
  }
  return { journal, ...replayed };

  function take(record: JournalRecord, number: number, into: Omit<Replayed, 'journal'>): void {
    switch (record.t) {
      case 'run':
        if (record.version > JOURNAL_VERSION) throw newer(path);
        if (record.total !== total) throw new RangeError(`it has ${record.total} rows, not ${total}`);
        break;
      case 'send':
        into.attempts = Math.max(into.attempts, record.attempt);
        into.open.set(record.attempt, record.rows);
        break;
      case 'done':
        into.open.delete(record.attempt);
        applyOutcome(record, number, into.ledger);
        applyTime(record, into.facts);
        break;
      case 'facts':
        Object.assign(into.facts, factsOf(record));
        break;
      case 'carried':
        for (const entry of decodeRanges(record.rows)) into.ledger.markUnclear(entry, number);
        break;
      default:
        throw newer(path);
    }
  }
}

/** Gives the rows of an outcome their states. `number` is that of the record. */
export function applyOutcome(record: DoneRecord, number: number, ledger: Ledger): void {
  for (const entry of decodeRanges(record.created ?? '')) ledger.settle(entry, 'created', number);
  for (const [entry] of record.existing ?? []) ledger.settle(entry, 'existing', number);
  for (const [entry] of record.recovered ?? []) ledger.settle(entry, 'recovered', number);
  for (const [entry] of record.failed ?? []) ledger.settle(entry, 'failed', number);
  for (const [rows] of record.unclear ?? []) for (const entry of decodeRanges(rows)) ledger.markUnclear(entry, number);
}

/** Keeps the time that an attempt took, as far as it tells how slow the service can be. */
export function applyTime({ answeredMs = 0, timedOut = false }: DoneRecord, facts: RunFacts): void {
  facts.slowestMs = Math.max(facts.slowestMs, answeredMs);
  facts.timedOut ||= timedOut;
}

/** What a record adds to the facts of its run. */
export function factsOf({ t: _, ...facts }: FactsRecord): Partial<RunFacts> {
  return facts;
}

function newer(path: string): JournalDamagedError {
  return new JournalDamagedError(path, 'was written by a newer version of orgadm');
}
