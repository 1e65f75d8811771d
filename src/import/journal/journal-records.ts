import { describeFsError, EXIT, OrgadmError } from '../../util/errors.ts';

/** The journal's format. Only journals of this format are replayed. */
export const JOURNAL_VERSION = 3;

/** Where the positions in `errors[].index` start: the interface (4.2) does not say. */
export type IndexBase = 0 | 1;

/** Row numbers as ranges: `1-500,503`. */
type Ranges = string;

/** Hashes of the user ids of some rows, 8 bytes each, in base64: they are compared with those of other lists. */
type EncodedHashes = string;

/** The first record: what the run is. Versions of all formats can read `t` and `version`. */
export interface RunRecord {
  t: 'run';
  version: number;
  /** Name of the list, for a person who reads the journal. */
  list: string;
  /** Absolute path of the list; absent for a list that is not a file. */
  path?: string;
  /** Digest of the list's bytes; absent in journals of early versions, as the two fields below. */
  digest?: string;
  profile?: string;
  /** What the command needs to continue the run, in a form that the journal does not read. */
  options?: unknown;
  baseUrl: string;
  total: number;
  startedAt: string;
  /** Fingerprint of the key that the run was started with. */
  keyFingerprint?: string;
  /** Id of the secret under which the key and the user ids are hashed. */
  secretId?: string;
}

/** These rows are about to be sent. On disk before they are. */
export interface IntentRecord {
  t: 'intent';
  attempt: number;
  rows: Ranges;
  /** In milliseconds since the epoch. From then on the service may be processing the request. */
  sentAtMs: number;
  userIds?: EncodedHashes;
  /** For a probe: the number of the record of the ambiguous request that it is to resolve. */
  confirms?: number;
}

/** A row that was sent alone to find out whether an earlier request was applied, and that may now be there twice. */
export interface Probe {
  entry: number;
  /** The member that the probe created; null if its response did not name one, or was lost. */
  memberId: string | null;
}

/** A user who has, or may have, two active memberships. */
export interface Duplicate {
  entry: number;
  /** The member ids that the service returned: two or more if it listed both, else those of our own requests. */
  memberIds: string[];
  /** Whether a response listed both memberships; false if they were inferred from two requests. */
  certain: boolean;
}

/** A request whose outcome is unknown for some of its rows. */
export interface AmbiguousRequest {
  /** Number of the journal record that holds its outcome; the rows refer to it. */
  readonly record: number;
  /** Milliseconds since the epoch. */
  readonly sentAtMs: number;
  /** Whether the service may still be processing it: after a timeout, a reset, a gateway's 502 or 504, the end of our process. */
  readonly mayBeRunning: boolean;
  /** Whether these are the rows of several requests of an earlier run, which was started over. */
  readonly isCarried: boolean;
  /** The probes that were created, or whose own outcome is unknown. */
  readonly probes: Probe[];
}

/** A row and the message of the service on it. */
type RowMessage = [entry: number, message: string];

/** Rows that are invalid, and never sent: 10,000 at most in a record. */
export interface InvalidRecord {
  t: 'invalid';
  rows: Ranges;
}

/** From here on, the rows that ended as failed are unsent again. */
export interface RetryRecord {
  t: 'retry';
}

/** The outcome of an attempt. Rows that are not named were not processed, and are as they were before. */
export interface OutcomeRecord {
  t: 'outcome';
  attempt: number;
  created?: Ranges;
  /** The member ids of the created rows, in their order; null if the response did not name one. */
  memberIds?: (string | null)[];
  existing?: RowMessage[];
  recovered?: RowMessage[];
  failed?: RowMessage[];
  /** Rows and why their outcome is unknown. */
  ambiguous?: [Ranges, string][];
  /** How long the service took to respond, in milliseconds. */
  durationMs?: number;
  /** Whether our own timeout ended the request. */
  timedOut?: true;
  /** Whether the service may still be processing the request. */
  mayBeRunning?: true;
  /** Of a probe that was created, or whose own outcome is unknown. */
  probe?: Probe;
  duplicates?: Duplicate[];
  /** Record of the ambiguous request whose probes are resolved: its other rows were sent. */
  resolves?: number;
}

/** What a response showed about the entire run, once each. */
export interface MetadataRecord {
  t: 'metadata';
  organizationId?: string;
  /** Another organization, to which people of the list were added as well. */
  otherOrganization?: string;
  indexBase?: IndexBase;
  authType?: string;
  authenticatedUser?: { id?: string; email?: string };
}

/** Rows of unknown outcome in an earlier run: one of this list that was started over, or one of another list. */
export interface CarriedRecord {
  t: 'carried';
  rows: Ranges;
  /** When the last of them may have been sent, in milliseconds since the epoch. */
  sentAtMs: number;
  userIds?: EncodedHashes;
}

/** From here on the run is continued with another key, which was found to belong to its organization. */
export interface KeyRecord {
  t: 'key';
  keyFingerprint: string;
}

/** Rows of unknown outcome that were moved to the run of another list. */
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
  /** When the process ended the run, in milliseconds since the epoch; absent if it only moved rows. */
  atMs?: number;
  /** Why the run ended early. */
  stopped?: RunStop;
}

/** Why a run ended early, as its report says it. */
export interface RunStop {
  code: string;
  message: string;
}

export type JournalRecord =
  | RunRecord
  | InvalidRecord
  | IntentRecord
  | OutcomeRecord
  | RetryRecord
  | MetadataRecord
  | CarriedRecord
  | KeyRecord
  | MovedRecord
  | ClosedRecord;

/** The outcome of an attempt, before it is a record. */
export interface BatchOutcome {
  created: number[];
  /** The member ids of the created rows, in their order; null if the response did not name one. */
  memberIds?: (string | null)[];
  existing: RowMessage[];
  recovered: RowMessage[];
  failed: RowMessage[];
  ambiguous: [number[], string][];
  duplicates: Duplicate[];
  durationMs?: number | undefined;
  timedOut?: boolean;
  mayBeRunning?: boolean;
  probe?: Probe | undefined;
  resolves?: number;
}

export function emptyBatchOutcome(): BatchOutcome {
  return { created: [], existing: [], recovered: [], failed: [], ambiguous: [], duplicates: [] };
}

/** Encodes an outcome as a record; what is empty is left out. */
export function outcomeRecord(attempt: number, outcome: BatchOutcome): OutcomeRecord {
  const { created, existing, recovered, failed, ambiguous, duplicates } = outcome;
  const { durationMs, timedOut, mayBeRunning, probe, resolves, memberIds } = outcome;
  return {
    t: 'outcome',
    attempt,
    ...(created.length > 0 && { created: encodeRanges(created) }),
    ...(memberIds?.some((id) => id !== null) && { memberIds }),
    ...(existing.length > 0 && { existing }),
    ...(recovered.length > 0 && { recovered }),
    ...(failed.length > 0 && { failed }),
    ...(ambiguous.length > 0 && { ambiguous: ambiguous.map(([rows, reason]) => [encodeRanges(rows), reason]) }),
    ...(durationMs !== undefined && { durationMs: Math.ceil(durationMs) }),
    ...(timedOut && { timedOut }),
    ...(mayBeRunning && { mayBeRunning }),
    ...(probe !== undefined && { probe }),
    ...(duplicates.length > 0 && { duplicates }),
    ...(resolves !== undefined && { resolves }),
  };
}

/** What a record says about one of its rows. */
export interface RowDetails {
  /** The service's message, or why the outcome is unknown. */
  message?: string;
  memberId?: string;
}

/** Returns a function that returns what a record says about one of its rows. */
export function detailsIn(record: JournalRecord | undefined): (entry: number) => RowDetails {
  if (record?.t === 'carried') return () => ({ message: 'an earlier run ended before its outcome was known' });
  if (record?.t !== 'outcome') return () => ({});
  const details = new Map<number, RowDetails>();
  let at = 0;
  for (const entry of record.memberIds === undefined ? [] : decodeRanges(record.created ?? '')) {
    const memberId = record.memberIds?.[at++];
    if (memberId != null) details.set(entry, { memberId });
  }
  for (const [rows, message] of record.ambiguous ?? [])
    for (const entry of decodeRanges(rows)) details.set(entry, { message });
  for (const list of [record.recovered, record.existing, record.failed])
    for (const [entry, message] of list ?? []) details.set(entry, { message });
  return (entry) => details.get(entry) ?? {};
}

/** A journal that cannot be used: damaged before its torn end, or written in another format. Exit code 2. */
export class JournalDamagedError extends OrgadmError {
  /** The first record of a journal in an older format. */
  readonly head: RunRecord | undefined;

  constructor(path: string, reason: string, head?: RunRecord) {
    super('journal-damaged', EXIT.usage, `the journal ${path} ${reason}`, {
      hint: 'Nothing was sent. --restart starts the list over and treats the outcome of all its rows as unknown.',
    });
    this.head = head;
  }
}

/**
 * A journal that cannot be written. Nothing is sent without it: exit code 2 if it could not even be opened, 1 if
 * it failed during a run.
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
            ? 'Nothing was sent. Choose a writable directory with enough free space with --journal.'
            : 'Nothing further was sent. Free some space there, and continue with --resume.',
        cause,
      },
    );
    this.path = path;
  }
}

/** Encodes row numbers as ranges: `1-500,503`. Ascending numbers have the shortest text; any order is kept. */
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

/** Decodes what `encodeRanges` returned. Throws RangeError for anything else. */
export function* decodeRanges(text: string): Generator<number> {
  if (text === '') return;
  for (const part of text.split(',')) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(part);
    if (match === null) throw new RangeError(`not a range of rows: ${part}`);
    const last = Number(match[2] ?? match[1]);
    for (let row = Number(match[1]); row <= last; row++) yield row;
  }
}
