import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describeFsError, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';
import { acquireLock, type HeldLock, LockHeldError } from '../../util/file-lock.ts';
import { makePrivateDirectory } from '../../util/files.ts';
import type { Clock } from '../../util/host.ts';
import { ImportRun, type RunLimits } from './import-run.ts';
import { InFlightFile } from './in-flight.ts';
import { JournalWriteError } from './journal-errors.ts';
import { planRun, type RunPlan, type RunSelection } from './plan-run.ts';
import { type ClosedRecord, JOURNAL_VERSION, type RunRecord } from './records.ts';
import { encodeRanges } from './row-ranges.ts';
import { createRunId, fingerprintOf, serviceIdOf } from './run-identity.ts';

export interface RunRequest extends RunSelection {
  /** Directory of the services, with a lock and the requests in flight of each. Independent of `root`. */
  services: string;
  /** Name of the list, for messages. */
  list: string;
  total: number;
  /** The rows that are never sent. */
  invalid: readonly number[];
  /** The data that the command needs to continue the run. */
  command: unknown;
  limits: RunLimits;
  /** What the user has confirmed: orgadm does nothing else. */
  confirmed: RunPlan | undefined;
}

export interface OpenedRun {
  id: string;
  run: ImportRun;
  plan: RunPlan;
  close(end: Omit<ClosedRecord, 't'>): Promise<void>;
}

/**
 * Opens the run of a list: a directory of its own below `root` with one journal, held by one process. One process at a time
 * imports into a service.
 *
 * @throws UsageError if another process imports into the same service, if a run belongs to another key, and if the run is no
 *   longer as the user has confirmed it
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
  const { root, services, identity, limits, confirmed } = request;
  const service = join(services, serviceIdOf(identity.service));
  await makePrivateDirectory(service);
  held.push(await lock(service, request));
  await makePrivateDirectory(root);

  const plan = await planRun(request);
  if (confirmed !== undefined && JSON.stringify(plan) !== JSON.stringify(confirmed)) throw runChanged(request);
  const id = plan.kind === 'start' ? createRunId() : plan.run.id;
  const directory = join(root, id);
  await makePrivateDirectory(directory);
  held.push(await lock(directory, request));
  const path = join(directory, 'journal');
  const inFlight = await InFlightFile.read(join(service, 'in-flight'), id);
  if (plan.kind === 'start') {
    try {
      const head = headOf(id, request, startOf(plan.laterThan, limits.clock));
      return { id, plan, run: await ImportRun.create(path, head, inFlight, limits) };
    } catch (error) {
      await rm(directory, { recursive: true, force: true });
      throw error;
    }
  }
  return { id, plan, run: await ImportRun.open(path, inFlight, limits) };
}

/** Returns the present time, but after the start of the run that this one replaces: the clock may have been set back since. */
function startOf(laterThan: string | undefined, clock: Clock): string {
  const earliestMs = laterThan === undefined ? 0 : Date.parse(laterThan) + 1;
  return new Date(Math.max(clock.now(), earliestMs)).toISOString();
}

function headOf(id: string, request: RunRequest, startedAt: string): RunRecord {
  const { identity, apiKey, list, path, total, invalid, command } = request;
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
    command,
  };
}

async function lock(directory: string, { list }: RunRequest): Promise<HeldLock> {
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

function runChanged({ list }: RunRequest): UsageError {
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
