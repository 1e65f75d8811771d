import { join } from 'node:path';
import { stateDirectory } from '../../config/private-file.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import type { Host } from '../../util/host.ts';
import { parseRecordedOptions, resumeCommand, shortId, showCommand } from '../people/bulk-options.ts';
import type { RunDescription } from '../schema/import-output.ts';

/** The option that all commands on runs have. */
export const JOURNAL_OPTION = [
  '--journal <dir>',
  'directory of the journals (default: in the state directory)',
] as const;

/** Returns the directory of the journals. */
export function runsDirectory(journal: string | undefined, host: Host): string {
  return journal ?? join(stateDirectory(host), 'runs');
}

/** Returns the ids of the runs, each with its list and state, for completion. */
export async function runIdCandidates(
  journal: string | undefined,
  host: Host,
): Promise<{ value: string; description: string }[]> {
  const { runs } = await listRuns(runsDirectory(journal, host));
  return runs.map(({ id, status, record }) => ({
    value: shortId(id),
    description: record === undefined ? status : `${record.list}, ${status}`,
  }));
}

/** @param journal the value of `--journal`, for the command of a finished run */
export function describeRun({ id, status, record, error }: RecordedRun, journal: string | undefined): RunDescription {
  return {
    id,
    state: status,
    startedAt: toIso(record?.startedAtMs),
    lastActiveAt: toIso(record?.lastActiveMs),
    list: record?.list ?? null,
    path: record?.path ?? null,
    service: record?.service ?? null,
    profile: record?.profile ?? null,
    summary: record === undefined ? null : { total: record.total, ...record.counts, duplicates: record.duplicates },
    command:
      status === 'finished' ? showCommand(id, journal) : status === 'unfinished' ? continueCommand(record) : null,
    error: error ?? null,
  };
}

/** Returns null for a time that a damaged run does not have, or that is not valid. */
function toIso(ms = Number.NaN): string | null {
  return Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms).toISOString();
}

/** Returns the command that continues a run; null if its journal does not say how it was started. */
function continueCommand(record: RecordedRun['record']): string | null {
  const options = parseRecordedOptions(record?.options);
  try {
    return options === undefined ? null : resumeCommand(options.file, options.flags, options.global);
  } catch {
    // An option of another type than orgadm writes.
    return null;
  }
}

/** Returns the service for people: the sandbox is recorded by the path of its state. */
export function serviceName(service: string | null): string {
  return service === null || /^https?:/i.test(service) ? (service ?? '') : 'sandbox';
}
