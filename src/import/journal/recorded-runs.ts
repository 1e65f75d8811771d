import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describeFsError, EXIT, OrgadmError, systemErrorCode } from '../../util/errors.ts';
import { acquireLock, isLocked, LockHeldError } from '../../util/file-lock.ts';
import { readRun, readRunHead } from './import-run.ts';
import type { ClosedRecord, RunRecord } from './records.ts';
import type { RowState } from './row-states.ts';
import type { RunState } from './run-state.ts';

/** Runs are kept for 30 days after their last request, in milliseconds. By then, none of their requests can still be running. */
const KEPT_MS = 30 * 24 * 3_600_000;

const REMOVED = '.removed-';

/**
 * - `superseded`: it is unfinished, and a later run has sent another version of its list, or the same list again
 * - `damaged`: its journal cannot be read, or is not one of this version
 */
export type RunStatus = 'running' | 'unfinished' | 'superseded' | 'finished' | 'damaged';

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
 * @throws OrgadmError if the directory exists and cannot be read
 */
export async function listRuns(root: string): Promise<RecordedRun[]> {
  const runs: RecordedRun[] = [];
  const heads = await readRunHeads(root);
  for (const id of await runIdsIn(root)) {
    const run = await readOne(root, id, heads, false);
    if (run !== undefined) runs.push(run);
  }
  const startedAt = ({ details }: RecordedRun) => details?.startedAtMs ?? 0;
  return runs.sort((a, b) => startedAt(b) - startedAt(a));
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
    first === undefined ? `there is no run ${named}` : `the IDs of ${found.length} runs begin with ${named}`,
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
  return readOne(root, id, await readRunHeads(root), keepsMemberIds);
}

/** @param heads those of all runs, newest first */
async function readOne(
  root: string,
  id: string,
  heads: readonly RunRecord[],
  keepsMemberIds: boolean,
): Promise<RecordedRun | undefined> {
  const isRunning = await isLocked(join(root, id, 'lock')).catch(() => false);
  try {
    const { head, state, closed } = await readRun(join(root, id, 'journal'), keepsMemberIds);
    const counts = state.rowStates.counts();
    const last = heads.find(({ path, service }) => path === head.path && service === head.service);
    const isSuperseded = head.path !== undefined && last !== undefined && last.id !== head.id;
    const status = isRunning
      ? 'running'
      : !state.isUnfinished
        ? 'finished'
        : isSuperseded
          ? 'superseded'
          : 'unfinished';
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
 * Reads the first records of all runs, newest first. Leaves out damaged journals and those of other formats.
 *
 * @throws OrgadmError if the directory exists and cannot be read
 */
export async function readRunHeads(root: string): Promise<RunRecord[]> {
  const heads: RunRecord[] = [];
  for (const id of await runIdsIn(root)) {
    const head = await readRunHead(join(root, id, 'journal')).catch(() => undefined);
    if (head !== undefined) heads.push(head);
  }
  return heads.sort((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt));
}

/**
 * Removes the runs that no process has used for 30 days, finished or not: after the last request, or after the last change of
 * what is not a readable journal. A failure is ignored, because it must not stop an import.
 */
export async function removeExpiredRuns(root: string, nowMs: number): Promise<void> {
  for (const id of await runIdsIn(root)) {
    try {
      const journal = join(root, id, 'journal');
      const { mtimeMs } = await stat(journal).catch(() => stat(join(root, id)));
      if (nowMs - mtimeMs < KEPT_MS) continue;
      await removeRun(root, id, async () => {
        const lastActiveMs = await readRun(journal).then(
          ({ state }) => state.lastActiveMs,
          () => mtimeMs,
        );
        return nowMs - lastActiveMs > KEPT_MS;
      });
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
  for (const { id } of heads) await removeRun(root, id, async () => true);
  return heads.length;
}

/** Removes a run that no process holds, in one step: another process finds all of it or nothing. */
async function removeRun(root: string, id: string, isWanted: () => Promise<boolean>): Promise<void> {
  const directory = join(root, id);
  const lock = await acquireLock(join(directory, 'lock'), 'removing it');
  try {
    if (!(await isWanted())) return;
    await rename(directory, join(root, `${REMOVED}${randomUUID()}`));
  } finally {
    await lock.release();
  }
  // Includes what a crash left of an earlier removal.
  for (const name of (await readdir(root)).filter((entry) => entry.startsWith(REMOVED)))
    await rm(join(root, name), { recursive: true, force: true });
}
