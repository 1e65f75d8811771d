import { basename } from 'node:path';
import type { Command } from 'commander';
import { shortRunId } from '../../import/journal/open-run.ts';
import { listRuns, type RecordedRun } from '../../import/journal/recorded-runs.ts';
import { ROW_STATES } from '../../import/journal/row-states.ts';
import { renderCounts } from '../../import/report.ts';
import type { Block } from '../../output/blocks.ts';
import { listOf, printRecords } from '../../output/print-records.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { style, text } from '../../output/text.ts';
import { countOf, formatTime, renderAge } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import type { RunDescription } from '../people/import-output.ts';
import { parseRecordedCommand } from '../people/recorded-command.ts';
import { runsDirectory } from '../people/run-import.ts';

const HELP = `
States:
  running     a process is working on it
  unfinished  rows are unsent or unknown; the command continues it
  finished    the command prints its report again
  damaged     orgadm cannot read its journal

The next import removes finished runs that are 30 days old.

Examples:
  $ orgadm runs list
  $ orgadm runs list --jq '.[] | select(.state == "unfinished") | .command' -r

JSON output: an array of {"id","state","startedAt","lastActiveAt","list","path",
"service","profile","summary","command","error"}. "summary" has the same counts as
in people bulk-add.
`;

/** Registers `runs list`. */
export function registerRunsList(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('List the import runs in the journal directory and the commands that continue them.')
    .option(...JOURNAL_OPTION)
    .action((flags: { journal?: string }) => printRuns(flags, context()));
}

async function printRuns({ journal }: { journal?: string }, context: Context): Promise<void> {
  const { output, host } = context;
  const { runs: found, skipped } = await listRuns(runsDirectory(journal, context));
  const runs = found.map((run) => describeRun(run, journal));
  const { csv } = listOf(
    runs.map((run) => ({ ...run, ...run.summary })),
    CSV_COLUMNS,
  );
  const nowMs = output.isTerminal ? host.clock.now() : undefined;
  await printRecords({ ...listOf(runs, []), csv, people: () => runBlocks(runs, nowMs) }, output);
  if (skipped > 0) output.note(`skipped ${countOf(skipped, 'directory', 'directories')} without a journal`);
}

const CSV_COLUMNS = [
  ...(['id', 'state', 'startedAt', 'lastActiveAt', 'list', 'path', 'service', 'profile'] as const),
  ...(['total', ...ROW_STATES, 'duplicates', 'command', 'error'] as const),
];

const STYLES = { running: style.strong, unfinished: style.warn, finished: style.ok, damaged: style.error } as const;

/** @param nowMs the present, for ages; undefined to print times, which stay true when they are read later */
function runBlocks(runs: readonly RunDescription[], nowMs: number | undefined): Block[] {
  if (runs.length === 0) return [{ notice: text`no runs` }];
  const readable = runs.filter(({ state }) => state !== 'damaged');
  const hasProfiles = new Set(readable.map(({ profile }) => profile)).size > 1;
  const timeOf = (iso: string | null) => {
    if (iso === null) return '';
    return nowMs === undefined ? formatTime(Date.parse(iso)) : renderAge(nowMs - Date.parse(iso));
  };
  const columns = [
    { header: 'id', min: 8 },
    { header: nowMs === undefined ? 'started (UTC)' : 'started', min: 16 },
    'list',
    'service',
    ...(hasProfiles ? [{ header: 'profile', min: 7 }] : []),
    { header: 'state', min: 10 },
    { header: 'rows', min: 13, weight: 2, wrap: true },
  ];
  const rows = runs.map((run) => [
    shortRunId(run.id),
    timeOf(run.startedAt),
    run.list === null ? '' : basename(run.list),
    serviceName(run.service),
    ...(hasProfiles ? [run.profile ?? ''] : []),
    STYLES[run.state](run.state),
    run.summary === null ? '' : renderCounts(run.summary),
  ]);
  return [
    { columns, rows },
    // Below the table, which a path in one of them would widen beyond the terminal.
    ...runs.flatMap(({ id, error }) => (error === null ? [] : [text`cannot read run ${shortRunId(id)}: ${error}`])),
    ...runs.flatMap(({ state, command }) =>
      state !== 'unfinished' || command === null ? [] : [text`To continue: ${command}`],
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

/** Returns the IDs of the runs, each with its list and state, for completion. */
export async function runIdCandidates(
  journal: string | undefined,
  context: Pick<Context, 'host'>,
): Promise<{ value: string; description: string }[]> {
  const { runs } = await listRuns(runsDirectory(journal, context));
  return runs.map(({ id, status, details }) => ({
    value: shortRunId(id),
    description: details === undefined ? status : `${details.list}, ${status}`,
  }));
}

/** @param journal the value of `--journal`, for the command */
export function describeRun({ id, status, details, error }: RecordedRun, journal: string | undefined): RunDescription {
  return {
    id,
    state: status,
    startedAt: toIso(details?.startedAtMs),
    lastActiveAt: toIso(details?.state.lastActiveMs),
    list: details?.list ?? null,
    path: details?.path ?? null,
    service: details?.service ?? null,
    profile: parseRecordedCommand(details?.command)?.profile ?? null,
    summary:
      details === undefined
        ? null
        : { total: details.total, ...details.counts, duplicates: details.state.duplicates.length },
    command: commandFor(id, status, details, journal),
    error: error ?? null,
  };
}

/** Returns null for a time that a damaged run does not have, or that is not valid. */
function toIso(ms = Number.NaN): string | null {
  return Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms).toISOString();
}

/** Returns the command that continues a run or prints its report; null if there is none. */
function commandFor(
  id: string,
  status: RecordedRun['status'],
  details: RecordedRun['details'],
  journal: string | undefined,
): string | null {
  // A list from standard input has to be piped in again.
  const verb =
    status === 'finished' ? 'show' : status === 'unfinished' && details?.path !== undefined ? 'resume' : null;
  if (verb === null) return null;
  const more = journal === undefined ? '' : ` --journal ${quoteForShell(journal)}`;
  return `orgadm runs ${verb} ${shortRunId(id)}${more}`;
}

/** Returns the service for people: the sandbox is recorded by the path of its state. */
export function serviceName(service: string | null): string {
  return service === null || /^https?:/i.test(service) ? (service ?? '') : 'sandbox';
}
