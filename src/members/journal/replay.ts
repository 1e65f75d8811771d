import { JournalDamagedError } from './errors.ts';
import { JournalFile } from './file.ts';
import { Ledger } from './ledger.ts';
import { decodeRanges } from './ranges.ts';
import {
  type AmbiguousRequest,
  type CarriedRecord,
  type DoneRecord,
  type Duplicate,
  type FactsRecord,
  JOURNAL_VERSION,
  type JournalRecord,
  noFacts,
  type RunFacts,
  type SendRecord,
} from './records.ts';

/** What the records of a run add up to. */
export interface RunState {
  readonly ledger: Ledger;
  readonly facts: RunFacts;
  /** The intents without an outcome, by the number of their attempt. */
  readonly open: Map<number, SendRecord>;
  /** The requests of unknown outcome, by the number of the record that holds it. */
  readonly ambiguous: Map<number, AmbiguousRequest>;
  readonly duplicates: Duplicate[];
}

export function emptyRunState(total: number): RunState {
  return { ledger: new Ledger(total), facts: noFacts(), open: new Map(), ambiguous: new Map(), duplicates: [] };
}

/** A run as its journal tells it. */
export interface Replayed {
  journal: JournalFile;
  state: RunState;
  /** The highest number of an attempt. */
  attempts: number;
}

/**
 * Opens a journal and takes up what it holds of a list of `total` rows.
 *
 * @throws JournalDamagedError for damage, another list's journal, and that of a newer version
 */
export async function replay(path: string, total: number): Promise<Replayed> {
  const replayed = { state: emptyRunState(total), attempts: 0 };
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
    const { state } = into;
    switch (record.t) {
      case 'run':
        if (record.version > JOURNAL_VERSION) throw newer(path);
        if (record.total !== total) throw new RangeError(`it has ${record.total} rows, not ${total}`);
        break;
      case 'send':
        into.attempts = Math.max(into.attempts, record.attempt);
        state.open.set(record.attempt, record);
        break;
      case 'done':
        applyOutcome(record, number, state);
        break;
      case 'facts':
        Object.assign(state.facts, factsOf(record));
        break;
      case 'carried':
        applyCarried(record, number, state);
        break;
      default:
        throw newer(path);
    }
  }
}

/** Updates the state of a run by the outcome of an attempt. `number` is that of the record. */
export function applyOutcome(record: DoneRecord, number: number, state: RunState): void {
  const { ledger, open, ambiguous, duplicates } = state;
  for (const entry of decodeRanges(record.created ?? '')) ledger.settle(entry, 'created', number);
  for (const [entry] of record.existing ?? []) ledger.settle(entry, 'existing', number);
  for (const [entry] of record.recovered ?? []) ledger.settle(entry, 'recovered', number);
  for (const [entry] of record.failed ?? []) ledger.settle(entry, 'failed', number);
  const intent = open.get(record.attempt);
  open.delete(record.attempt);
  if (record.unclear !== undefined) {
    ambiguous.set(number, {
      record: number,
      sentAtMs: intent?.at ?? 0,
      mayBeRunning: record.running === true,
      probes: [],
    });
  }
  for (const [rows] of record.unclear ?? []) for (const entry of decodeRanges(rows)) ledger.markUnclear(entry, number);
  if (record.probe !== undefined) ambiguous.get(intent?.confirms ?? 0)?.probes.push(record.probe);
  duplicates.push(...(record.duplicates ?? []));
  if (record.resolves !== undefined) ambiguous.get(record.resolves)?.probes.splice(0);
  applyTime(record, state.facts);
}

/** Marks the rows that an earlier run, started over, may have added. */
export function applyCarried(record: CarriedRecord, number: number, { ledger, ambiguous }: RunState): void {
  ambiguous.set(number, { record: number, sentAtMs: record.at, mayBeRunning: true, probes: [] });
  for (const entry of decodeRanges(record.rows)) ledger.markUnclear(entry, number);
}

/** Keeps how long the service took for an attempt: the quiet period depends on it. */
function applyTime({ answeredMs = 0, timedOut = false }: DoneRecord, facts: RunFacts): void {
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
