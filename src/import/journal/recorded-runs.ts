import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../../util/errors.ts';
import { acquireLock, isLocked } from '../../util/file-lock.ts';
import { readRun } from './import-run.ts';
import type { ClosedRecord, RunRecord } from './records.ts';
import type { RowState } from './row-states.ts';
import type { RunState } from './run-state.ts';

/** Finished runs are kept for 30 days, in milliseconds. */
const KEPT_MS = 30 * 24 * 3_600_000;

const REMOVED = '.removed-';

/** `damaged`: its journal cannot be read, or is not one of this version. */
export type RunStatus = 'running' | 'unfinished' | 'finished' | 'damaged';

/** The details of a run, from its journal. */
export interface RunDetails extends RunRecord {
  startedAtMs: number;
  state: RunState;
  counts: Record<RowState, number>;
  /** The last record, if the last process closed the journal with it. */
  closed: ClosedRecord | undefined;
}

/** A run in a journal directory. */
export interface RecordedRun {
  /** Name of its directory: 32 hex digits. */
  id: string;
  status: RunStatus;
  /** Undefined for a damaged run. */
  details: RunDetails | undefined;
  /** Why a run is damaged. */
  error: string | undefined;
}

/**
 * Reads the runs of a journal directory, newest first, the damaged ones last.
 *
 * @returns also the number of directories without a journal, which are not runs
 * @throws OrgadmError if the directory exists and cannot be read
 */
export async function listRuns(root: string): Promise<{ runs: RecordedRun[]; skipped: number }> {
  const runs: RecordedRun[] = [];
  let skipped = 0;
  for (const id of await runIdsIn(root)) {
    const run = await readRecordedRun(root, id);
    if (run === undefined) skipped++;
    else runs.push(run);
  }
  const startedAt = ({ details }: RecordedRun) => details?.startedAtMs ?? 0;
  return { runs: runs.sort((a, b) => startedAt(b) - startedAt(a)), skipped };
}

/** Returns the names of the directories of the runs; none if there is no journal directory. */
async function runIdsIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw new OrgadmError('file', EXIT.usage, `cannot read ${root}: ${describeFsError(error)}`, {
      hint: 'Set ORGADM_STATE_DIR to the directory that holds the records of imports.',
      cause: error,
    });
  });
  return names.filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
}

/**
 * Returns the ID that a user named in full, or by its first digits.
 *
 * @throws OrgadmError (exit code 5) if no run or several begin like that
 */
export async function resolveRunId(root: string, named: string): Promise<string> {
  const found = named === '' ? [] : (await runIdsIn(root)).filter((id) => id.startsWith(named.toLowerCase()));
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw new OrgadmError(
    'run-not-found',
    EXIT.notFound,
    first === undefined ? `no such run: ${named}` : `the IDs of ${found.length} runs begin with ${named}`,
    { hint: 'List the runs with: orgadm runs list' },
  );
}

/**
 * Reads one run, which another process may be working on. Returns undefined if there is no journal.
 *
 * @param keepsMemberIds whether its state is to have the IDs of created members
 */
export async function readRecordedRun(
  root: string,
  id: string,
  keepsMemberIds = false,
): Promise<RecordedRun | undefined> {
  const isRunning = await isLocked(join(root, id, 'lock')).catch(() => false);
  return readUnlocked(root, id, isRunning, keepsMemberIds);
}

async function readUnlocked(
  root: string,
  id: string,
  isRunning: boolean,
  keepsMemberIds: boolean,
): Promise<RecordedRun | undefined> {
  try {
    const { head, state, closed } = await readRun(join(root, id, 'journal'), keepsMemberIds);
    const counts = state.rowStates.counts();
    const isFinished = counts.unknown + counts.unsent === 0;
    const status = isRunning ? 'running' : isFinished ? 'finished' : 'unfinished';
    const details = { ...head, startedAtMs: Date.parse(head.startedAt), state, counts, closed };
    return { id, status, details, error: undefined };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { id, status: isRunning ? 'running' : 'damaged', details: undefined, error: message };
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
    // It can no longer change. The lock of this process does not count.
    if (!allows(await readUnlocked(root, id, false, false))) return false;
    await rename(directory, removed);
  } finally {
    await lock.release();
  }
  // Includes what a crash left of an earlier removal.
  for (const name of (await readdir(root)).filter((entry) => entry.startsWith(REMOVED)))
    await rm(join(root, name), { recursive: true, force: true });
  return true;
}

/** Removes the finished runs that ended more than 30 days ago. A failure is ignored, because it must not stop an import. */
export async function removeExpiredRuns(root: string, nowMs: number): Promise<void> {
  for (const id of await runIdsIn(root)) {
    try {
      const { mtimeMs } = await stat(join(root, id, 'journal'));
      if (nowMs - mtimeMs < KEPT_MS) continue;
      await removeRun(
        root,
        id,
        (run) => run?.status === 'finished' && nowMs - (run.details?.state.lastActiveMs ?? nowMs) > KEPT_MS,
      );
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
    }
  }
}
