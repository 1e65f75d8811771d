import { open } from 'node:fs/promises';
import { JournalFile } from './journal-file.ts';
import { readLines } from './journal-lines.ts';
import {
  type AmbiguousRequest,
  type CarriedRecord,
  type Duplicate,
  decodeRanges,
  emptyMetadata,
  type IntentRecord,
  JOURNAL_VERSION,
  JournalDamagedError,
  type JournalRecord,
  type MetadataRecord,
  type OutcomeRecord,
  type RunMetadata,
  type RunRecord,
} from './journal-records.ts';
import { RowStates } from './row-states.ts';
import { UserIdHashes } from './user-id-hashes.ts';

/** What the records of a run add up to. */
export interface RunState {
  readonly rowStates: RowStates;
  readonly metadata: RunMetadata;
  /** The intents without an outcome, by the number of their attempt. */
  readonly open: Map<number, IntentRecord>;
  /** The requests of unknown outcome, by the number of the record that holds it. */
  readonly ambiguous: Map<number, AmbiguousRequest>;
  readonly duplicates: Duplicate[];
}

export function emptyRunState(total: number): RunState {
  return {
    rowStates: new RowStates(total),
    metadata: emptyMetadata(),
    open: new Map(),
    ambiguous: new Map(),
    duplicates: [],
  };
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

export interface ReplayedRun extends Restored {
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
  /** Whether the last process that used it ended in good order. */
  isClosed: boolean;
}

/**
 * Opens a journal and restores what it contains about a list of `total` rows.
 *
 * @throws JournalDamagedError for damage, another list's journal, and that of a newer version
 */
export async function replayJournal(path: string, total: number): Promise<ReplayedRun> {
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
  const { head, state, isClosed } = restored();
  const { rowStates } = state;
  for (const { rows } of state.open.values()) for (const entry of decodeRanges(rows)) rowStates.markAttempted(entry);
  const ambiguous: AmbiguousRow[] = [];
  for (let entry = 1; entry <= rowStates.total; entry++) {
    if (rowStates.isUnknown(entry) && !moved.has(entry)) ambiguous.push({ entry, id: hashes.of(entry) });
  }
  return { head, ambiguous, isClosed };
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
        Object.assign(state.metadata, metadataOf(record));
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
export function applyOutcome(record: OutcomeRecord, number: number, state: RunState): void {
  const { rowStates, open, ambiguous, duplicates } = state;
  for (const entry of decodeRanges(record.created ?? '')) rowStates.finalize(entry, 'created', number);
  for (const [entry] of record.existing ?? []) rowStates.finalize(entry, 'existing', number);
  for (const [entry] of record.recovered ?? []) rowStates.finalize(entry, 'recovered', number);
  for (const [entry] of record.failed ?? []) rowStates.finalize(entry, 'failed', number);
  const intent = open.get(record.attempt);
  open.delete(record.attempt);
  if (record.unclear !== undefined) {
    ambiguous.set(number, {
      record: number,
      sentAtMs: intent?.at ?? 0,
      mayBeRunning: record.running === true,
      isCarried: false,
      probes: [],
    });
  }
  for (const [rows] of record.unclear ?? [])
    for (const entry of decodeRanges(rows)) rowStates.markAttempted(entry, number);
  if (record.probe !== undefined) ambiguous.get(intent?.confirms ?? 0)?.probes.push(record.probe);
  duplicates.push(...(record.duplicates ?? []));
  if (record.resolves !== undefined) ambiguous.get(record.resolves)?.probes.splice(0);
  applyTime(record, state.metadata);
}

/** Marks the rows that an earlier run, started over, may have added. */
export function applyCarried(record: CarriedRecord, number: number, { rowStates, ambiguous }: RunState): void {
  ambiguous.set(number, { record: number, sentAtMs: record.at, mayBeRunning: true, isCarried: true, probes: [] });
  for (const entry of decodeRanges(record.rows)) rowStates.markAttempted(entry, number);
}

/** Keeps how long the service took for an attempt: the quiet period depends on it. */
function applyTime({ answeredMs = 0, timedOut = false }: OutcomeRecord, metadata: RunMetadata): void {
  metadata.slowestMs = Math.max(metadata.slowestMs, answeredMs);
  metadata.timedOut ||= timedOut;
}

/** What a record adds to the facts of its run. */
export function metadataOf({ t: _, ...metadata }: MetadataRecord): Partial<RunMetadata> {
  return metadata;
}

function newer(path: string): JournalDamagedError {
  return new JournalDamagedError(path, 'was written by a newer version of orgadm');
}

function withoutHashes({ ids: _, ...record }: IntentRecord): IntentRecord {
  return record;
}
