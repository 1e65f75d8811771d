import { EXIT, OrgadmError } from '../../util/errors.ts';
import { describeFsError } from '../../util/fs-error.ts';

/**
 * The journal's format. A higher number in a file means that a newer version of the tool wrote it. Version 1 had no chained
 * checksums, and no hashes of user ids.
 */
export const JOURNAL_VERSION = 2;

/** Where the positions in `errors[].index` start: the interface (4.2) does not say. */
export type IndexBase = 0 | 1;

/** Row numbers as ranges: `1-500,503`. */
type Ranges = string;

/** Hashes of the user ids of some rows, 8 bytes each, in base64: they are compared with those of other lists. */
type UserIdHashes = string;

/** First record: what the run is. Nothing in it reveals the key. */
export interface RunRecord {
  t: 'run';
  version: number;
  /** Name of the list, for a person who looks. */
  list: string;
  /** Absolute path of the list; absent for a list that is no file. */
  path?: string;
  baseUrl: string;
  total: number;
  startedAt: string;
  /** Fingerprint of the key that it was started with. */
  key?: string;
  /** Id of the secret under which the fingerprint and the user ids are hashed. */
  secret?: string;
}

/** These rows are about to be sent. On disk before they are. */
export interface IntentRecord {
  t: 'send';
  attempt: number;
  rows: Ranges;
  /** When, in milliseconds since the epoch: the request may be running from then on. */
  at: number;
  ids?: UserIdHashes;
  /** For a probe: the number of the record of the ambiguous request that it is to resolve. */
  confirms?: number;
}

/** A row that was sent alone to find out whether an earlier request was applied, and that may now be there twice. */
export interface Probe {
  entry: number;
  /** The member that the probe created; null where its response did not name one, or was lost. */
  memberId: string | null;
}

/** A user who has, or may have, two active memberships. */
export interface Duplicate {
  entry: number;
  /** The member ids that the service named: two or more where it listed both, else those of our own requests. */
  memberIds: string[];
  /** Whether a response listed both memberships; false where they were inferred from two requests. */
  certain: boolean;
}

/** A request whose outcome is unknown for some of its rows. */
export interface AmbiguousRequest {
  /** Number of the journal record that holds its outcome; the rows refer to it. */
  readonly record: number;
  /** Milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Whether the service may be processing it still: a timeout, a reset, a gateway's 502 or 504, the end of our process. */
  readonly mayBeRunning: boolean;
  /** Whether these are the rows of several requests of an earlier run, which was started over. */
  readonly isCarried: boolean;
  /** The probes that were created, or whose own outcome is unknown. */
  readonly probes: Probe[];
}

/** What became of an attempt. Rows that are not named were not processed, and are as they were before. */
export interface OutcomeRecord {
  t: 'done';
  attempt: number;
  created?: Ranges;
  /** Row and the service's words. */
  existing?: [number, string][];
  recovered?: [number, string][];
  failed?: [number, string][];
  /** Rows and why nothing tells what became of them. */
  unclear?: [Ranges, string][];
  /** How long the service took to answer, in milliseconds. */
  answeredMs?: number;
  /** It did not answer within our own timeout. */
  timedOut?: boolean;
  /** The service may be processing the request still. */
  running?: true;
  /** Of a probe that was created, or whose own outcome is unknown. */
  probe?: Probe;
  duplicates?: Duplicate[];
  /** Record of the ambiguous request whose probes are resolved: its other rows were sent. */
  resolves?: number;
}

/** What an answer told about the whole run, once each. */
export interface MetadataRecord {
  t: 'facts';
  organizationId?: string;
  /** Another organization, to which people of the list were added as well. */
  otherOrganization?: string;
  base?: IndexBase;
  authType?: string;
  authenticatedUser?: { id?: string; email?: string };
}

/** What the answers told about the whole run. */
export interface RunMetadata {
  organizationId: string | undefined;
  otherOrganization: string | undefined;
  base: IndexBase | undefined;
  authType: string | undefined;
  authenticatedUser: { id?: string; email?: string } | undefined;
  /** The slowest answer so far, and whether a request ran into our own timeout: for the pause before a row is sent again. */
  slowestMs: number;
  timedOut: boolean;
}

export function emptyMetadata(): RunMetadata {
  return {
    organizationId: undefined,
    otherOrganization: undefined,
    base: undefined,
    authType: undefined,
    authenticatedUser: undefined,
    slowestMs: 0,
    timedOut: false,
  };
}

/** Rows of unknown outcome in an earlier run: one of this list that was started over, or one of another list. */
export interface CarriedRecord {
  t: 'carried';
  rows: Ranges;
  /** When the last of them may have been sent, in milliseconds since the epoch. */
  at: number;
  ids?: UserIdHashes;
}

/** From here on the run is continued with another key, which was found to belong to its organization. */
export interface KeyRecord {
  t: 'key';
  key: string;
}

/** Rows of unknown outcome that the run of another list has taken over. */
export interface MovedRecord {
  t: 'moved';
  rows: Ranges;
  /** Name of that run's directory. */
  to: string;
}

/** Last record of a process: rows of unknown outcome that are left. Without it the process died, or still exists. */
export interface ClosedRecord {
  t: 'closed';
  unknown: number;
}

export type JournalRecord =
  | RunRecord
  | IntentRecord
  | OutcomeRecord
  | MetadataRecord
  | CarriedRecord
  | KeyRecord
  | MovedRecord
  | ClosedRecord;

/** What became of the rows of one attempt, before it is a record. */
export interface BatchOutcome {
  /** How long the service took to answer; undefined where it gave no answer. */
  answeredMs: number | undefined;
  timedOut: boolean;
  created: number[];
  existing: [number, string][];
  recovered: [number, string][];
  failed: [number, string][];
  unclear: [number[], string][];
  /** Whether the service may be processing the unclear rows still. */
  mayBeRunning: boolean;
  probe: Probe | undefined;
  duplicates: Duplicate[];
  resolves: number | undefined;
}

export function emptyBatchOutcome(): BatchOutcome {
  return {
    created: [],
    existing: [],
    recovered: [],
    failed: [],
    unclear: [],
    mayBeRunning: false,
    probe: undefined,
    duplicates: [],
    resolves: undefined,
    answeredMs: undefined,
    timedOut: false,
  };
}

/** Writes an outcome as a record; what is empty is left out. */
export function outcomeRecord(attempt: number, outcome: BatchOutcome): OutcomeRecord {
  const record: OutcomeRecord = { t: 'done', attempt };
  if (outcome.created.length > 0) record.created = encodeRanges(outcome.created);
  if (outcome.existing.length > 0) record.existing = outcome.existing;
  if (outcome.recovered.length > 0) record.recovered = outcome.recovered;
  if (outcome.failed.length > 0) record.failed = outcome.failed;
  if (outcome.unclear.length > 0)
    record.unclear = outcome.unclear.map(([rows, reason]) => [encodeRanges(rows), reason]);
  if (outcome.answeredMs !== undefined) record.answeredMs = Math.ceil(outcome.answeredMs);
  if (outcome.timedOut) record.timedOut = true;
  if (outcome.mayBeRunning) record.running = true;
  if (outcome.probe !== undefined) record.probe = outcome.probe;
  if (outcome.duplicates.length > 0) record.duplicates = outcome.duplicates;
  if (outcome.resolves !== undefined) record.resolves = outcome.resolves;
  return record;
}

/** The words that a record holds on each of its rows. */
export function messagesIn(record: JournalRecord | undefined): (entry: number) => string | undefined {
  if (record?.t === 'carried') return () => 'an earlier run ended before its outcome was known';
  if (record?.t !== 'done') return () => undefined;
  const messages = new Map<number, string>();
  for (const [rows, reason] of record.unclear ?? []) for (const row of decodeRanges(rows)) messages.set(row, reason);
  for (const list of [record.recovered, record.existing, record.failed])
    for (const [row, message] of list ?? []) messages.set(row, message);
  return (entry) => messages.get(entry);
}

/** A journal that cannot be believed: damaged before its torn end, or written by a newer version. Exit code 2. */
export class JournalDamagedError extends OrgadmError {
  constructor(path: string, reason: string) {
    super('journal-damaged', EXIT.usage, `the journal ${path} ${reason}`, {
      hint: 'Nothing was sent. --restart starts the list over and treats the outcome of all its rows as unknown.',
    });
  }
}

/**
 * A journal that cannot be written. Nothing is sent without it: exit code 2 where it could not even be opened, 1 where
 * it failed in the midst of a run.
 */
export class JournalWriteError extends OrgadmError {
  readonly path: string;

  constructor(path: string, cause: unknown, when: 'opening' | 'running') {
    super(
      'journal-write',
      when === 'opening' ? EXIT.usage : EXIT.failure,
      `cannot write the journal ${path}: ${describeFsError(cause)}`,
      {
        hint:
          when === 'opening'
            ? 'Nothing was sent. Make room there, or name another folder with --journal.'
            : 'Nothing further was sent. Make room there, and go on with --resume.',
        cause,
      },
    );
    this.path = path;
  }
}

/** Writes row numbers as ranges: `1-500,503`. Ascending numbers give the shortest text; any order is kept. */
export function encodeRanges(rows: readonly number[]): string {
  const parts: string[] = [];
  for (let at = 0; at < rows.length; ) {
    const first = rows[at] ?? 0;
    let last = first;
    while (rows[++at] === last + 1) last++;
    parts.push(first === last ? String(first) : `${first}-${last}`);
  }
  return parts.join(',');
}

/** Reads what `encodeRanges` wrote. Throws RangeError for anything else. */
export function* decodeRanges(text: string): Generator<number> {
  if (text === '') return;
  for (const part of text.split(',')) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part);
    if (match === null) throw new RangeError(`not a range of rows: ${part}`);
    const last = Number(match[2] ?? match[1]);
    for (let row = Number(match[1]); row <= last; row++) yield row;
  }
}
