import type { UndecidedColumns } from '../../import/list/columns/describe-columns.ts';
import { PLACEHOLDERS } from '../../import/list/columns/placeholders.ts';
import type { MemberList } from '../../import/list/open-list.ts';
import { SheetsError } from '../../import/list/source/text.ts';
import type { Mapping } from '../../import/mapping.ts';
import { UsageError } from '../../util/errors.ts';
import { hasTerminal } from '../../util/host.ts';
import { type Context, promptsForbiddenBy } from '../command-context.ts';
import { type CheckedImport, checkImport, checkList, openListFile, validateList } from '../import/checked-list.ts';
import type { BulkAddOptions, ImportOptions } from '../import/import-options.ts';
import { checkMapping } from '../import/mapping/check-mapping.ts';
import {
  type GivenMapping,
  rejectNewFields,
  rejectShiftedColumns,
  saveMapping,
} from '../import/mapping/mapping-file.ts';
import { fileOptions } from '../import/mapping/mapping-flags.ts';
import type { MappedList } from '../import/mapping/mapping-in-effect.ts';
import { mergeMappings } from '../import/mapping/merge-mappings.ts';
import { completedCommand, repeatedCommand } from '../typed-command.ts';
import { missingOptionsError } from './missing-options.ts';

/**
 * Reads a list, validates every row of it, and settles what the options leave open: on a terminal, it asks; elsewhere, the error
 * has the missing options. Throws as `checkImport` does.
 *
 * @param file the list as the user named it; `-` for standard input
 */
export async function readDecidedList(
  file: string,
  { mapping, saved }: GivenMapping,
  options: BulkAddOptions,
  context: Context,
): Promise<CheckedImport> {
  const { checked, askedSheet } = await checkSheet(file, mapping, options, context);
  if (saved !== undefined) {
    rejectNewFields(saved, checked);
    rejectShiftedColumns(saved, checked);
  }
  const { undecided } = checked.check;
  if (undecided === undefined) {
    if (askedSheet !== undefined) {
      const command = repeatedCommand(context.argv, fileOptions({ options: { sheet: askedSheet } }));
      context.output.note(`To choose the sheet without a question:\n${command}`);
    }
    return checked;
  }
  if (!mayAsk(options, context)) throw missingOptionsError(undecided, options, context);
  return askAboutColumns(file, { ...checked, undecided, askedSheet }, options, context);
}

/** Checks a list. On a terminal, asks for the sheet of a workbook if the options leave it open. */
async function checkSheet(
  file: string,
  mapping: Mapping,
  options: ImportOptions,
  context: Context,
): Promise<{ checked: CheckedImport; askedSheet?: string }> {
  try {
    return { checked: await checkImport(file, mapping, options, context) };
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    if (!mayAsk(options, context)) throw withSheetOption(error, context);
    const { askSheet } = await import('../import/mapping/dialog/ask-sheet.ts');
    const sheet = await askSheet(error, context);
    const chosen = mergeMappings(mapping, { options: { sheet } });
    return { checked: await checkImport(file, chosen, options, context), askedSheet: sheet };
  }
}

/** Asks what the columns of a list mean, or whether they mean what an unfinished run of the list says. */
async function askAboutColumns(
  file: string,
  { list, undecided, askedSheet }: MappedList & { undecided: UndecidedColumns; askedSheet: string | undefined },
  options: BulkAddOptions,
  context: Context,
): Promise<CheckedImport> {
  const open = (mapping: Mapping) => openListFile(file, mapping, context);
  const { offerEarlierMapping } = await import('../import/mapping/earlier-mapping.ts');
  const earlier = await offerEarlierMapping(list.mapping, options, open, context);
  if (earlier !== undefined) return earlier;
  const { askMapping } = await import('../import/mapping/dialog/ask-mapping.ts');
  const { mapping: mappingFile, saveMapping: saved } = options;
  const validate = (reopened: MemberList) => validateList(reopened, context);
  const isSaved = saved !== undefined;
  const asked = await askMapping({ list, undecided, askedSheet, mappingFile, isSaved, open, validate }, context);
  // The questions offer nothing that this rejects; it guards the import against a dialog that does.
  checkMapping(asked.mapping);
  const checked = await checkList(await asked.list.withMapping(asked.mapping), options, context);
  // The answers decide about every column; this guards the import against a dialog that forgets one.
  if (checked.check.undecided !== undefined) throw missingOptionsError(checked.check.undecided, options, context);
  if (asked.file !== undefined) saveMapping(asked.file, checked, options, context);
  return checked;
}

/** Whether orgadm may ask about a list. */
function mayAsk({ yes }: ImportOptions, context: Context): boolean {
  return !yes && hasTerminal(context.host) && promptsForbiddenBy(context) === undefined;
}

/** Adds the user's command to an error about sheets, completed with the option that names one. */
function withSheetOption(error: SheetsError, { argv }: Context): UsageError {
  const command = completedCommand(argv, ['--sheet', PLACEHOLDERS.sheet]);
  return new UsageError(error.message, `Say which sheet has the list, then check the result:\n${command}`, error.code);
}
