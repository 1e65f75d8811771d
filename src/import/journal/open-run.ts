import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describeFsError, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';
import { makePrivateDirectory } from '../../util/files.ts';
import type { Clock } from '../../util/host.ts';
import type { RowPosition } from '../checked-row.ts';
import { ImportRun, type RunLimits } from './import-run.ts';
import { InFlightFile } from './in-flight.ts';
import { JournalWriteError } from './journal-errors.ts';
import { acquireLock, type HeldLock, LockHeldError } from './lock.ts';
import { isSamePlan, planRun, type RunPlan, type RunSelection } from './plan-run.ts';
import { type ClosedRecord, JOURNAL_VERSION, type RunRecord } from './records.ts';
import { encodeRanges } from './row-ranges.ts';
import { type CheckedRows, openRunRows, type RowSource, rowsPathOf, storedRows } from './rows.ts';
import { createRunId, fingerprintOf, serviceIdOf } from './run-identity.ts';
import type { RunState } from './run-state.ts';

/** The right to import into a service, which one process has at a time, and what its holder does with the run of its list. */
export interface RunClaim {
  readonly selection: RunSelection;
  readonly plan: RunPlan;
  /** The state and the rows of the run that the plan does not start. */
  readonly state: RunState | undefined;
  readonly rows: RowSource | undefined;
  /** Directory of the service. */
  readonly service: string;
  /** Lets other processes import into the service. */
  release(): Promise<void>;
}

/** What a run is about to send. A new run stores it. */
export interface RunContent {
  rows: CheckedRows;
  position: RowPosition;
  /** SHA-256 of the list's file. */
  file: string;
}

export interface OpenedRun {
  id: string;
  run: ImportRun;
  /** The rows of the run, as they are stored. */
  rows: RowSource;
  plan: RunPlan;
  /** @param isReported whether the people who may have been added twice were reported */
  close(end: Omit<ClosedRecord, 't'>, isReported: boolean): Promise<void>;
}

/**
 * Acquires the lock of a service and plans the run of a list, which changes neither the runs nor the service.
 *
 * @param confirmed what the user has confirmed: orgadm does nothing else
 * @throws UsageError if another process imports into the same service, if a run belongs to another key, and if the run is no
 *   longer as the user has confirmed it
 * @throws JournalDamagedError, JournalWriteError
 */
export async function claimRun(selection: RunSelection, confirmed: RunPlan | undefined): Promise<RunClaim> {
  const { root, services, identity } = selection;
  const service = join(services, serviceIdOf(identity.service));
  return lockDirectory(service, selection, async (release) => {
    await makePrivateDirectory(root);
    const { plan, state } = await planRun(selection);
    if (confirmed !== undefined && !isSamePlan(plan, confirmed)) throw runChanged(selection);
    const rows = plan.kind === 'start' ? undefined : await openRunRows(root, plan.run);
    return { selection, plan, state, rows, service, release };
  });
}

/**
 * Opens the run of a claim: a directory of its own below `root` with its rows and one journal, held by one process.
 *
 * @param content what the list sends; undefined if the user named the run
 * @throws UsageError if another process holds the run
 * @throws JournalDamagedError, JournalWriteError
 */
export async function openRun(claim: RunClaim, content: RunContent | undefined, limits: RunLimits): Promise<OpenedRun> {
  const { selection, plan } = claim;
  const id = plan.kind === 'start' ? createRunId() : plan.run.id;
  return lockDirectory(join(selection.root, id), selection, async (release) => {
    const { run, rows } = await openJournal(id, claim, content, limits);
    return { id, plan, run, rows, close: (end, isReported) => run.close(end, isReported).finally(release) };
  });
}

async function openJournal(
  id: string,
  { selection, plan, rows, service }: RunClaim,
  content: RunContent | undefined,
  limits: RunLimits,
): Promise<Pick<OpenedRun, 'run' | 'rows'>> {
  const directory = join(selection.root, id);
  const path = join(directory, 'journal');
  const rowsPath = rowsPathOf(selection.root, id);
  const inFlight = await InFlightFile.read(join(service, 'in-flight'), id);
  if (rows !== undefined) {
    content?.rows.release();
    return { rows, run: await ImportRun.open(path, inFlight, limits) };
  }
  if (plan.kind !== 'start' || content === undefined) throw new Error('a new run has no rows');
  try {
    const stored = await content.rows.store(rowsPath);
    const head = headOf(id, selection, content, { rows: stored, startedAt: startOf(plan.laterThan, limits.clock) });
    return { rows: storedRows(rowsPath), run: await ImportRun.create(path, head, inFlight, limits) };
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the present time, but after the start of the run that this one replaces: the clock may have been set back since. */
function startOf(laterThan: string | undefined, clock: Clock): string {
  const earliestMs = laterThan === undefined ? 0 : Date.parse(laterThan) + 1;
  return new Date(Math.max(clock.now(), earliestMs)).toISOString();
}

function headOf(
  id: string,
  { identity, apiKey, list, path }: RunSelection,
  { rows: { total, invalid }, position, file }: RunContent,
  { rows, startedAt }: Pick<RunRecord, 'rows' | 'startedAt'>,
): RunRecord {
  return {
    t: 'run',
    version: JOURNAL_VERSION,
    id,
    list,
    ...(path !== undefined && { path }),
    digest: identity.digest,
    total,
    ...(invalid.length > 0 && { invalid: encodeRanges(invalid) }),
    service: identity.service,
    keyFingerprint: fingerprintOf(apiKey, id),
    startedAt,
    rows,
    position,
    file,
  };
}

/** Creates a directory, and holds its lock: until `open` fails, or its result is released. */
async function lockDirectory<T>(
  directory: string,
  selection: RunSelection,
  open: (release: () => Promise<void>) => Promise<T>,
): Promise<T> {
  try {
    await makePrivateDirectory(directory);
    const held = await lock(directory, selection);
    return await open(() => held.release()).catch(async (error: unknown) => {
      await held.release();
      throw error;
    });
  } catch (error) {
    throw asOpeningError(selection.root, error);
  }
}

async function lock(directory: string, { list }: RunSelection): Promise<HeldLock> {
  try {
    return await acquireLock(join(directory, 'lock'), list);
  } catch (error) {
    if (error instanceof LockHeldError) throw inUse(error);
    if (error instanceof OrgadmError || systemErrorCode(error) === undefined) throw error;
    throw new UsageError(
      `cannot create a lock in ${directory}: ${describeFsError(error)}`,
      'Nothing was sent. Set ORGADM_STATE_DIR to a writable directory on a local disk.',
      'in-use',
    );
  }
}

function inUse({ holder }: LockHeldError): UsageError {
  const host = holder === undefined || holder.host === hostname() ? '' : ` on ${holder.host}`;
  const name = holder === undefined ? 'another process' : `process ${holder.pid}${host}`;
  const list = holder === undefined || holder.note === '' ? '' : ` (${holder.note})`;
  return new UsageError(
    `${name} is importing into the same service${list}`,
    'Nothing was sent. Wait until it ends, or stop it.',
    'in-use',
  );
}

function runChanged({ list }: RunSelection): UsageError {
  return new UsageError(
    `another process has imported ${list} since you confirmed`,
    'Nothing was sent. Run the command again to see what is left to do.',
    'run-changed',
  );
}

/** Describes file system errors from before anything was sent. */
function asOpeningError(root: string, error: unknown): unknown {
  if (error instanceof JournalWriteError) return new JournalWriteError(error.path, error.cause, 'opening');
  if (error instanceof OrgadmError || systemErrorCode(error) === undefined) return error;
  const { path } = error as { path?: unknown };
  return new JournalWriteError(typeof path === 'string' ? path : root, error, 'opening');
}
