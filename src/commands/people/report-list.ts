import type { Context } from '../../cli/context.ts';
import type { ListCheck, MemberList } from '../../import/list/open-list.ts';
import type { ReportSource } from '../../import/report.ts';
import type { OrgadmError } from '../../util/errors.ts';
import { grouped } from '../../util/format-count.ts';
import type { BulkAddFlags, BulkAddOptions } from './bulk-options.ts';
import { printReport, type ReportOptions } from './print-report.ts';
import { type Mendable, writeRowsToMend } from './rejected-rows.ts';
import { mendedCommand } from './resume-command.ts';

export interface CheckedList {
  /** The list as the user named it. */
  file: string;
  flags: BulkAddFlags;
  options: BulkAddOptions;
  list: MemberList;
  check: ListCheck;
}

/**
 * Reports on a list: the rows that have to be mended into the errors file first, then the report.
 *
 * @returns why the errors file could not be written, where it could not
 */
export async function reportList(
  { flags, options, check }: Pick<CheckedList, 'flags' | 'options' | 'check'>,
  source: ReportSource,
  report: ReportOptions,
  context: Context,
): Promise<OrgadmError | undefined> {
  const { errorsFile } = options;
  let mendable: Mendable | undefined;
  if (errorsFile !== undefined) mendable = await writeRowsToMend(errorsFile, check.layout, source);
  await printReport(source, report, context);
  if (errorsFile === undefined || mendable === undefined) return undefined;
  if ('failure' in mendable) return mendable.failure;
  const { rows } = mendable;
  const told = rows === 0 ? 'no row' : `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'}`;
  context.output.note(`errors file: ${told} to mend`);
  if (rows > 0) context.output.hint(`when mended: ${mendedCommand(errorsFile, flags, context.flags)}`);
  return undefined;
}
