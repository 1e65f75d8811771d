import type { Context } from '../../cli/context.ts';
import type { ListValidation, MemberList } from '../../import/list/open-list.ts';
import type { ReportSource } from '../../import/report.ts';
import type { OrgadmError } from '../../util/errors.ts';
import { formatCount } from '../../util/format-count.ts';
import type { BulkAddFlags, BulkAddOptions } from './bulk-options.ts';
import { type PrintReportOptions, printReport } from './print-report.ts';
import { type ErrorsFileResult, writeRejectedRows } from './rejected-rows.ts';
import { retryCommand } from './resume-command.ts';

export interface CheckedImport {
  /** The list as the user named it. */
  file: string;
  flags: BulkAddFlags;
  options: BulkAddOptions;
  list: MemberList;
  check: ListValidation;
}

/**
 * Reports on a list: the rows that have to be mended into the errors file first, then the report.
 *
 * @returns why the errors file could not be written, where it could not
 */
export async function reportImport(
  { flags, options, check }: Pick<CheckedImport, 'flags' | 'options' | 'check'>,
  source: ReportSource,
  report: PrintReportOptions,
  context: Context,
): Promise<OrgadmError | undefined> {
  const { errorsFile } = options;
  let errorsFileResult: ErrorsFileResult | undefined;
  if (errorsFile !== undefined) errorsFileResult = await writeRejectedRows(errorsFile, check.layout, source);
  await printReport(source, report, context);
  if (errorsFile === undefined || errorsFileResult === undefined) return undefined;
  if ('failure' in errorsFileResult) return errorsFileResult.failure;
  const { rows } = errorsFileResult;
  const countText = rows === 0 ? 'no row' : `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  context.output.note(`errors file: ${countText} to mend`);
  if (rows > 0) context.output.hint(`when mended: ${retryCommand(errorsFile, flags, context.flags)}`);
  return undefined;
}
