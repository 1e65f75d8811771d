import type { Command } from 'commander';
import { type OpenedRecord, openRecord, readRun, resolveRunId } from '../../import/journal/recorded-runs.ts';
import { type MemberList, openList } from '../../import/list/open-list.ts';
import { isStopCode, type StopReason } from '../../import/report.ts';
import { text } from '../../output/text.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';
import { formatLocalTime } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';
import { type BulkAddFlags, parseRecordedOptions } from '../people/bulk-options.ts';
import { listOptionsFrom } from '../people/list-mapping.ts';
import { readListMapping } from '../people/mapping-file.ts';
import { printReport } from '../people/print-report.ts';
import { describeRun, JOURNAL_OPTION, runsDirectory, serviceName } from './list.ts';

const HELP = `
<id> may be the first digits of an id. The report is that of people bulk-add. A
journal contains no user ids: they are read from the list, if it is still at its
path and unchanged. Nothing is sent.

Examples:
  $ orgadm runs list
  $ orgadm runs show 3f9a2c0d11ab
  $ orgadm runs show 3f9a2c0d11ab --all-rows -o csv

JSON output: that of people bulk-add. Its "stopped" is {"code","message"} if
the run ended early; the code is "running" if a process is working on it.
`;

interface ShowFlags {
  journal?: string;
  allRows?: boolean;
}

/** Registers `runs show`. */
export function registerRunsShow(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  command
    .description('Print the report of an import run again.')
    .argument('<id>', 'id of the run, or its first digits')
    .option('--all-rows', 'include created rows, with their member ids')
    .option(...JOURNAL_OPTION)
    .action((id: string, flags: ShowFlags) => showRun(id, flags, context()));
}

async function showRun(named: string, { journal, allRows = false }: ShowFlags, context: Context): Promise<void> {
  const { host, output } = context;
  const root = runsDirectory(journal, host);
  const id = await resolveRunId(root, named);
  const run = await readRun(root, id);
  if (run?.record === undefined) {
    throw new OrgadmError('journal-damaged', EXIT.failure, run?.error ?? `the run ${id} has no journal`, {
      hint: `Remove it with: orgadm runs remove ${id}`,
    });
  }
  const { list, service, profile, command } = describeRun(run, journal);
  const target = profile === null ? serviceName(service) : `${serviceName(service)} (profile ${profile})`;
  const started = formatLocalTime(run.record.startedAtMs);
  output.note(text`import of ${list ?? ''} into ${target}, started ${started}: ${run.status}`);

  const opened = await openRecord(root, id);
  const recorded = await openRecordedList(opened, context);
  try {
    await printReport(
      {
        rows: () => recorded?.rows() ?? NO_ROWS,
        rowStates: opened.rowStates,
        messageFor: opened.messageFor,
        memberIdFor: allRows ? opened.memberIdFor : undefined,
      },
      {
        stopped: stopReason(opened, run.status === 'running'),
        metadata: opened.metadata,
        duplicates: opened.duplicates,
        isSandbox: serviceName(service) === 'sandbox',
      },
      context,
    );
  } finally {
    await opened.close();
  }
  if (run.status === 'unfinished' && command !== null) output.note(`to continue: ${command}`);
}

function stopReason({ rowStates, stopped, hasEnded }: OpenedRecord, isRunning: boolean): StopReason | null {
  if (isRunning) return { code: 'running', message: 'a process is working on it' };
  if (stopped !== undefined) {
    const { code, message } = stopped;
    return { code: isStopCode(code) ? code : 'internal', message };
  }
  const { unknown, unsent } = rowStates.counts();
  return hasEnded || unknown + unsent === 0
    ? null
    : { code: 'interrupted', message: 'its process ended before the run was finished' };
}

const NO_ROWS: AsyncIterable<never> = (async function* () {})();

/** Opens the list of a run, as the run read it. If it cannot be read or was changed, a note says so. */
async function openRecordedList({ record }: OpenedRecord, context: Context): Promise<MemberList | undefined> {
  const { host, output } = context;
  const withoutList = (reason: string) =>
    output.note(text`${record.list} ${reason}: rows are shown by their number, without line and user id`);
  const options = parseRecordedOptions(record.options);
  if (record.path === undefined || options === undefined) {
    withoutList('is not a file');
    return undefined;
  }
  try {
    const mapping = await readListMapping(options.flags as BulkAddFlags);
    const list = await openList({ path: record.path, stdin: host.stdin }, listOptionsFrom(mapping));
    const { digest } = await list.validate();
    if (digest === record.digest) return list;
    withoutList('was changed after the run');
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    withoutList(`cannot be read (${error.message})`);
  }
  return undefined;
}
