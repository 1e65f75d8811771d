import { open } from 'node:fs/promises';
import { JournalDamagedError } from './journal-errors.ts';
import { JournalFile } from './journal-file.ts';
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
  type RunRecord,
  type SendRecord,
} from './journal-records.ts';
import { readLines } from './read-lines.ts';
import { decodeRanges } from './row-ranges.ts';
import { Ledger } from './row-states.ts';
import { UserIdHashes } from './user-id-hashes.ts';

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

/** A run as its journal describes it. */
interface Restored {
  head: RunRecord;
  state: RunState;
  /** The highest number of an attempt. */
  attempts: number;
  /** Fingerprint of the key that it was last continued with. */
  key: string | undefined;
  /** Whether the last process closed it. */
  isClosed: boolean;
}

export interface Replayed extends Restored {
  journal: JournalFile;
}

/** A row whose outcome is unknown, and the hash of its user id; 0 where the journal does not have it. */
export interface AmbiguousRow {
  entry: number;
  id: bigint;
}

/** What another run needs to know of a run. */
export interface Inspected {
  head: RunRecord;
  /** The rows of unknown outcome, without those that another run has taken over. */
  ambiguous: AmbiguousRow[];
}

/**
 * Opens a journal and restores what it contains about a list of `total` rows.
 *
 * @throws JournalDamagedError for damage, another list's journal, and that of a newer version
 */
export async function replay(path: string, total: number): Promise<Replayed> {
  const { restored, onRecord } = createReplay(path, total);
  const journal = await JournalFile.open(path, onRecord);
  try {
    return { journal, ...restored() };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * Reads a journal that another process may be writing, and changes nothing.
 *
 * @throws JournalDamagedError as `replay` does
 */
export async function inspect(path: string): Promise<Inspected> {
  const hashes = new UserIdHashes();
  const moved = new Set<number>();
  const { restored, onRecord } = createReplay(path, undefined);
  const file = await open(path, 'r');
  try {
    await readLines(file, path, ({ record, number }) => {
      onRecord(record, number);
      const known = record as JournalRecord;
      if (known.t === 'send' || known.t === 'carried') hashes.add(known.rows, known.ids);
      // Sent again by this run, it is this run's again.
      if (known.t === 'send' && moved.size > 0) for (const entry of decodeRanges(known.rows)) moved.delete(entry);
      if (known.t === 'moved') for (const entry of decodeRanges(known.rows)) moved.add(entry);
    });
  } finally {
    await file.close();
  }
  const { head, state } = restored();
  const { ledger } = state;
  for (const { rows } of state.open.values()) for (const entry of decodeRanges(rows)) ledger.markUnclear(entry);
  const ambiguous: AmbiguousRow[] = [];
  for (let entry = 1; entry <= ledger.total; entry++) {
    if (ledger.isUnknown(entry) && !moved.has(entry)) ambiguous.push({ entry, id: hashes.of(entry) });
  }
  return { head, ambiguous };
}

/** @param total rows of the list, where it is known; else as many as the journal says */
function createReplay(path: string, total: number | undefined) {
  let current: Restored | undefined;

  const apply = (record: JournalRecord, number: number, into: Restored) => {
    const { state } = into;
    into.isClosed = record.t === 'closed';
    switch (record.t) {
      case 'run':
      case 'moved':
      case 'closed':
        break;
      case 'send':
        into.attempts = Math.max(into.attempts, record.attempt);
        // The hashes are of no use to the run itself.
        state.open.set(record.attempt, withoutHashes(record));
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
      case 'key':
        into.key = record.key;
        break;
      default:
        throw newer(path);
    }
  };

  return {
    onRecord(value: unknown, number: number): void {
      const record = value as JournalRecord;
      if ((number === 1) !== (record.t === 'run')) throw new JournalDamagedError(path, 'does not begin with its run');
      try {
        if (record.t === 'run') current = begin(record, path, total);
        if (current !== undefined) apply(record, number, current);
      } catch (error) {
        if (error instanceof RangeError) throw new JournalDamagedError(path, `is not of this list: ${error.message}`);
        throw error;
      }
    },
    restored(): Restored {
      if (current === undefined) throw new JournalDamagedError(path, 'is empty');
      return current;
    },
  };
}

function begin(head: RunRecord, path: string, total = head.total): Restored {
  if (head.version > JOURNAL_VERSION) throw newer(path);
  if (head.total !== total) throw new RangeError(`it has ${head.total} rows, not ${total}`);
  return { head, state: emptyRunState(total), attempts: 0, key: head.key, isClosed: false };
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

function withoutHashes({ ids: _, ...record }: SendRecord): SendRecord {
  return record;
}
