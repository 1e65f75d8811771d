import { access, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describeFsError, OrgadmError, UsageError } from '../../util/errors.ts';
import { acquireLock, type HeldLock, LockHeldError } from '../../util/file-lock.ts';
import { makePrivateDirectory } from '../../util/files.ts';
import { formatCount } from '../../util/units.ts';
import type { ListRow } from '../list/open-list.ts';
import { ImportRun, type RunEnd, type RunHashes } from './import-run.ts';
import { JournalDamagedError, JournalWriteError, type RunRecord } from './journal-records.ts';
import {
  closedWithoutUnknown,
  findOverlappingRuns,
  folderName,
  markMoved,
  normalizeService,
  type OverlappingRun,
  otherRootsIn,
  overlapError,
  type RunIdentity,
  recordRoot,
  runsIn,
} from './other-runs.ts';
import { type AmbiguousRow, inspectJournal } from './replay.ts';
import { readSecret } from './secret.ts';

/** How long finished runs are kept. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 3_600_000;

export type RunMode = 'new' | 'resume' | 'restart';

export interface OpenedRun {
  run: ImportRun;
  /** Whether it continues, or reports again, what an earlier process began. */
  resumed: boolean;
  /** The finished run of the same list that this one replaces: when it ended, and how many members it created. */
  replaced: { endedAtMs: number; created: number } | undefined;
  /** Number of failed rows of a finished run that are unsent again. */
  retried: number;
  close(end?: RunEnd): Promise<void>;
}

export interface RunRequest {
  /** Directory that contains the runs' directories. */
  root: string;
  /** Directory of the locks that are shared by all journal directories of this machine's user. */
  locks: string;
  identity: RunIdentity;
  /** Undefined for the sandbox, which has one key for all. */
  apiKey: string | undefined;
  /** Whether other imports into the same service with the same key may run at the same time. */
  allowParallel?: boolean | undefined;
  mode: RunMode;
  /** Whether to send the failed rows of a finished run once more, with `resume`. */
  retryFailed?: boolean | undefined;
  /** What the journal keeps for a command that continues the run. */
  recorded?: Pick<RunRecord, 'profile' | 'options'>;
  /** Name of the list, for messages. */
  list: string;
  /** Its absolute path; undefined for a list that is not a file. */
  path: string | undefined;
  total: number;
  /** A pass over the list. */
  rows: () => AsyncIterable<readonly ListRow[]>;
  /** The rows that are invalid: those are never sent. Read once. */
  invalid: Iterable<number>;
  nowMs: number;
}

/**
 * Opens the run of a list: a directory of its own below `root` with one journal, held by one process.
 *
 * @throws UsageError if another process holds it or imports into the same service, if there is an unfinished run and
 *   neither --resume nor --restart, or if rows are in flight in the run of another list
 * @throws JournalDamagedError, JournalWriteError
 */
export async function openRun(request: RunRequest): Promise<OpenedRun> {
  const held: HeldLock[] = [];
  const release = async () => {
    for (const lock of held.reverse().splice(0)) await lock.release();
  };
  try {
    const opened = await openLocked(request, held);
    return { ...opened, close: (end) => opened.run.close(end).finally(release) };
  } catch (error) {
    await release();
    throw asOpeningError(request.root, error);
  }
}

async function openLocked(request: RunRequest, held: HeldLock[]): Promise<Omit<OpenedRun, 'close'>> {
  const { root, identity, apiKey = '', mode, total, list } = request;
  const name = folderName(identity);
  const directory = join(root, name);
  await makePrivateDirectory(directory);
  held.push(await lockRun(directory, request));
  const secret = await readSecret(root);
  const hashes: RunHashes = { key: secret.sign('key', apiKey), secret };
  const invalid = [...request.invalid];

  const path = join(directory, 'journal');
  const earlier = mode !== 'restart' && (await exists(path)) ? await ImportRun.open(path, total, hashes) : undefined;
  try {
    for (const entry of invalid) earlier?.rowStates.finalize(entry, 'invalid');
    if (earlier?.unfinished && mode === 'new') throw unfinished(earlier);
    const isRetry = request.retryFailed === true && earlier?.unfinished === false;
    // A finished run is only reported again.
    if (earlier?.unfinished === false && mode === 'resume' && !(isRetry && earlier.rowStates.counts().failed > 0))
      return { run: earlier, resumed: true, replaced: undefined, retried: 0 };

    const otherRoots = await lockService(request, held);
    const toSend = {
      name,
      service: identity.service,
      path: mode === 'resume' ? request.path : undefined,
      rows: request.rows,
      // A row of unknown outcome counts too: it may have been moved to another run, which sent it a moment ago.
      isUnfinished: (entry: number) =>
        mode !== 'resume' ||
        !(earlier?.rowStates.isFinal(entry) ?? false) ||
        (isRetry && earlier?.rowStates.stateOf(entry) === 'failed'),
    };
    const overlapping = await findOverlappingRuns(root, otherRoots, toSend, secret);
    const [first] = overlapping;
    if (first !== undefined && mode !== 'restart') throw overlapError(first);
    await removeExpiredRuns(root, request.nowMs);
    if (earlier !== undefined && mode === 'resume')
      return { run: earlier, resumed: true, replaced: undefined, retried: isRetry ? earlier.retryFailed() : 0 };
    const replaced = earlier && {
      endedAtMs: (await closedWithoutUnknown(path)) || earlier.startedAtMs,
      created: earlier.rowStates.counts().created,
    };
    await earlier?.close();

    for (const other of overlapping) if (other.theirs.length > 0) held.push(await lockRun(other.directory, request));
    const head = {
      list,
      ...(request.path === undefined ? {} : { path: request.path }),
      digest: identity.digest,
      ...request.recorded,
      baseUrl: identity.service,
      total,
      startedAt: new Date(request.nowMs).toISOString(),
    };
    const carried = mode === 'restart' ? await rowsToCarry(path, overlapping, total) : [];
    const run = await ImportRun.create(path, head, carried, hashes, invalid);
    for (const other of overlapping) await markMoved(other, name);
    return { run, resumed: false, replaced, retried: 0 };
  } catch (error) {
    await earlier?.close().catch(() => {});
    throw error;
  }
}

/** Returns the rows that an earlier run of this list, or one of another list, may have added. */
async function rowsToCarry(
  path: string,
  overlapping: readonly OverlappingRun[],
  total: number,
): Promise<AmbiguousRow[]> {
  const earlier = await ambiguousRowsOf(path, total);
  const carried = new Map(earlier.map((row) => [row.entry, row]));
  for (const { own } of overlapping) for (const row of own) carried.set(row.entry, row);
  return [...carried.values()].sort((a, b) => a.entry - b.entry);
}

async function ambiguousRowsOf(path: string, total: number): Promise<AmbiguousRow[]> {
  if (!(await exists(path))) return [];
  try {
    const { head, ambiguous } = await inspectJournal(path);
    if (head.total === total) return ambiguous;
  } catch (error) {
    if (!(error instanceof JournalDamagedError)) throw error;
  }
  return Array.from({ length: total }, (_, at) => ({ entry: at + 1, id: 0n }));
}

async function lockRun(directory: string, { list }: RunRequest): Promise<HeldLock> {
  try {
    return await acquireLock(join(directory, 'lock'), list);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw inUse(error, `is already importing this list`, '');
  }
}

/**
 * Adds the lock of the service and the key to `held`, except if another import holds it and may run at the same time.
 *
 * @returns the other journal directories that imports into this service with this key have used
 */
async function lockService(request: RunRequest, held: HeldLock[]): Promise<string[]> {
  const { root, locks, identity, apiKey = '', allowParallel, list } = request;
  const service = normalizeService(identity.service);
  let otherRoots: string[] = [];
  try {
    const directory = join(locks, (await readSecret(locks)).sign('lock', `${service}\n${apiKey}`));
    await makePrivateDirectory(directory);
    await recordRoot(directory, root);
    otherRoots = await otherRootsIn(directory, root);
    held.push(await acquireLock(join(directory, 'lock'), list));
    return otherRoots;
  } catch (error) {
    if (allowParallel) return otherRoots;
    if (error instanceof LockHeldError) {
      const target = apiKey === '' ? 'the sandbox' : `${identity.service} with the same key`;
      throw inUse(
        error,
        `is importing ${error.holder?.note ?? 'a list'} into ${target}`,
        ' With --allow-parallel both run at the same time: people on both lists may then be added twice.',
      );
    }
    if (error instanceof OrgadmError || !(error instanceof Error) || !('code' in error)) throw error;
    throw new UsageError(
      `cannot create a lock in ${locks}: ${describeFsError(error)}`,
      'Set ORGADM_STATE_DIR to a writable directory. Or add --allow-parallel, if no other import is running.',
      'in-use',
    );
  }
}

function inUse({ holder }: LockHeldError, activity: string, way: string): UsageError {
  const host = holder === undefined || holder.host === hostname() ? '' : ` on ${holder.host}`;
  const owner = holder === undefined ? 'another process' : `process ${holder.pid}${host}`;
  return new UsageError(`${owner} ${activity}`, `Nothing was sent. Wait until it ends, or stop it.${way}`, 'in-use');
}

function unfinished(run: ImportRun): UsageError {
  const { unknown, unsent } = run.rowStates.counts();
  return new UsageError(
    `an earlier run of this list is not finished: ${formatCount(unsent)} unsent, ${formatCount(unknown)} of unknown outcome`,
    'Add --resume to continue it (rows that are done are not sent again), or --restart to start over.',
    'unfinished-run',
  );
}

async function exists(path: string): Promise<boolean> {
  const error = await access(path).catch((failure: NodeJS.ErrnoException) => failure);
  if (error !== undefined && error.code !== 'ENOENT') throw error;
  return error === undefined;
}

/** Describes file system errors from before anything was sent. */
function asOpeningError(root: string, error: unknown): unknown {
  if (error instanceof JournalWriteError) return new JournalWriteError(error.path, error.cause, 'opening');
  if (error instanceof OrgadmError || !(error instanceof Error) || !('code' in error)) return error;
  return new JournalWriteError(root, error, 'opening');
}

/** Removes the finished runs that ended more than 30 days ago. What cannot be removed stays: that must not stop a run. */
async function removeExpiredRuns(root: string, nowMs: number): Promise<void> {
  const isExpired = (atMs: number) => nowMs - atMs > KEPT_DAYS * DAY_MS;
  for (const id of await runsIn(root)) {
    try {
      const path = join(root, id, 'journal');
      const closedAt = await closedWithoutUnknown(path);
      if (closedAt === undefined || !isExpired(closedAt || (await stat(path)).mtimeMs)) continue;
      const { removeRun } = await import('./recorded-runs.ts');
      await removeRun(root, id, (run) => run?.status === 'finished' && isExpired(run.record?.lastActiveMs ?? nowMs));
    } catch (error) {
      if (!(error instanceof LockHeldError || (error instanceof Error && 'code' in error))) throw error;
    }
  }
}
