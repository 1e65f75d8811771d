import { PLACEHOLDERS } from '../../import/list/columns/placeholders.ts';
import { SheetsError } from '../../import/list/source/text.ts';
import type { Mapping } from '../../import/mapping.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { type CheckedImport, checkImport } from '../import/checked-list.ts';
import type { BulkAddOptions, ImportOptions } from '../import/import-options.ts';
import { type GivenMapping, rejectNewFields, rejectShiftedColumns } from '../import/mapping/mapping-file.ts';
import { completedCommand } from '../typed-command.ts';
import { missingOptionsError } from './missing-options.ts';

/**
 * Reads a list, and validates every row of it. Throws UsageError with the missing options if they leave something open, and as
 * `checkImport` does.
 *
 * @param file the list as the user named it; `-` for standard input
 */
export async function readDecidedList(
  file: string,
  { mapping, saved }: GivenMapping,
  options: BulkAddOptions,
  context: Context,
): Promise<CheckedImport> {
  const checked = await checkSheet(file, mapping, options, context);
  if (saved !== undefined) {
    rejectNewFields(saved, checked);
    rejectShiftedColumns(saved, checked);
  }
  const { undecided } = checked.check;
  if (undecided !== undefined) throw missingOptionsError(undecided, options, context);
  return checked;
}

/** Checks a list. Throws the error about the sheets of a workbook with the option that names one. */
async function checkSheet(
  file: string,
  mapping: Mapping,
  options: ImportOptions,
  context: Context,
): Promise<CheckedImport> {
  try {
    return await checkImport(file, mapping, options, context);
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    const command = completedCommand(context.argv, ['--sheet', PLACEHOLDERS.sheet]);
    throw new UsageError(error.message, `Say which sheet has the list, then check the result:\n${command}`, error.code);
  }
}
