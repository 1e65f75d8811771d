import * as z from 'zod/mini';
import type { Moment } from '../../util/moment.ts';
import type { StoredValue, UnknownNote } from '../outcome.ts';

/** The format of the journal. Journals of other formats are rejected. */
export const JOURNAL_VERSION = 6;

/** Row numbers as `encodeRanges` writes them: `1-500,503`. */
type Ranges = string;

/** A row and the service's message on it. */
export type RowMessage = [entry: number, message: string, note?: 'not-alone'];

/**
 * The fields of the first record that all formats have: which list a run sends, and where to. So a version that cannot read the
 * rest of a journal knows whether it is about the same list. Its fields are checked, because anyone can write files with a
 * valid checksum.
 */
export const runHeadSchema = z.object({
  t: z.literal('run'),
  version: z.int(),
  /** Unique to this run: a run that is started over has another one. */
  id: z.string(),
  /** Name of the list, for messages. */
  list: z.string(),
  /** Absolute path of the list; absent for a list that came from standard input. */
  path: z.optional(z.string()),
  /** Identifies what the run sends, see `runDigest`. */
  digest: z.string(),
  /** The base URL; for the sandbox, the path of its state. */
  service: z.string(),
  /** HMAC of the API key. */
  keyFingerprint: z.string(),
  /** By the clock of the machine, but later than earlier runs of the same list. */
  startedAt: z.iso.datetime(),
});
export type RunHead = z.infer<typeof runHeadSchema>;

/** The first record in the present format. */
export const runRecordSchema = z.extend(runHeadSchema, {
  version: z.literal(JOURNAL_VERSION),
  total: z.int(),
  /** Rows that are never sent. */
  invalid: z.optional(z.string()),
  /** SHA-256 of the file with the rows. */
  rows: z.string(),
  /** Whether messages name the rows by their line, or by their number. */
  position: z.enum(['line', 'row']),
  /** SHA-256 of the list's file. */
  file: z.string(),
});
export type RunRecord = z.infer<typeof runRecordSchema>;

/** These rows are about to be sent. On disk before they are. */
export interface IntentRecord {
  t: 'intent';
  /** From 1. */
  request: number;
  rows: Ranges;
  at: Moment;
  /** When the request has ended at the latest, in milliseconds after `at`. */
  timeoutMs: number;
  /** How long the service may process it after that, in milliseconds. */
  lifetimeMs: number;
  /** The request of unknown outcome that it probes: it sends some of its rows again before the others. */
  probe?: number;
  /** Whether it confirms rows: their earlier requests are over. */
  again?: true;
}

/**
 * Rows whose people may be in requests of other runs, or in requests that this journal has lost: their outcome is unknown from
 * now on, as if the last of these requests were one of this run.
 */
export interface OthersRecord {
  t: 'others';
  /** The number that stands for these requests, counted like those of the run. */
  request: number;
  rows: Ranges;
  /** When the last of them ended, or its intent. */
  at: Moment;
  /** When it had ended at the latest, in milliseconds after `at`. */
  timeoutMs: number;
  /** The longest of their lifetimes, in milliseconds. */
  lifetimeMs: number;
  /** When a later request had created somebody; absent without such a proof. */
  proof?: Moment;
  stuck?: true;
  /** Whether nobody knows whose requests they are: then rows that were created say nothing about them. */
  anybody?: true;
  /** Rows whose people they probed, and who may have been added twice. */
  atRisk?: Ranges;
  /** The user IDs of such people who are not on this list. */
  strangers?: readonly string[];
}

/** A user for whom a response listed two or more active memberships. */
export interface Duplicate {
  entry: number;
  memberIds: readonly string[];
}

/** A value of a created member that is not the one that was sent, which the list has. */
export interface Mismatch extends StoredValue {
  entry: number;
}

/** The outcome of a request. Rows of the request that it does not name were not processed, and are as they were before. */
export interface OutcomeRecord {
  t: 'outcome';
  request: number;
  /** When the request ended; its intent, if its process died. */
  at: Moment;
  /** When the request had ended at the latest, in milliseconds after `at`. Only if its process died. */
  timeoutMs?: number;
  created?: Ranges;
  /** The member IDs of the created rows, in their order; null if the response did not name one. */
  memberIds?: (string | null)[];
  existing?: RowMessage[];
  failed?: RowMessage[];
  /** Rows of unknown outcome, and why. */
  unknown?: [rows: Ranges, reason: string, note?: UnknownNote][];
  duplicates?: Duplicate[];
  mismatches?: Mismatch[];
  /** Whether the request had no outcome for so long that the service was not working. Only with unknown rows. */
  stuck?: true;
  /** Whether it timed out. */
  timedOut?: true;
}

/** A fact about the entire run, from a response. */
export interface NoteRecord {
  t: 'note';
  authType?: string;
  authenticatedUser?: { id?: string; email?: string };
}

/** The last record of a process. Without it, the process died or still exists. */
export interface ClosedRecord {
  t: 'closed';
  /** In milliseconds since the epoch. */
  atMs: number;
  /** Why the run ended early. */
  stopped?: { code: string; message: string };
}

export type JournalRecord = RunRecord | IntentRecord | OthersRecord | OutcomeRecord | NoteRecord | ClosedRecord;
