import { join } from 'node:path';
import type { Command } from 'commander';
import { stateDirectory } from '../../config/private-file.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { ROW_STATES } from '../../import/journal/row-states.ts';
import { renderCounts } from '../../import/report.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { style, text } from '../../output/text.ts';
import type { Host } from '../../util/host.ts';
import { countOf, formatLocalTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import { parseRecordedOptions, resumeCommand, shortId, showCommand } from '../people/bulk-options.ts';
import type { RunDescription } from '../schema/import-output.ts';

const HELP = `
States:
  running     a process is working on it
  unfinished  rows are unsent or of unknown outcome: the command continues it
  finished    the command prints its report again
  damaged     its journal cannot be read

Finished runs are removed by the next import once they are 30 days old.

Examples:
  $ orgadm runs list
  $ orgadm runs list --jq '.[] | select(.state == "unfinished") | .command' -r

JSON output: an array of {"id","state","startedAt","lastActiveAt","list","path",
"service","profile","summary","command","error"}; "summary" counts the rows as
that of people bulk-add does.
`;

/** Registers `runs list`. */
export function registerRunsList(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('List the import runs in the journal directory, with the command that continues each.')
    .option(...JOURNAL_OPTION)
    .action((flags: { journal?: string }) => printRuns(flags, context()));
}

async function printRuns({ journal }: { journal?: string }, { output, host }: Context): Promise<void> {
  const { runs: found, skipped } = await listRuns(runsDirectory(journal, host));
  const runs = found.map((run) => describeRun(run, journal));
  const { csv } = listOf(
    runs.map((run) => ({ ...run, ...run.summary })),
    CSV_COLUMNS,
  );
  await printRecords({ ...listOf(runs, []), csv, people: () => runBlocks(runs) }, output);
  if (skipped > 0) output.note(`${countOf(skipped, 'directory', 'directories')} without a journal skipped`);
}

const CSV_COLUMNS = [
  ...(['id', 'state', 'startedAt', 'lastActiveAt', 'list', 'path', 'service', 'profile'] as const),
  ...(['total', ...ROW_STATES, 'duplicates', 'command', 'error'] as const),
];

const STYLES = { running: style.strong, unfinished: style.warn, finished: style.ok, damaged: style.error } as const;

function runBlocks(runs: readonly RunDescription[]): Block[] {
  if (runs.length === 0) return [{ notice: text`there are no runs` }];
  const hasProfiles = runs.some(({ profile }) => profile !== null);
  const columns = [
    { header: 'id', min: 12 },
    { header: 'started', wrap: true },
    'list',
    'service',
    ...(hasProfiles ? [{ header: 'profile', min: 7 }] : []),
    { header: 'state', min: 10 },
    { header: 'rows', min: 13, weight: 2, wrap: true },
  ];
  const rows = runs.map((run) => [
    shortId(run.id),
    run.startedAt === null ? '' : formatLocalTime(Date.parse(run.startedAt)),
    run.list ?? '',
    serviceName(run.service),
    ...(hasProfiles ? [run.profile ?? ''] : []),
    STYLES[run.state](run.state),
    run.summary === null ? '' : renderCounts(run.summary),
  ]);
  return [
    { columns, rows },
    // Below the table, which a path in one of them would widen beyond the terminal.
    ...runs.flatMap(({ id, error }) => (error === null ? [] : [text`${shortId(id)} cannot be read: ${error}`])),
    ...runs.flatMap(({ id, state, command }) =>
      state !== 'unfinished' || command === null ? [] : [text`To continue ${shortId(id)}:\n  ${command}`],
    ),
    ...(runs.some(({ state }) => state === 'finished')
      ? [{ notice: text`The report of a run: orgadm runs show <id>` }]
      : []),
  ];
}

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
