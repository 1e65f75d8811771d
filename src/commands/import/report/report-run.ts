import type { Redact } from '../../../output/redact.ts';
import { EXIT, OrgadmError, withHint } from '../../../util/errors.ts';
import type { Context } from '../../command-context.ts';
import { runsCommand } from '../describe-run.ts';
import { type WrittenErrors, writeErrorsFile } from './errors-file.ts';
import { noteNextSteps } from './next-steps.ts';
import { printReport, type RunReport } from './print-report.ts';

/**
 * Prints the report of a run, writes the errors file, and prints the next steps.
 *
 * @returns why the errors file could not be written; the report has been printed all the same
 */
export async function reportRun(report: RunReport, context: Context): Promise<OrgadmError | undefined> {
  const { durationText } = report;
  const { output } = context;
  let errors: WrittenErrors | OrgadmError | undefined;
  try {
    await printReport(report, context);
    if (durationText !== undefined && output.format !== 'table') output.note(`took ${durationText}`);
    // A failure is this report's, and not that of the import.
    await output.flush();
  } finally {
    // Also if the report could not be printed.
    errors = await writeErrors(report, output.secrets.redact);
    noteNextSteps(report, errors instanceof OrgadmError ? undefined : errors, context);
  }
  return errors instanceof OrgadmError ? errorsFileFailure(errors, report) : undefined;
}

async function writeErrors(report: RunReport, redact: Redact): Promise<WrittenErrors | OrgadmError | undefined> {
  const { errorsFile } = report.options;
  if (errorsFile === undefined) return undefined;
  try {
    return await writeErrorsFile(errorsFile, report, redact);
  } catch (error) {
    if (error instanceof OrgadmError) return error;
    throw error;
  }
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
