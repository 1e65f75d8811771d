import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { acquireLock, isLocked } from '../../util/file-lock.ts';
import { INTERRUPTED_REASON } from './import-run.ts';
import { decodeRanges, JOURNAL_VERSION } from './journal-records.ts';
import { runsIn } from './other-runs.ts';
import { createDetailsReader, duplicatesIn, type ReplayedRun, replayJournal } from './replay.ts';
import type { RowState } from './row-states.ts';

const REMOVED = '.removed-';

/** `damaged`: its journal cannot be read, or is not one of this version. */
export type RunStatus = 'running' | 'unfinished' | 'finished' | 'damaged';

/** The first record of a journal. Anyone can write files with a valid checksum. */
const headSchema = z.looseObject({
  t: z.literal('run'),
  version: z.literal(JOURNAL_VERSION),
  list: z.string(),
  /** Absolute; undefined for a list that is not a file. */
  path: z.optional(z.string()),
  /** Of the list's bytes. */
  digest: z.optional(z.string()),
  profile: z.optional(z.string()),
  /** What the command recorded to continue the run; unchecked. */
  options: z.optional(z.unknown()),
  baseUrl: z.string(),
  total: z.int(),
  startedAt: z.iso.datetime(),
});

/** What the journal of a run says about it. */
export interface RunRecordSummary
  extends Pick<z.infer<typeof headSchema>, 'list' | 'path' | 'digest' | 'profile' | 'options' | 'total'> {
  service: string;
  startedAtMs: number;
  /** When a process last ended the run or sent something, in milliseconds since the epoch. */
  lastActiveMs: number;
  counts: Record<RowState, number>;
  duplicates: number;
}

/** A run in a journal directory. */
export interface RecordedRun {
  /** Name of its directory: 32 hex digits. */
  id: string;
  status: RunStatus;
  /** Undefined for a damaged run. */
  record: RunRecordSummary | undefined;
  /** Why a run is damaged. */
  error: string | undefined;
}

/**
 * Reads the runs of a journal directory, newest first, the damaged ones last.
 *
 * @returns also the number of directories without a journal, which are not runs
 * @throws the error of the file system, except for a directory that does not exist
 */
export async function listRuns(root: string): Promise<{ runs: RecordedRun[]; skipped: number }> {
  const runs: RecordedRun[] = [];
  let skipped = 0;
  for (const id of await runsIn(root)) {
    const run = await readRun(root, id);
    if (run === undefined) skipped++;
    else runs.push(run);
  }
  const startedAt = ({ record }: RecordedRun) => record?.startedAtMs ?? 0;
  return { runs: runs.sort((a, b) => startedAt(b) - startedAt(a)), skipped };
}

/**
 * Returns the id that a user named in full, or by its first digits.
 *
 * @throws OrgadmError (exit code 5) if no run or several begin like that
 */
export async function resolveRunId(root: string, named: string): Promise<string> {
  const found = named === '' ? [] : (await runsIn(root)).filter((id) => id.startsWith(named.toLowerCase()));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw new OrgadmError(
    'run-not-found',
    EXIT.notFound,
    first === undefined ? `there is no run ${named} in ${root}` : `the ids of ${found.length} runs begin with ${named}`,
    { hint: 'List the runs with: orgadm runs list' },
  );
}

/** Reads one run. Returns undefined if there is no journal. */
export async function readRun(root: string, id: string): Promise<RecordedRun | undefined> {
  return readRecord(root, id, await isLocked(join(root, id, 'lock')).catch(() => false));
}

async function readRecord(root: string, id: string, isRunning: boolean): Promise<RecordedRun | undefined> {
  try {
    const { journal, ...replayed } = await replayJournal(join(root, id, 'journal'), undefined, 'read');
    await journal.close();
    const record = summarize(replayed);
    const isFinished = record.counts.unknown + record.counts.unsent === 0;
    const status = isRunning ? 'running' : isFinished ? 'finished' : 'unfinished';
    return { id, status, record, error: undefined };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { id, status: isRunning ? 'running' : 'damaged', record: undefined, error: message };
  }
}

function summarize({ head, state, lastActiveMs }: ReplayedRun): RunRecordSummary {
  const checked = z.safeParse(headSchema, head);
  if (!checked.success) throw new Error('its first record is not that of a run');
  for (const { rows } of state.open.values())
    for (const entry of decodeRanges(rows)) state.rowStates.markAttempted(entry);
  const { list, path, digest, baseUrl, profile, options, total, startedAt } = checked.data;
  const startedAtMs = Date.parse(startedAt);
  return {
    ...{ list, path, digest, service: baseUrl, profile, options, total, startedAtMs },
    lastActiveMs: Math.max(startedAtMs, lastActiveMs),
    counts: state.rowStates.counts(),
    duplicates: duplicatesIn(state).length,
  };
}

/** A run that is open for its report. */
export type OpenedRecord = Awaited<ReturnType<typeof openRecord>>;

/**
 * Opens a run for its report. Another process may be writing it, and nothing is changed.
 *
 * @throws JournalDamagedError; the error of the file system
 */
export async function openRecord(root: string, id: string) {
  const { journal, ...replayed } = await replayJournal(join(root, id, 'journal'), undefined, 'read');
  try {
    const { rowStates, metadata } = replayed.state;
    const details = createDetailsReader(journal, rowStates);
    return {
      ...{ record: summarize(replayed), rowStates, metadata },
      duplicates: duplicatesIn(replayed.state),
      /** Why its last process ended it early; undefined if it did not, or did not say. */
      stopped: replayed.closed?.stopped,
      /** Whether its last process closed the journal. */
      hasEnded: replayed.closed !== undefined,
      async messageFor(entry: number) {
        const { message } = await details(entry);
        return message ?? (rowStates.isUnknown(entry) ? INTERRUPTED_REASON : undefined);
      },
      memberIdFor: async (entry: number) => (await details(entry)).memberId,
      close: () => journal.close(),
    };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/**
 * Removes a run that no process holds. Its directory disappears in one step, so another process finds all of it or nothing.
 *
 * @param allows asked while the run is locked: whether it is still one to remove
 * @returns whether it was removed
 * @throws LockHeldError; the error of the file system
 */
export async function removeRun(
  root: string,
  id: string,
  allows: (run: RecordedRun | undefined) => boolean,
): Promise<boolean> {
  const directory = join(root, id);
  const removed = join(root, `${REMOVED}${randomUUID()}`);
  const lock = await acquireLock(join(directory, 'lock'), 'removing it');
  try {
    // It cannot change any more. The lock of this process does not count.
    if (!allows(await readRecord(root, id, false))) return false;
    await rename(directory, removed);
  } finally {
    await lock.release();
  }
  // Includes what a crash left of an earlier removal.
  for (const name of (await readdir(root)).filter((entry) => entry.startsWith(REMOVED)))
    await rm(join(root, name), { recursive: true, force: true });
  return true;
}
