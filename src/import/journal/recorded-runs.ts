import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../../util/errors.ts';
import type { RowState } from '../outcome.ts';
import { type ReplayedRun, readRun, readRunHead } from './import-run.ts';
import { acquireLock, isLocked, LockHeldError } from './lock.ts';
import type { ClosedRecord, RunHead, RunRecord } from './records.ts';
import { isSameService } from './run-identity.ts';
import type { RunState } from './run-state.ts';

/** Runs are kept for 30 days after their last request, in milliseconds. By then, none of their requests can still be running. */
const KEPT_MS = 30 * 24 * 3_600_000;

const REMOVED = '.removed-';

/**
 * - `superseded`: it is unfinished, and a later run has sent another version of its list, or the same list again
 * - `damaged`: its journal cannot be read, or is not one of this version
 */
export type RunStatus = 'running' | 'unfinished' | 'superseded' | 'finished' | 'damaged';

/** A run as its journal describes it, without the states of its rows, which take many megabytes. */
export interface RunDetails extends RunRecord {
  startedAtMs: number;
  /** When a process last sent something or ended the run, in milliseconds since the epoch. */
  lastActiveMs: number;
  counts: Record<RowState, number>;
  /** The last record, if the last process closed the journal with it. */
  closed: ClosedRecord | undefined;
}

/** Returns the details of a run that was read. */
export function detailsOf({ head, state, closed }: ReplayedRun): RunDetails {
  return {
    ...head,
    startedAtMs: Date.parse(head.startedAt),
    lastActiveMs: state.lastActiveMs,
    counts: state.counts(),
    closed,
  };
}

/** Whether any row is unsent or unknown. */
export function isUnfinished({ counts }: Pick<RunDetails, 'counts'>): boolean {
  return counts.unknown + counts.unsent > 0;
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
 * @throws OrgadmError if the directory exists and cannot be read
 */
export async function listRuns(root: string): Promise<RecordedRun[]> {
  const runs: ReadJournal[] = [];
  for (const id of await runIdsIn(root)) {
    const run = await readJournal(root, id, false);
    if (run !== undefined) runs.push({ ...run, state: undefined });
  }
  const startedAt = ({ details }: ReadJournal) => details?.startedAtMs ?? 0;
  runs.sort((a, b) => startedAt(b) - startedAt(a));
  const heads = runs
    .flatMap(({ id, details }) => details ?? damagedHead(root, id) ?? [])
    .sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
  return runs.map((run) => ({ ...run, status: statusOf(run, () => heads) }));
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
 * Returns the ID that a user named in full, or by its first characters.
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
    { hint: 'List the runs and their IDs, newest first: orgadm runs list' },
  );
}

/**
 * Reads one run and its state, which another process may be working on. Returns undefined if there is no journal.
 *
 * @param keepsMemberIds whether its state is to have the IDs of created members
 */
export async function readRecordedRun(
  root: string,
  id: string,
  keepsMemberIds = false,
): Promise<(RecordedRun & Pick<ReadJournal, 'state'>) | undefined> {
  const run = await readJournal(root, id, keepsMemberIds);
  if (run === undefined) return undefined;
  const ids = await runIdsIn(root);
  return { ...run, status: statusOf(run, () => headsOf(root, ids)) };
}

/** A run, without the status, which depends on other runs. */
interface ReadJournal extends Omit<RecordedRun, 'status'> {
  isRunning: boolean;
  /** Undefined for a damaged run. */
  state: RunState | undefined;
}

/** @throws OrgadmError if nobody can say whether a process works on the run: see `isLocked` */
async function readJournal(root: string, id: string, keepsMemberIds: boolean): Promise<ReadJournal | undefined> {
  const isRunning = await isLocked(join(root, id, 'lock')).catch((error: unknown) => {
    if (error instanceof OrgadmError) throw error;
    return false;
  });
  try {
    const run = await readRun(join(root, id, 'journal'), keepsMemberIds);
    return { id, isRunning, details: detailsOf(run), state: run.state, error: undefined };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return { id, isRunning, details: undefined, state: undefined, error: message };
  }
}

/** @param heads returns the first records of all runs, newest first */
function statusOf({ isRunning, details }: ReadJournal, heads: () => readonly RunHead[]): RunStatus {
  if (isRunning) return 'running';
  if (details === undefined) return 'damaged';
  if (!isUnfinished(details)) return 'finished';
  if (details.path === undefined) return 'unfinished';
  const last = heads().find((head) => head.path === details.path && isSameService(head.service, details.service));
  return last !== undefined && last.id !== details.id ? 'superseded' : 'unfinished';
}

/**
 * Reads the first records of all runs, newest first. Leaves out those that are damaged.
 *
 * @throws OrgadmError if the directory exists and cannot be read, and if a journal is no regular file
 */
export async function readRunHeads(root: string): Promise<RunHead[]> {
  return headsOf(root, await runIdsIn(root));
}

function headsOf(root: string, ids: readonly string[]): RunHead[] {
  return ids
    .flatMap((id) => tryReadHead(join(root, id, 'journal')) ?? [])
    .sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

/** Returns the first record of a damaged journal; undefined if that is what cannot be read. */
function damagedHead(root: string, id: string): RunHead | undefined {
  try {
    return readRunHead(join(root, id, 'journal'));
  } catch {
    return undefined;
  }
}

/** Returns undefined for a journal that cannot be read. */
function tryReadHead(path: string): RunHead | undefined {
  try {
    return readRunHead(path);
  } catch (error) {
    if (error instanceof OrgadmError) throw error;
    return undefined;
  }
}

/**
 * Removes the runs whose journals have not changed for 30 days, finished or not. A failure is ignored, because it must not stop
 * an import.
 */
export async function removeExpiredRuns(root: string, nowMs: number): Promise<void> {
  for (const id of await runIdsIn(root)) {
    try {
      const folder = statSync(join(root, id));
      // The last change of an append-only file is its last record. A lock changes the folder.
      const isExpired = () => {
        const { mtimeMs } = statSync(join(root, id, 'journal'), { throwIfNoEntry: false }) ?? folder;
        return nowMs - mtimeMs > KEPT_MS;
      };
      if (isExpired()) await removeRun(root, id, isExpired);
    } catch (error) {
      if (systemErrorCode(error) === undefined && !(error instanceof LockHeldError)) throw error;
    }
  }
}

/**
 * Removes the runs into a service that no longer has what they added: the sandbox, which was reset.
 *
 * @returns how many
 * @throws LockHeldError if a process is working on one; the error of the file system
 */
export async function removeRunsInto(root: string, service: string): Promise<number> {
  const heads = (await readRunHeads(root)).filter((head) => head.service === service);
  for (const { id } of heads) await removeRun(root, id, () => true);
  return heads.length;
}

/** Removes a run that no process holds, in one step: another process finds all of it or nothing. */
async function removeRun(root: string, id: string, isWanted: () => boolean): Promise<void> {
  const directory = join(root, id);
  const lock = await acquireLock(join(directory, 'lock'), 'removing it');
  try {
    if (!isWanted()) return;
    await rename(directory, join(root, `${REMOVED}${randomUUID()}`));
  } finally {
    await lock.release();
  }
  // Includes what a crash left of an earlier removal.
  for (const name of (await readdir(root)).filter((entry) => entry.startsWith(REMOVED)))
    await rm(join(root, name), { recursive: true, force: true });
}
