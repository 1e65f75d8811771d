import type { Command } from 'commander';
import { checkErrorsPath } from '../../import/errors-file.ts';
import { shortRunId } from '../../import/journal/open-run.ts';
import {
  type RecordedRun,
  type RunDetails,
  readRecordedRun,
  resolveRunId,
} from '../../import/journal/recorded-runs.ts';
import { type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import { isStopCode, type StopReason } from '../../import/report.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError, UsageError } from '../../util/errors.ts';
import { formatTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import { listDigest, listOptionsFrom } from '../people/list-mapping.ts';
import { noteErrorsFile, writeRejectedRows } from '../people/next-steps.ts';
import { printReport } from '../people/print-report.ts';
import { parseRecordedCommand } from '../people/recorded-command.ts';
import { runDigest, runsDirectory } from '../people/run-import.ts';
import { describeRun, JOURNAL_OPTION, serviceName } from './list.ts';

const HELP = `
<id> can be the first digits of an ID. orgadm prints the same report as people
bulk-add, and sends nothing. A journal contains no user IDs, so orgadm reads them
from the list, if the list is still at its path and unchanged.

Examples:
  $ orgadm runs list
  $ orgadm runs show 3f9a2c0d
  $ orgadm runs show 3f9a2c0d --errors-file rejected.csv
  $ orgadm runs show 3f9a2c0d --all-rows -o csv

JSON output: the same as for people bulk-add. "stopped" is {"code","message"} if
the run ended early. The code is "running" if a process is working on the run.
`;

interface ShowFlags {
  journal?: string;
  allRows?: boolean;
  errorsFile?: string;
}

/** Registers `runs show`. */
export function registerRunsShow(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Print the report of an import run again.')
    .argument('<id>', 'ID of the run, or its first digits')
    .option('--errors-file <file>', 'write the failed and invalid rows to this file, to fix and import again')
    .option('--all-rows', 'include created rows, with their member IDs')
    .option(...JOURNAL_OPTION)
    .action((id: string, flags: ShowFlags) => showRun(id, flags, context()));
}

async function showRun(named: string, flags: ShowFlags, context: Context): Promise<void> {
  const { output } = context;
  const { journal, allRows = false, errorsFile } = flags;
  const root = runsDirectory(journal, context);
  const run = await readDetails(root, await resolveRunId(root, named), allRows);
  const { details, status } = run;
  const { service, profile, command } = describeRun(run, journal);
  const target = profile === null ? serviceName(service) : `${serviceName(service)} (profile ${profile})`;
  const started = formatTime(details.startedAtMs);
  output.note(text`import of ${details.list} into ${target}, started ${started} UTC: ${status}`);

  const recorded = await openRecordedList(details, context);
  const { state } = details;
  const source = {
    rows: () => recorded?.list.rows() ?? NO_ROWS,
    rowStates: state.rowStates,
    messageFor: (entry: number) => state.messageFor(entry),
    memberIdFor: allRows ? (entry: number) => state.memberIdFor(entry) : undefined,
  };
  const written = await writeErrors(errorsFile, recorded, source, run);
  const facts = { stopped: stopReason(details, status), facts: state.facts, duplicates: state.duplicates };
  await printReport(source, { ...facts, isSandbox: serviceName(service) === 'sandbox' }, context);
  if (written !== undefined) noteErrorsFile(written, errorsFile ?? '', status !== 'finished', context);
  if (status === 'unfinished' && command !== null) output.note(`to continue: ${command}`);
}

/** @throws OrgadmError for a run that cannot be read */
async function readDetails(root: string, id: string, allRows: boolean): Promise<RecordedRun & { details: RunDetails }> {
  const run = await readRecordedRun(root, id, allRows);
  if (run?.details !== undefined) return { ...run, details: run.details };
  throw new OrgadmError('journal-damaged', EXIT.failure, run?.error ?? `run ${shortRunId(id)} has no journal`, {
    hint: `Remove it with: orgadm runs remove ${shortRunId(id)}`,
  });
}

/** Returns the number of rows in the errors file; undefined without `--errors-file`. */
async function writeErrors(
  errorsFile: string | undefined,
  recorded: RecordedList | undefined,
  source: Parameters<typeof writeRejectedRows>[1],
  { details: { list, state } }: { details: RunDetails },
): Promise<number | undefined> {
  if (errorsFile === undefined) return undefined;
  if (recorded === undefined) {
    const hint = `Restore ${list} as it was. The errors file needs its columns.`;
    throw new UsageError(`--errors-file: cannot read the list of this run anymore`, hint);
  }
  await checkErrorsPath(errorsFile, recorded.list);
  const result = await writeRejectedRows({ options: { errorsFile }, check: recorded.check }, source, state.failedAlone);
  if (result !== undefined && 'failure' in result) throw result.failure;
  return result?.rows;
}

function stopReason({ counts, closed }: RunDetails, status: RecordedRun['status']): StopReason | null {
  if (status === 'running') return { code: 'running', message: 'a process is working on it' };
  if (closed?.stopped !== undefined) {
    const { code, message } = closed.stopped;
    return { code: isStopCode(code) ? code : 'internal', message };
  }
  return closed !== undefined || counts.unknown + counts.unsent === 0
    ? null
    : { code: 'interrupted', message: 'its process ended before the run did' };
}

const NO_ROWS: AsyncIterable<never> = (async function* () {})();

interface RecordedList {
  list: MemberList;
  check: ListValidation;
}

/** Opens the list of a run with the options of the run. Prints a note if the list has changed or is unreadable. */
async function openRecordedList(details: RunDetails, { host, output }: Context): Promise<RecordedList | undefined> {
  const withoutList = (reason: string) =>
    output.note(text`${details.list} ${reason}, so the report shows row numbers instead of lines and user IDs`);
  const command = parseRecordedCommand(details.command);
  if (details.path === undefined || command === undefined) {
    withoutList('is not a file');
    return undefined;
  }
  try {
    const now = host.clock.now();
    const list = await openList({ path: details.path, stdin: host.stdin }, listOptionsFrom(command.mapping), now);
    const check = await list.validate();
    const digest = listDigest(check.digest, command.mapping, command.labelName);
    if (runDigest(digest, command.invalid) === details.digest) return { list, check };
    withoutList('has changed since the run');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    withoutList(`cannot be read (${error.message})`);
  }
  return undefined;
}
