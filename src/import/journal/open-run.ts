import { access } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describeFsError, OrgadmError, systemErrorCode, UsageError } from '../../util/errors.ts';
import { acquireLock, type HeldLock, LockHeldError } from '../../util/file-lock.ts';
import { makePrivateDirectory } from '../../util/files.ts';
import { formatCount } from '../../util/units.ts';
import { ImportRun, type RunLimits, readRun } from './import-run.ts';
import { InFlightFile } from './in-flight.ts';
import { JournalWriteError } from './journal-errors.ts';
import { removeExpiredRuns } from './recorded-runs.ts';
import { type ClosedRecord, JOURNAL_VERSION, type RunRecord } from './records.ts';
import { encodeRanges } from './row-ranges.ts';
import { fingerprintOf, type RunIdentity, runIdOf, serviceIdOf } from './run-identity.ts';

/** `new`: the list must not have an unfinished run. */
export type RunMode = 'new' | 'resume' | 'restart';

export interface RunRequest {
  /** Directory that contains the directories of the runs. */
  root: string;
  /** Directory of the services, with a lock and the requests in flight of each. Independent of `root`. */
  services: string;
  identity: RunIdentity;
  apiKey: string;
  mode: RunMode;
  /** Sends the failed rows of a finished run once more, with `resume`. */
  retryFailed: boolean;
  /** Continues a run although the key has changed: it belongs to the same organization. */
  acceptNewKey: boolean;
  /** Name of the list, for messages. */
  list: string;
  /** Its absolute path; undefined for a list that came from standard input. */
  path: string | undefined;
  total: number;
  /** The rows that are never sent. */
  invalid: readonly number[];
  /** The command that continues the run, for messages. */
  resumeCommand: string;
  /** The data that the command needs to continue the run. */
  command: unknown;
  limits: RunLimits;
}

/** A run of the same list that has ended. */
export interface EarlierRun {
  endedAtMs: number;
  created: number;
  hadOtherKey: boolean;
}

export interface OpenedRun {
  run: ImportRun;
  /** Whether it continues what an earlier process began, or prints its report again. */
  resumed: boolean;
  /** The finished run of the same list that this one replaces. */
  replaced: EarlierRun | undefined;
  /** Number of failed rows of a finished run that are unsent again. */
  reopened: number;
  close(end: Omit<ClosedRecord, 't'>): Promise<void>;
}

/**
 * Opens the run of a list: a directory of its own below `root` with one journal, held by one process. One process at a time
 * imports into a service.
 *
 * @throws UsageError if another process holds the run or imports into the same service, if there is an unfinished run and
 *   neither --resume nor --restart, and if the key of an unfinished run has changed
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
  const { root, services, identity, mode, apiKey, limits } = request;
  const directory = join(root, runIdOf(identity));
  const path = join(directory, 'journal');
  await makePrivateDirectory(directory);
  held.push(await lock(directory, request, 'is already importing this list'));
  const service = join(services, serviceIdOf(identity.service));
  await makePrivateDirectory(service);
  held.push(await lock(service, request, 'is importing into the same service'));
  const inFlight = join(service, 'in-flight.json');
  await removeExpiredRuns(root, limits.clock.now());

  const earlier = mode !== 'restart' && (await exists(path)) ? await readRun(path) : undefined;
  const { unknown = 0, unsent = 0, failed = 0, created = 0 } = earlier?.state.rowStates.counts() ?? {};
  const isUnfinished = unknown + unsent > 0;
  if (isUnfinished && mode === 'new') throw unfinished(unsent, unknown, request);
  const keyBefore = earlier && (earlier.state.facts.keyFingerprint ?? earlier.head.keyFingerprint);
  const fingerprint = earlier && fingerprintOf(apiKey, earlier.head.id);
  const hasOtherKey = keyBefore !== fingerprint;
  const isContinued = isUnfinished || (request.retryFailed && failed > 0);
  if (earlier !== undefined && mode === 'resume' && (isContinued || !hasOtherKey)) {
    if (isContinued && hasOtherKey && !request.acceptNewKey) throw keyChanged();
    const run = await ImportRun.open(path, InFlightFile.read(inFlight, earlier.head.id), limits);
    if (isContinued && hasOtherKey && fingerprint !== undefined) run.acceptKey(fingerprint);
    const reopened = !isUnfinished && request.retryFailed ? run.reopenFailed() : 0;
    return { run, resumed: true, replaced: undefined, reopened };
  }
  const replaced = earlier && { endedAtMs: earlier.state.lastActiveMs, created, hadOtherKey: hasOtherKey };
  const head = headOf(request);
  const run = await ImportRun.create(path, head, InFlightFile.read(inFlight, head.id), limits);
  return { run, resumed: false, replaced, reopened: 0 };
}

function headOf({ identity, apiKey, list, path, total, invalid, command, limits }: RunRequest): RunRecord {
  const id = crypto.randomUUID();
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
    startedAt: new Date(limits.clock.now()).toISOString(),
    command,
  };
}

async function lock(directory: string, { list }: RunRequest, activity: string): Promise<HeldLock> {
  try {
    return await acquireLock(join(directory, 'lock'), list);
  } catch (error) {
    if (error instanceof LockHeldError) throw inUse(error, activity);
    if (error instanceof OrgadmError || systemErrorCode(error) === undefined) throw error;
    throw new UsageError(
      `cannot create a lock in ${directory}: ${describeFsError(error)}`,
      'Nothing was sent. Set ORGADM_STATE_DIR (and --journal, if you use it) to a writable directory on a local disk.',
      'in-use',
    );
  }
}

function inUse({ holder }: LockHeldError, activity: string): UsageError {
  const host = holder === undefined || holder.host === hostname() ? '' : ` on ${holder.host}`;
  const name = holder === undefined ? 'another process' : `process ${holder.pid}${host}`;
  const list = holder === undefined || holder.note === '' ? '' : ` (${holder.note})`;
  return new UsageError(`${name} ${activity}${list}`, 'Nothing was sent. Wait until it ends, or stop it.', 'in-use');
}

function unfinished(unsent: number, unknown: number, { path, resumeCommand }: RunRequest): UsageError {
  const parts = [
    ...(unsent > 0 ? [`${formatCount(unsent)} unsent`] : []),
    ...(unknown > 0 ? [`${formatCount(unknown)} unknown`] : []),
  ];
  const resume = path === undefined ? 'Add --resume to continue it.' : `Continue it with: ${resumeCommand}`;
  return new UsageError(
    `this list has an unfinished run: ${parts.join(', ')}`,
    `To start over, add --restart. ${resume}`,
    'unfinished-run',
  );
}

function keyChanged(): UsageError {
  return new UsageError(
    'the API key has changed since this run started',
    'Nothing was sent. If the new key belongs to the same organization, add --accept-new-key. Otherwise use the old key.',
    'key-changed',
  );
}

/** Characters of an ID in a command: the start of an ID is enough. */
const SHORT_ID = 8;

/** Returns the ID of a run as messages show it. Commands accept the start of an ID. */
export function shortRunId(id: string): string {
  return id.slice(0, SHORT_ID);
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Describes file system errors from before anything was sent. */
function asOpeningError(root: string, error: unknown): unknown {
  if (error instanceof JournalWriteError) return new JournalWriteError(error.path, error.cause, 'opening');
  if (error instanceof OrgadmError || systemErrorCode(error) === undefined) return error;
  return new JournalWriteError(root, error, 'opening');
}
