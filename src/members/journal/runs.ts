import { createHash, randomBytes, scrypt } from 'node:crypto';
import { access, link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { OrgadmError, UsageError } from '../../errors.ts';
import { JournalDamagedError, JournalWriteError } from './file.ts';
import { type Lock, type Processes, takeLock } from './lock.ts';
import { Run } from './run.ts';

/** What makes two runs the same: with any of it different, it is another run. */
export interface RunIdentity {
  /** Digest of the list's bytes. */
  digest: string;
  /** The settings that change what is sent, in a fixed order. */
  settings: unknown;
  /** Base URL with its path; for the sandbox its state file. */
  service: string;
  /** Chooses the organization. Only a salted slow hash of it is ever written. */
  apiKey: string;
}

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
  /** Tells every row that is invalid: those are never sent. */
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
  const { folder, lock } = await claimFolder(request);
  try {
    const { run, resumed } = await openOrCreate(join(folder, 'journal'), request);
    const close = async () => {
      await run.close();
      await lock.release();
    };
    await syncFolder(folder);
    return { run, resumed, close };
  } catch (error) {
    await lock.release();
    throw asJournalError(folder, error);
  }
}

async function claimFolder({ root, identity, processes }: RunRequest): Promise<{ folder: string; lock: Lock }> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const folder = join(root, await folderName(root, identity));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await syncFolder(root);
    return { folder, lock: await takeLock(folder, processes) };
  } catch (error) {
    throw asJournalError(root, error);
  }
}

async function openOrCreate(path: string, request: RunRequest): Promise<{ run: Run; resumed: boolean }> {
  const { mode, total } = request;
  const earlier = await openEarlier(path, request);
  if (earlier instanceof Run && mode === 'resume') return { run: earlier, resumed: true };
  const carried = rowsToCarry(earlier, total);
  if (earlier instanceof Run) {
    await earlier.close();
    if (mode === 'new' && earlier.unfinished) throw unfinished(earlier);
  }
  return { run: await createRun(path, request, carried), resumed: false };
}

/** The run that is there; `damaged` only where the user said to start over. */
async function openEarlier(path: string, { mode, total, invalid }: RunRequest): Promise<Run | 'damaged' | undefined> {
  if (!(await exists(path))) return undefined;
  try {
    const run = await Run.open(path, total);
    for (const entry of invalid) run.ledger.settle(entry, 'invalid');
    return run;
  } catch (error) {
    if (mode === 'restart' && error instanceof JournalDamagedError) return 'damaged';
    throw error;
  }
}

/** Rows that an earlier run may have added: starting over must not forget that. */
function rowsToCarry(earlier: Run | 'damaged' | undefined, total: number): number[] {
  if (earlier === undefined) return [];
  const rows = Array.from({ length: total }, (_, at) => at + 1);
  return earlier === 'damaged' ? rows : rows.filter((entry) => earlier.ledger.isUnknown(entry));
}

function unfinished(run: Run): UsageError {
  const { unknown, unsent } = run.ledger.counts();
  return new UsageError(
    `an earlier run of this list is not finished: ${unsent} rows unsent, ${unknown} of unknown fate`,
    'Add --resume to continue it (rows that are done are not sent again), or --restart to start over.',
    'unfinished-run',
  );
}

/** Writes the new journal beside the old one and puts it in its place: a crash leaves one or the other. */
async function createRun(path: string, request: RunRequest, carried: readonly number[]): Promise<Run> {
  const { list, identity, total, invalid, nowMs } = request;
  const fresh = `${path}.new`;
  await rm(fresh, { force: true });
  const head = { list, baseUrl: identity.service, total, startedAt: new Date(nowMs).toISOString() };
  const run = await Run.create(fresh, head, carried);
  await rename(fresh, path);
  for (const entry of invalid) run.ledger.settle(entry, 'invalid');
  return run;
}

async function folderName(root: string, { digest, settings, service, apiKey }: RunIdentity): Promise<string> {
  const key = await promisify(scrypt)(apiKey, await saltOf(root), 32);
  const parts = [digest, JSON.stringify(settings), service, (key as Buffer).toString('hex')];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32);
}

/** The salt of all runs below `root`, made once. */
async function saltOf(root: string): Promise<Buffer> {
  const path = join(root, 'salt');
  if (!(await exists(path))) {
    // Linked into place, so that of two processes both use the same one, and none sees half of it.
    const own = join(root, `.salt-${randomBytes(8).toString('hex')}`);
    await writeFile(own, randomBytes(16), { mode: 0o600, flush: true });
    await link(own, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await rm(own);
  }
  return readFile(path);
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

/** A new name in a folder is on disk only once the folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function asJournalError(path: string, error: unknown): unknown {
  return error instanceof OrgadmError ? error : new JournalWriteError(path, error);
}
