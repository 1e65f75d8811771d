import { type RejectedRow, writeErrorsFile } from '../../import/errors-file.ts';
import type { ListLayout } from '../../import/list/open-list.ts';
import { type ReportSource, reportRows } from '../../import/report.ts';
import { EXIT, OrgadmError } from '../../util/errors.ts';

/** What came of the errors file: the rows in it, or why it could not be written. */
export type ErrorsFileResult = { rows: number } | { failure: OrgadmError };

/**
 * Writes the failed and invalid rows into the errors file, after the run and before its report. A failure is given back,
 * not thrown: what became of the rows is to be told all the same.
 */
export async function writeRejectedRows(
  file: string,
  layout: ListLayout,
  source: ReportSource,
): Promise<ErrorsFileResult> {
  try {
    return { rows: await writeErrorsFile(file, layout, rejectedRows(source)) };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    return { failure: errorsFileFailure(error) };
  }
}

async function* rejectedRows(source: ReportSource): AsyncGenerator<RejectedRow> {
  for await (const { row, listRow } of reportRows(source, (state) => state === 'failed' || state === 'invalid')) {
    if (listRow !== undefined) yield { row: listRow, error: row.error ?? '' };
  }
}

/** By then it is no wrong usage any more. */
function errorsFileFailure({ code, message, cause }: OrgadmError): OrgadmError {
  return new OrgadmError(code, EXIT.failure, message, {
    hint: 'The report tells these rows all the same. The same command with --resume and another --errors-file writes them again.',
    cause,
  });
}
