import { open } from 'node:fs/promises';
import { JournalFile, readLines } from './journal-file.ts';
import {
  type AmbiguousRequest,
  type CarriedRecord,
  type ClosedRecord,
  type Duplicate,
  decodeRanges,
  detailsIn,
  type IndexBase,
  type IntentRecord,
  JOURNAL_VERSION,
  JournalDamagedError,
  type JournalRecord,
  type MetadataRecord,
  type OutcomeRecord,
  type Probe,
  type RowDetails,
  type RunRecord,
} from './journal-records.ts';
import { RowStates } from './row-states.ts';
import { UserIdHashes } from './secret.ts';

/** What the responses showed about the entire run. */
export interface RunMetadata {
  organizationId?: string;
  otherOrganization?: string;
  indexBase?: IndexBase;
  authType?: string;
  authenticatedUser?: { id?: string; email?: string };
  /** The slowest response so far in milliseconds, and whether our own timeout ended a request: for the quiet period. */
  slowestMs: number;
  timedOut: boolean;
}

/** The state of a run that results from its records. */
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
    metadata: { slowestMs: 0, timedOut: false },
    open: new Map(),
    ambiguous: new Map(),
    duplicates: [],
  };
}

/** A run as its journal describes it. */
export interface ReplayedRun {
  head: RunRecord;
  state: RunState;
  /** The highest number of an attempt. */
  attempts: number;
  /** Fingerprint of the key that the run was last continued with. */
  keyFingerprint: string | undefined;
  /** The last record, if it says that a process closed the journal. */
  closed: ClosedRecord | undefined;
  /** When a process last closed the journal or sent something, in milliseconds since the epoch; 0 if neither. */
  lastActiveMs: number;
}

/** A row whose outcome is unknown, and the hash of its user id; 0 if the journal does not have it. */
export interface AmbiguousRow {
  entry: number;
  id: bigint;
}

/**
 * Opens a journal and replays its records.
 *
 * @param total rows of the list; undefined for as many as the journal says
 * @param mode `read` changes nothing, and another process may be writing the journal
 * @throws JournalDamagedError for damage, another list's journal, and another format
 */
export async function replayJournal(
  path: string,
  total: number | undefined,
  mode: 'append' | 'read' = 'append',
): Promise<ReplayedRun & { journal: JournalFile }> {
  const replay = createReplay(path, total);
  const journal = await JournalFile.open(path, replay.apply, mode);
  try {
    return { journal, ...replay.result() };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * Reads a journal that another process may be writing, and changes nothing.
 *
 * @returns the first record, and the rows of unknown outcome, without those that were moved to another run
 * @throws JournalDamagedError as `replayJournal` does
 */
export async function inspectJournal(path: string): Promise<{ head: RunRecord; ambiguous: AmbiguousRow[] }> {
  const hashes = new UserIdHashes();
  const moved = new Set<number>();
  const replay = createReplay(path, undefined);
  const file = await open(path, 'r');
  try {
    await readLines(file, path, ({ record, number }) => {
      replay.apply(record, number);
      const known = record as JournalRecord;
      if (known.t === 'intent' || known.t === 'carried') hashes.add(decodeRanges(known.rows), known.userIds);
      // A row that this run sends again belongs to this run again.
      if (known.t === 'intent') for (const entry of decodeRanges(known.rows)) moved.delete(entry);
      if (known.t === 'moved') for (const entry of decodeRanges(known.rows)) moved.add(entry);
    });
  } finally {
    await file.close();
  }
  const { head, state } = replay.result();
  const { rowStates } = state;
  for (const { rows } of state.open.values()) for (const entry of decodeRanges(rows)) rowStates.markAttempted(entry);
  const ambiguous: AmbiguousRow[] = [];
  for (let entry = 1; entry <= rowStates.total; entry++) {
    if (rowStates.isUnknown(entry) && !moved.has(entry)) ambiguous.push({ entry, id: hashes.of(entry) });
  }
  return { head, ambiguous };
}

/** @param total rows of the list, if it is known; else as many as the journal says */
function createReplay(path: string, total: number | undefined) {
  let run: ReplayedRun | undefined;
  return {
    apply(value: unknown, number: number): void {
      const record = value as JournalRecord;
      if ((number === 1) !== (record.t === 'run')) throw new JournalDamagedError(path, 'does not begin with its run');
      try {
        if (record.t === 'run') run = startReplay(record, path, total);
        if (run !== undefined) applyRecord(record, number, run, path);
      } catch (error) {
        if (error instanceof RangeError) throw new JournalDamagedError(path, `is not of this list: ${error.message}`);
        throw error;
      }
    },
    result(): ReplayedRun {
      if (run === undefined) throw new JournalDamagedError(path, 'is empty');
      return run;
    },
  };
}

function startReplay(head: RunRecord, path: string, total = head.total): ReplayedRun {
  if (head.version > JOURNAL_VERSION) throw newer(path);
  if (head.version < JOURNAL_VERSION)
    throw new JournalDamagedError(path, 'was written by an older version of orgadm', head);
  if (head.total !== total) throw new RangeError(`it has ${head.total} rows, not ${total}`);
  return {
    head,
    state: emptyRunState(total),
    attempts: 0,
    keyFingerprint: head.keyFingerprint,
    closed: undefined,
    lastActiveMs: 0,
  };
}

function applyRecord(record: JournalRecord, number: number, run: ReplayedRun, path: string): void {
  const { state } = run;
  run.closed = record.t === 'closed' ? record : undefined;
  switch (record.t) {
    case 'run':
    case 'moved':
      break;
    case 'closed':
      run.lastActiveMs = Math.max(run.lastActiveMs, record.atMs ?? 0);
      break;
    case 'invalid':
      for (const entry of decodeRanges(record.rows)) state.rowStates.finalize(entry, 'invalid');
      break;
    case 'retry':
      state.rowStates.reopenFailed();
      break;
    case 'intent': {
      run.lastActiveMs = Math.max(run.lastActiveMs, record.sentAtMs);
      run.attempts = Math.max(run.attempts, record.attempt);
      // The run itself does not need the hashes, and they take memory.
      const { userIds: _, ...intent } = record;
      state.open.set(record.attempt, intent);
      break;
    }
    case 'outcome':
      applyOutcome(record, number, state);
      break;
    case 'metadata':
      applyMetadata(record, state);
      break;
    case 'carried':
      applyCarried(record, number, state);
      break;
    case 'key':
      run.keyFingerprint = record.keyFingerprint;
      break;
    default:
      throw newer(path);
  }
}

/** Updates the state of a run by the outcome of an attempt. `number` is that of the record. */
export function applyOutcome(record: OutcomeRecord, number: number, state: RunState): void {
  const { rowStates, open, ambiguous, duplicates, metadata } = state;
  for (const entry of decodeRanges(record.created ?? '')) rowStates.finalize(entry, 'created', number);
  for (const [entry] of record.existing ?? []) rowStates.finalize(entry, 'existing', number);
  for (const [entry] of record.recovered ?? []) rowStates.finalize(entry, 'recovered', number);
  for (const [entry] of record.failed ?? []) rowStates.finalize(entry, 'failed', number);
  const intent = open.get(record.attempt);
  open.delete(record.attempt);
  if (record.ambiguous !== undefined) {
    ambiguous.set(number, {
      record: number,
      sentAtMs: intent?.sentAtMs ?? 0,
      mayBeRunning: record.mayBeRunning === true,
      isCarried: false,
      probes: [],
    });
  }
  for (const [rows] of record.ambiguous ?? [])
    for (const entry of decodeRanges(rows)) rowStates.markAttempted(entry, number);
  if (record.probe !== undefined) ambiguous.get(intent?.confirms ?? 0)?.probes.push(record.probe);
  duplicates.push(...(record.duplicates ?? []));
  if (record.resolves !== undefined) ambiguous.get(record.resolves)?.probes.splice(0);
  metadata.slowestMs = Math.max(metadata.slowestMs, record.durationMs ?? 0);
  metadata.timedOut ||= record.timedOut === true;
}

/** Returns the users who have, or may have, two active memberships, each once: probes of requests that are not resolved included. */
export function duplicatesIn({ duplicates, ambiguous }: RunState): Duplicate[] {
  const unresolved = [...ambiguous.values()].flatMap(({ probes }) => probes.map(probablyDoubled));
  const byEntry = new Map<number, Duplicate>();
  for (const one of [...unresolved, ...duplicates]) {
    const earlier = byEntry.get(one.entry);
    if (earlier === undefined || one.certain || !earlier.certain) byEntry.set(one.entry, one);
  }
  return [...byEntry.values()];
}

export function probablyDoubled({ entry, memberId }: Probe): Duplicate {
  return { entry, memberIds: memberId === null ? [] : [memberId], certain: false };
}

/** Returns a function that reads what the journal says about a row. Keeps one record: neighboring rows share it. */
export function createDetailsReader(
  journal: JournalFile,
  rowStates: RowStates,
): (entry: number) => Promise<RowDetails> {
  let last: { number: number; of: (entry: number) => RowDetails } | undefined;
  return async (entry) => {
    const number = rowStates.recordOf(entry);
    if (number === 0) return {};
    if (last?.number !== number) last = { number, of: detailsIn((await journal.read(number)) as JournalRecord) };
    return last.of(entry);
  };
}

export function applyMetadata({ t: _, ...metadata }: MetadataRecord, state: RunState): void {
  Object.assign(state.metadata, metadata);
}

/** Marks the rows that an earlier run, started over, may have added. */
export function applyCarried(record: CarriedRecord, number: number, { rowStates, ambiguous }: RunState): void {
  const { sentAtMs } = record;
  ambiguous.set(number, { record: number, sentAtMs, mayBeRunning: true, isCarried: true, probes: [] });
  for (const entry of decodeRanges(record.rows)) rowStates.markAttempted(entry, number);
}

function newer(path: string): JournalDamagedError {
  return new JournalDamagedError(path, 'was written by a newer version of orgadm');
}
