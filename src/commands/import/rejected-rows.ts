import { type RejectedRow, type WrittenErrors, writeErrorsFile } from '../../import/report/errors-file.ts';
import { type ReportSource, reportRows } from '../../import/report/report.ts';
import { text } from '../../output/text.ts';
import { OrgadmError } from '../../util/errors.ts';
import { countOf } from '../../util/units.ts';
import type { Context } from '../command-context.ts';
import type { ListMapping } from './list-mapping.ts';
import { importCommand } from './suggested-commands.ts';

/** The errors file, or why it could not be written; neither without `--errors-file`. */
export interface RejectedRowsResult {
  written?: WrittenErrors;
  failure?: OrgadmError;
}

/**
 * Writes the rows to fix into the errors file, before the report: failed and invalid rows, and those that make the
 * service fail. A failure is returned, not thrown: the outcome of the rows is still reported.
 */
export async function writeRejectedRows(file: string | undefined, source: ReportSource): Promise<RejectedRowsResult> {
  if (file === undefined || source.layout === undefined) return {};
  try {
    return { written: await writeErrorsFile(file, source.layout, rejectedRows(source)) };
  } catch (failure) {
    if (!(failure instanceof OrgadmError)) throw failure;
    return { failure };
  }
}

async function* rejectedRows(source: ReportSource): AsyncGenerator<RejectedRow> {
  const mayBeFixed = (state: string) => state === 'failed' || state === 'invalid' || state === 'unknown';
  for await (const { row, listRow } of reportRows(source, mayBeFixed)) {
    if (row.state === 'unknown' && !source.run.failedAlone.has(row.entry)) continue;
    if (listRow !== undefined) yield { row: listRow, error: row.error ?? '' };
  }
}

/** What the next step after an errors file depends on. */
interface ErrorsFileStep {
  /** The errors file as the user named it. */
  readonly file: string;
  /** How the list is read. Its options about columns apply to the errors file, too. */
  readonly mapping: ListMapping | undefined;
  /** Whether the run may still add rows to the file: then it is too early to import it. */
  readonly isUnfinished: boolean;
}

/** Prints how many rows the errors file has, and the command that imports them. */
export function noteErrorsFile(
  { rows, backup }: WrittenErrors,
  { file, mapping, isUnfinished }: ErrorsFileStep,
  { output, flags }: Context,
): void {
  if (backup !== undefined) output.note(text`kept the earlier ${file} as ${backup}`);
  output.note(rows === 0 ? 'errors file: no rows to fix' : `errors file: ${countOf(rows, 'row')} to fix in ${file}`);
  if (rows === 0 || isUnfinished) return;
  output.note(`After you fix them, run: ${importCommand(file, flags, mapping)}`);
}
