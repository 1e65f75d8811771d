import { statSync } from 'node:fs';
import { stateSubdirectory } from '../../config/directories.ts';
import {
  type RecordedRun,
  type RunDetails,
  readRecordedRun,
  resolveRunId,
} from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import type { RunState } from '../../import/journal/run-state.ts';
import { UsageError } from '../../util/errors.ts';
import { digestOfFile } from '../../util/files.ts';
import { type Context, SANDBOX_TARGET } from '../command-context.ts';
import { runsCommand } from '../import/describe-run.ts';
import type { ImportCounts } from '../import/report/document.ts';

/** A run as `runs list` prints it. Fields are null in a damaged run, and if the run did not record them. */
export interface RunDescription {
  id: string;
  /**
   * - `running`: a process is working on it
   * - `superseded`: unfinished, but a later run has sent the list
   * - `damaged`: orgadm cannot read its journal
   */
  state: 'running' | 'unfinished' | 'superseded' | 'finished' | 'damaged';
  startedAt: string | null;
  /** When orgadm last sent something, or ended the run. */
  lastActiveAt: string | null;
  /** The list as the command named it. */
  list: string | null;
  /** Absolute path of the list; null if it is not a file. */
  path: string | null;
  /** Base URL; for the sandbox, the path of its state. */
  service: string | null;
  summary: ImportCounts | null;
  /** Continues an unfinished run, or prints the report of a finished one. */
  command: string | null;
  /** Why a run is damaged. */
  error: string | null;
}

/** Returns the directory that contains the directories of the runs. */
export function runsDirectory({ host }: Pick<Context, 'host'>): string {
  return stateSubdirectory(host, 'runs');
}

/** A run whose journal orgadm can read. */
export interface ReadableRun extends RecordedRun {
  details: RunDetails;
  state: RunState;
}

/**
 * Reads the run that a user has named.
 *
 * @param keepsMemberIds whether its state is to have the IDs of created members
 * @throws OrgadmError if no run has this ID, or if orgadm cannot read its journal
 */
export async function readNamedRun(root: string, named: string, keepsMemberIds = false): Promise<ReadableRun> {
  const id = await resolveRunId(root, named);
  const run = await readRecordedRun(root, id, keepsMemberIds);
  if (run?.details === undefined || run.state === undefined)
    throw damagedRun(run?.error ?? `run ${shortRunId(id)} has no journal`);
  return { ...run, details: run.details, state: run.state };
}

/** Returns the error for a run whose journal orgadm cannot use. Exit code 2. */
function damagedRun(reason: string): UsageError {
  const hint = 'Nothing was sent. To import the list again, run the command that started the run, with --restart.';
  return new UsageError(reason, hint, 'journal-damaged');
}

/** Whether the file at the path of the list has other content than when the run started. A file that is gone has none. */
export async function hasListChanged({ path, file }: RunDetails): Promise<boolean> {
  if (path === undefined || !statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  return (await digestOfFile(path)) !== file;
}

/** Describes a run as `runs list` prints it. */
export function describeRun(run: RecordedRun): RunDescription {
  const { id, status, details, error } = run;
  return {
    id,
    state: status,
    startedAt: toIso(details?.startedAtMs),
    lastActiveAt: toIso(details?.lastActiveMs),
    list: details?.list ?? null,
    path: details?.path ?? null,
    service: details?.service ?? null,
    summary: details === undefined ? null : { total: details.total, ...details.counts },
    command: commandFor(run),
    error: error ?? null,
  };
}

/** Returns null for a time that a damaged run does not have, or that is not valid. */
function toIso(ms = Number.NaN): string | null {
  return Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms).toISOString();
}

/** Returns the command that continues a run or prints its report; null if there is none. */
function commandFor({ id, status }: RecordedRun): string | null {
  if (status === 'finished' || status === 'superseded') return runsCommand('show', id);
  return status === 'unfinished' ? runsCommand('resume', id) : null;
}

/** Whether a recorded service is the sandbox, which is recorded by the path of its state. */
export function isSandboxService(service: string | null): boolean {
  return service !== null && !/^https?:/i.test(service);
}

/** Names a recorded service in a sentence. */
export function serviceName(service: string): string {
  return isSandboxService(service) ? SANDBOX_TARGET : service;
}
