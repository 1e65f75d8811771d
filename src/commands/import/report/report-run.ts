import { EXIT, OrgadmError, withHint } from '../../../util/errors.ts';
import type { Context } from '../../command-context.ts';
import { runsCommand } from '../suggested-commands.ts';
import type { WrittenErrors } from './errors-file.ts';
import { noteNextSteps } from './next-steps.ts';
import { printReport, type RunReport } from './print-report.ts';
import { startReportPass } from './report-pass.ts';

/** What the end of a command needs to know about its report. */
export interface Reported {
  /** Why the errors file could not be written; the report has been printed all the same. */
  readonly failure: OrgadmError | undefined;
  /** Settings and options that would have helped, in sentences. */
  readonly hints: readonly string[];
}

/** Writes the errors file, and prints the report of a run, the advice unless an error has it, and the next steps. */
export async function reportRun(report: RunReport, context: Context): Promise<Reported> {
  const { run, advice, durationText, ending } = report;
  const { output } = context;
  const isInError = ending.kind === 'stopped' && ending.isRejection;
  const pass = startReportPass(report, output);
  let hints: readonly string[] = [];
  let errors: WrittenErrors | OrgadmError | undefined;
  try {
    await printReport(report, pass.fold, context);
    hints = advice?.hints(countSent(run)) ?? [];
    if (!isInError) for (const hint of hints) output.note(hint);
    if (durationText !== undefined && output.format !== 'table') output.note(`took ${durationText}`);
    // A failure is this report's, and not that of the import.
    await output.flush();
  } finally {
    // Also if the report could not be printed.
    errors = await pass.finish();
    const written = errors instanceof OrgadmError ? undefined : errors;
    noteNextSteps(report, { errors: written, hasAdvice: hints.length > 0 && !isInError }, context);
  }
  return { hints, failure: errors instanceof OrgadmError ? errorsFileFailure(errors, report) : undefined };
}

/** Returns the number of rows that the service accepted or rejected. */
function countSent(run: RunReport['run']): number {
  const { unsent, unknown, invalid } = run.counts();
  return run.total - unsent - unknown - invalid;
}

/** Once sending has begun, a failure to write the errors file is no longer invalid usage. */
function errorsFileFailure(error: OrgadmError, { journaled, ending }: RunReport): OrgadmError {
  if (ending.kind === 'checked') return error;
  const again =
    journaled === undefined
      ? 'To write them to another file, run the same command with --errors-file <file>'
      : `Write them to another file: ${runsCommand('show', journaled.id)} --errors-file <file>`;
  return withHint(error, `The report still lists these rows. ${again}`, { exitCode: EXIT.failure });
}
