import { stateSubdirectory } from '../../config/directories.ts';
import { isUnfinished, type RunDetails, type RunStatus } from '../../import/journal/recorded-runs.ts';
import { shortRunId } from '../../import/journal/run-identity.ts';
import type { MemberList, Validation } from '../../import/list/open-list.ts';
import { text } from '../../output/text.ts';
import { UsageError } from '../../util/errors.ts';
import { formatTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { identifierParser } from '../identifier.ts';
import { filesInUse, openListFile, validateList } from '../import/checked-list.ts';
import { runDigest } from '../import/mapping/mapping-identity.ts';
import { describeMapping } from '../import/mapping/mapping-in-effect.ts';
import type { StopReason } from '../import/report/document.ts';
import { checkErrorsPath } from '../import/report/errors-file.ts';
import { reportRun } from '../import/report/report-run.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';
import {
  canReadList,
  flagsOfRun,
  isSandboxService,
  type ReadableRun,
  readNamedRun,
  serviceName,
} from './recorded-run.ts';

const HELP: HelpText = {
  examples: [
    'orgadm runs list',
    'orgadm runs show 3f9a2c0d',
    'orgadm runs show 3f9a2c0d --errors-file rejected.csv',
    'orgadm runs show 3f9a2c0d --all-rows -o csv',
  ],
  notes: [
    'orgadm prints the same report as people bulk-add, and sends nothing. ' +
      'A journal contains no user IDs, so orgadm reads them from the list, if the list is still at its path and ' +
      'unchanged.',
    'JSON output: the report of people bulk-add.',
  ],
};

interface ShowFlags {
  allRows?: boolean;
  errorsFile?: string;
}

/** Registers `runs show`. */
export default function registerRunsShow(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  command
    .argument('<id>', 'ID of the run, or its first characters', identifierParser('the run ID'))
    .option('--errors-file <file>', 'save the rows to fix: failed or invalid ones, and any that make the service fail')
    .option('--all-rows', 'list every row: created ones with their member IDs, and existing ones')
    .action((id: string, flags: ShowFlags) => showRun(id, flags, context()));
}

async function showRun(named: string, flags: ShowFlags, context: Context): Promise<void> {
  const { allRows = false, errorsFile } = flags;
  const recorded = await readNamedRun(stateSubdirectory(context.host, 'runs'), named, allRows);
  const { id, details, state, status, command } = recorded;
  const service = serviceName(details.service);
  const target = command?.profile === undefined ? service : `${service} (profile ${command.profile})`;
  const started = formatTime(details.startedAtMs);
  context.output.note(text`Run ${shortRunId(id)}: ${details.list} into ${target}, started ${started} UTC, ${status}`);
  // The next steps name the service of the run.
  context.override(flagsOfRun(details, command, context.flags));

  const opened = await openRecordedList(recorded, context);
  if (errorsFile !== undefined) {
    if (opened === undefined) throw unreadableList(details);
    await checkErrorsPath(errorsFile, opened.list, filesInUse(context));
  }
  // A command that reads the list from a pipe may still have it.
  const canContinue = status === 'unfinished' && (opened !== undefined || !canReadList(details));
  const { failure } = await reportRun(
    {
      id: canReadList(details) ? id : undefined,
      run: state,
      rows: () => opened?.list.rows() ?? NO_ROWS,
      allRows,
      list: { name: details.list, path: details.path },
      layout: opened?.check.layout,
      mapping: command?.mapping,
      ...(opened !== undefined && { described: describeMapping(opened) }),
      ending: { kind: 'recorded', stopped: recordedStop(details, status), canContinue },
      journaled: { id, continued: true },
      isSandbox: isSandboxService(details.service),
      options: { errorsFile, ignoreExisting: command?.ignoreExisting, requestLifetime: command?.requestLifetime },
    },
    context,
  );
  if (failure !== undefined) throw failure;
}

function unreadableList({ list, path }: RunDetails): UsageError {
  const hint =
    path === undefined
      ? 'Pipe the same list into the command that started the run, with --errors-file.'
      : `Restore ${list} as it was. The errors file needs its columns.`;
  return new UsageError('--errors-file: cannot read the list of this run anymore', hint);
}

function recordedStop(details: RunDetails, status: RunStatus): StopReason | null {
  if (status === 'running') return { code: 'running', message: 'a process is working on it' };
  if (details.closed !== undefined) return details.closed.stopped ?? null;
  return isUnfinished(details) ? { code: 'interrupted', message: 'its process ended before the run did' } : null;
}

const NO_ROWS: AsyncIterable<never> = (async function* () {})();

/** Opens the list of a run with the options of the run. Prints a note if the list has changed or is unreadable. */
async function openRecordedList(
  { details, command, status }: ReadableRun,
  context: Context,
): Promise<{ list: MemberList; check: Validation } | undefined> {
  const toContinue = status === 'unfinished' && canReadList(details) ? '. To continue the run, restore the list' : '';
  const withoutList = (reason: string) =>
    context.output.note(
      text`${details.list} ${reason}, so the report shows row numbers instead of lines and user IDs${toContinue}`,
    );
  if (details.path === undefined || command === undefined) {
    withoutList(details.path === undefined ? 'is not a file' : 'was read with options that the journal does not have');
    return undefined;
  }
  try {
    const list = await openListFile(details.path, command.mapping, context);
    if (runDigest(list.digest, command) === details.digest) return { list, check: await validateList(list, context) };
    withoutList('has changed since the run');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    withoutList(`cannot be read (${error.message})`);
  }
  return undefined;
}
