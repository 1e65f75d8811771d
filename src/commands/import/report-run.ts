import type { RowState } from '../../import/journal/row-states.ts';
import type { ReportSource, StopReason } from '../../import/report/report.ts';
import { EXIT, type OrgadmError, withHint } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import type { Advice } from './advice.ts';
import type { DescribedMapping } from './mapping-in-effect.ts';
import { type EndedRun, noteNextSteps } from './next-steps.ts';
import { type JournaledRun, printReport } from './print-report.ts';
import { type RejectedRowsResult, startReportPass } from './report-pass.ts';
import { runsCommand } from './suggested-commands.ts';

/** A run to report on: one that this command has sent, or one from the journal. */
export interface RunReport extends EndedRun, ReportSource {
  /** Why the run ended early; null if it did not. */
  stopped: StopReason | null;
  /** Whether the command ends with an error that says why, so that the report need not. */
  endsInError?: boolean;
  /** The mapping in effect, for JSON; undefined if orgadm can no longer read the list. */
  described?: DescribedMapping;
  isSandbox: boolean;
  /** Undefined if it leaves nothing behind in the journal. */
  journaled: JournaledRun | undefined;
  /** The message on every row that was sent, which an error quotes. */
  quotedMessage?: string | undefined;
  /** Finds settings that would have helped. */
  advice?: Advice;
  /** Whether the error at the end of the command has the hints of the advice. */
  hintsInError?: boolean;
  /** Rows that have been printed already, as soon as they were final. */
  isPrinted?: (state: RowState) => boolean;
  /** How long the run took; undefined if that is not worth mentioning. */
  durationText?: string | undefined;
}

/**
 * Writes the errors file, and prints the report of a run and the next steps.
 *
 * @returns why the errors file could not be written; the report has been printed all the same
 */
export async function reportRun(report: RunReport, context: Context): Promise<OrgadmError | undefined> {
  const { run, id, options, advice, durationText } = report;
  const { errorsFile, annotate, ignoreExisting } = options;
  const { output } = context;
  const annotatedList = annotate ? report.list : undefined;
  const consumers = { errorsFile, annotatedList, advice, ignoreExisting, listsUnsent: true };
  const pass = startReportPass(report, consumers, output);
  let hints: readonly string[] = [];
  let errors: RejectedRowsResult = {};
  try {
    const listAll = report.list.path !== undefined ? `${runsCommand('show', id)} -o csv` : '-o csv';
    await printReport(report, pass.fold, { ...report, mapping: report.described, listAll, ignoreExisting }, context);
    if (!report.hintsInError) hints = advice?.hints(countSent(run)) ?? [];
    for (const hint of hints) output.note(hint);
    if (durationText !== undefined && output.format !== 'table' && output.format !== 'markdown')
      output.note(`took ${durationText}`);
    // A failure is this report's, and not that of the import.
    await output.flush();
  } finally {
    // Also if the report could not be printed.
    errors = await pass.finish();
    noteNextSteps(report, { errors: errors.written, hasAdvice: hints.length > 0 }, context);
  }
  return errors.failure && errorsFileFailure(errors.failure, report);
}

/** Returns the number of rows that the service accepted or rejected. */
export function countSent({ rowStates }: RunReport['run']): number {
  const { unsent, unknown, invalid } = rowStates.counts();
  return rowStates.total - unsent - unknown - invalid;
}

/** Once sending has begun, a failure to write the errors file is no longer invalid usage. */
function errorsFileFailure(error: OrgadmError, { id, list }: RunReport): OrgadmError {
  const again =
    list.path === undefined
      ? 'To write them to another file, run the same command with --errors-file <file>'
      : `Write them to another file: ${runsCommand('show', id)} --errors-file <file>`;
  return withHint(error, `The report still lists these rows. ${again}`, { exitCode: EXIT.failure });
}
