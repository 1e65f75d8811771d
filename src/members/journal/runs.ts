import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { OrgadmError, UsageError } from '../../errors.ts';
import { JournalDamagedError, JournalWriteError } from './errors.ts';
import { makeFolder } from './folder.ts';
import { folderName, type RunIdentity } from './identity.ts';
import { type Lock, type Processes, takeLock } from './lock.ts';
import { Run } from './run.ts';

export type RunMode = 'new' | 'resume' | 'restart';

export interface OpenedRun {
  run: Run;
  /** Whether it continues, or tells again, what an earlier process began. */
  resumed: boolean;
  close(): Promise<void>;
}

export interface RunRequest {
  /** Folder that holds the runs' folders. */
  root: string;
  identity: RunIdentity;
  mode: RunMode;
  /** Name of the list, for a person who looks into the journal. */
  list: string;
  total: number;
  /** The rows that are invalid: those are never sent. Read once. */
  invalid: Iterable<number>;
  nowMs: number;
  processes: Processes;
}

/**
 * Opens the run of a list: a folder of its own below `root` with one journal, held by one process.
 *
 * @throws UsageError when another process holds it, or when an unfinished run is there and neither --resume nor --restart was given
 * @throws JournalDamagedError, JournalWriteError
 */
export async function openRun(request: RunRequest): Promise<OpenedRun> {
  try {
    const { folder, lock } = await claimFolder(request);
    try {
      const { run, resumed } = await openOrCreate(join(folder, 'journal'), request);
      return { run, resumed, close: () => run.close().finally(() => lock.release()) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    throw asOpeningError(request.root, error);
  }
}

async function claimFolder({ root, identity, processes }: RunRequest): Promise<{ folder: string; lock: Lock }> {
  const folder = join(root, await folderName(identity));
  await makeFolder(folder);
  return { folder, lock: await takeLock(folder, processes) };
}

async function openOrCreate(path: string, request: RunRequest): Promise<{ run: Run; resumed: boolean }> {
  const { mode, total } = request;
  const invalid = [...request.invalid];
  const earlier = await openEarlier(path, request);
  if (earlier instanceof Run) {
    settleInvalid(earlier, invalid);
    if (mode === 'resume') return { run: earlier, resumed: true };
    await earlier.close();
    if (mode === 'new' && earlier.unfinished) throw unfinished(earlier);
  }
  const { list, identity, nowMs } = request;
  const head = { list, baseUrl: identity.service, total, startedAt: new Date(nowMs).toISOString() };
  const run = await Run.create(path, head, rowsToCarry(earlier, total));
  settleInvalid(run, invalid);
  return { run, resumed: false };
}

/** The run that is there; `damaged` only where the user said to start over. */
async function openEarlier(path: string, { mode, total }: RunRequest): Promise<Run | 'damaged' | undefined> {
  if (!(await exists(path))) return undefined;
  try {
    return await Run.open(path, total);
  } catch (error) {
    if (mode === 'restart' && error instanceof JournalDamagedError) return 'damaged';
    throw error;
  }
}

function settleInvalid(run: Run, invalid: readonly number[]): void {
  for (const entry of invalid) run.ledger.settle(entry, 'invalid');
}

/** Rows that an earlier run may have added: starting over must not forget that. */
function rowsToCarry(earlier: Run | 'damaged' | undefined, total: number): number[] {
  const rows: number[] = [];
  if (earlier === undefined) return rows;
  for (let entry = 1; entry <= total; entry++) {
    if (earlier === 'damaged' || earlier.ledger.isUnknown(entry)) rows.push(entry);
  }
  return rows;
}

function unfinished(run: Run): UsageError {
  const { unknown, unsent } = run.ledger.counts();
  return new UsageError(
    `an earlier run of this list is not finished: ${unsent} unsent, ${unknown} of unknown fate`,
    'Add --resume to continue it (rows that are done are not sent again), or --restart to start over.',
    'unfinished-run',
  );
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** What the file system refuses while nothing was sent yet. */
function asOpeningError(root: string, error: unknown): unknown {
  if (error instanceof JournalWriteError) return new JournalWriteError(error.path, error.cause, 'opening');
  if (error instanceof OrgadmError || !(error instanceof Error) || !('code' in error)) return error;
  return new JournalWriteError(root, error, 'opening');
}
