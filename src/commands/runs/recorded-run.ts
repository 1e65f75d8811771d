import type { GlobalFlags } from '../../config/setting-sources.ts';
import {
  type RecordedRun,
  type RunDetails,
  readRecordedRun,
  resolveRunId,
} from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import type { RunState } from '../../import/journal/run-state.ts';
import { UsageError } from '../../util/errors.ts';
import { SANDBOX_TARGET } from '../command-context.ts';
import { parseRecordedCommand, type RecordedCommand } from '../import/recorded-command.ts';
import type { ImportCounts } from '../import/report/document.ts';
import { runsCommand } from '../import/suggested-commands.ts';

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
  profile: string | null;
  summary: ImportCounts | null;
  /** Continues an unfinished run, or prints the report of a finished one. */
  command: string | null;
  /** Why a run is damaged. */
  error: string | null;
}

/** A run whose journal orgadm can read. */
export interface ReadableRun extends RecordedRun {
  details: RunDetails;
  state: RunState;
  /** The command that started it; undefined if the journal does not have it. */
  command: RecordedCommand | undefined;
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
  return { ...run, details: run.details, state: run.state, command: parseRecordedCommand(run.details.command) };
}

/** Returns the error for a run whose journal orgadm cannot use. Exit code 2. */
function damagedRun(reason: string): UsageError {
  const hint = 'Nothing was sent. To import the list again, run the command that started the run, with --restart.';
  return new UsageError(reason, hint, 'journal-damaged');
}

/** Returns the global options that reach the service of a run. Those of this command line win. */
export function flagsOfRun(
  { service }: RunDetails,
  { profile, hasProfileUrl, global = {} }: Partial<RecordedCommand> = {},
  flags: GlobalFlags,
): GlobalFlags {
  const target: GlobalFlags = isSandboxService(service)
    ? { sandbox: true }
    : {
        ...(profile !== undefined && { profile, isProfileRecorded: flags.profile === undefined }),
        ...(!hasProfileUrl && { baseUrl: service }),
      };
  return { ...withoutUndefined(global), ...target, ...withoutUndefined(flags) };
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
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
    profile: parseRecordedCommand(details?.command)?.profile ?? null,
    summary: details === undefined ? null : { total: details.total, ...details.counts, duplicates: details.duplicates },
    command: commandFor(run),
    error: error ?? null,
  };
}

/** Returns null for a time that a damaged run does not have, or that is not valid. */
function toIso(ms = Number.NaN): string | null {
  return Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms).toISOString();
}

/** Returns the command that continues a run or prints its report; null if there is none. */
function commandFor({ id, status, details }: RecordedRun): string | null {
  if (status === 'finished' || status === 'superseded') return runsCommand('show', id);
  return status === 'unfinished' && details !== undefined && canReadList(details) ? runsCommand('resume', id) : null;
}

/** Whether orgadm can read the list of a run again: it is a file, and the journal has the command that started the run. */
export function canReadList({ path, command }: RunDetails): boolean {
  return path !== undefined && parseRecordedCommand(command) !== undefined;
}

/** Whether a recorded service is the sandbox, which is recorded by the path of its state. */
export function isSandboxService(service: string | null): boolean {
  return service !== null && !/^https?:/i.test(service);
}

/** Names a recorded service in a sentence. */
export function serviceName(service: string): string {
  return isSandboxService(service) ? SANDBOX_TARGET : service;
}
