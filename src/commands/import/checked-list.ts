import { stateSubdirectory } from '../../config/private-file.ts';
import type { RunPlan } from '../../import/journal/plan-run.ts';
import { removeExpiredRuns } from '../../import/journal/recorded-runs.ts';
import { ColumnsError } from '../../import/list/describe-columns.ts';
import { describeAlternatives, describeDecisions, missingOptions } from '../../import/list/decisions.ts';
import { type ListValidation, type MemberList, openList } from '../../import/list/open-list.ts';
import { PLACEHOLDERS } from '../../import/list/placeholders.ts';
import { SheetsError } from '../../import/list/source/list-text.ts';
import type { ListOptions } from '../../import/list-options.ts';
import { checkErrorsPath } from '../../import/report/errors-file.ts';
import type { Progress } from '../../output/progress.ts';
import { quoteForShell } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { hasTerminal } from '../../util/host.ts';
import { countOf } from '../../util/units.ts';
import { type Context, promptsForbiddenBy } from '../command-context.ts';
import { completedCommand, typedCommand } from '../typed-command.ts';
import { beforeSending } from './before-sending.ts';
import type { BulkAddOptions, ImportOptions } from './import-options.ts';
import { runDigest } from './list-digest.ts';
import { type ListMapping, listOptionsFrom, mergeMappings } from './list-mapping.ts';
import { namingIgnored, saveMappingFile } from './mapping-file.ts';
import type { MappedList } from './mapping-in-effect.ts';

/** A list that was read and validated, with the options of its import. */
export interface CheckedImport extends MappedList {
  options: ImportOptions;
  /** Identifies what the run of the list sends: 64 hex digits. */
  digest: string;
  /** What the user has confirmed already: to continue an unfinished run. */
  accepted?: RunPlan;
}

/** The options of an import, and the files that have its mapping or will have it. */
type ReadOptions = ImportOptions & Pick<BulkAddOptions, 'mapping' | 'saveMapping'>;

/**
 * Reads a list and validates every row of it.
 *
 * @param file the list as the user named it; `-` for standard input
 * @throws UsageError for a list that cannot be read at all, and for an errors file that cannot be written
 */
export async function readCheckedList(
  file: string,
  mapping: ListMapping,
  options: ReadOptions,
  context: Context,
): Promise<CheckedImport> {
  // Rejects invalid options first.
  listOptionsFrom(mapping);
  if (!options.dryRun) {
    // A missing key or base URL is reported before the list is read.
    await context.service();
    await removeExpiredRuns(stateSubdirectory(context.host, 'runs'), context.host.clock.now());
  }
  const opened = await openSheet(file, mapping, options, context);
  if (options.errorsFile !== undefined) await checkErrorsPath(options.errorsFile, opened.list);
  const decided = await checkColumns(file, opened, options, context);
  const { wire } = await context.settings();
  const digest = runDigest(decided.check.digest, {
    mapping: decided.mapping,
    invalid: options.invalid,
    labelName: wire.member.deviceMgmtLabelId,
  });
  return { options, digest, ...decided };
}

/** A list, and the options to read it with. */
interface OpenedList {
  list: MemberList;
  mapping: ListMapping;
  /** The sheet that the user chose in a dialog; undefined if orgadm asked for none. */
  askedSheet?: string;
}

/** Opens a list. On a terminal, asks for the sheet of a workbook if the options leave it open. */
async function openSheet(
  file: string,
  mapping: ListMapping,
  options: ImportOptions,
  context: Context,
): Promise<OpenedList> {
  try {
    return { list: await openListFile(file, listOptionsFrom(mapping), context), mapping };
  } catch (error) {
    if (!(error instanceof SheetsError)) throw error;
    if (!mayAsk(options, context)) throw withSheetOption(error, context);
    const { askSheet } = await import('./dialog/ask-sheet.ts');
    const sheet = await askSheet(error, context);
    const chosen = mergeMappings(mapping, { options: { sheet } });
    return { list: await openListFile(file, listOptionsFrom(chosen), context), mapping: chosen, askedSheet: sheet };
  }
}

/** Validates a list. On a terminal, asks what its columns mean if the options leave it open. */
async function checkColumns(
  file: string,
  { list, mapping: given, askedSheet }: OpenedList,
  options: ReadOptions,
  context: Context,
): Promise<MappedList & Pick<CheckedImport, 'accepted'>> {
  try {
    const check = await validateList(list, context);
    if (askedSheet !== undefined) {
      const command = typedCommand(context.argv, ['--sheet', askedSheet]);
      context.output.note(`To choose the sheet without a question:\n${command}`);
    }
    return { list, mapping: given, check };
  } catch (error) {
    if (!(error instanceof ColumnsError)) throw error;
    if (!mayAsk(options, context)) throw withCompletedCommand(error, context);
    const open = (mapping: ListMapping) => openListFile(file, listOptionsFrom(mapping), context);
    const { offerEarlierMapping } = await import('./earlier-mapping.ts');
    const earlier = await offerEarlierMapping(given, options, open, context);
    if (earlier !== undefined) return earlier;
    const { askMapping } = await import('./dialog/ask-mapping.ts');
    const { mapping: mappingFile, saveMapping: saved } = options;
    const validate = (reopened: MemberList) => validateList(reopened, context);
    const undecided = { list, error, given, askedSheet, mappingFile, isSaved: saved !== undefined, open, validate };
    const asked = await askMapping(undecided, context);
    const { mapping } = asked;
    const decided = await asked.list.withOptions(listOptionsFrom(mapping));
    const check = await validateList(decided, context);
    if (asked.file !== undefined) saveMapping(asked.file, { mapping, check }, context);
    return { list: decided, mapping, check };
  }
}

/** Writes a mapping that names the columns that it ignores, and says how to use it. */
export function saveMapping(
  file: string,
  { mapping, check }: Pick<CheckedImport, 'mapping' | 'check'>,
  { output }: Context,
): void {
  saveMappingFile(file, namingIgnored(mapping, check.mapping.ignored));
  output.note(`saved the mapping; next time, use --mapping ${quoteForShell(file)}`);
}

/** Whether orgadm may ask about columns: in a terminal, for the command that has the answers as options. */
function mayAsk({ yes }: ImportOptions, context: Context): boolean {
  const isBulkAdd = context.argv.includes('bulk-add');
  return isBulkAdd && !yes && hasTerminal(context.host) && promptsForbiddenBy(context) === undefined;
}

/** @param file the list as the user named it; `-` for standard input */
export function openListFile(file: string, options: ListOptions, { host }: Context): Promise<MemberList> {
  return openList({ path: file, stdin: host.stdin }, options);
}

/** Validates every row, and shows the progress. */
export function validateList(list: MemberList, context: Context): Promise<ListValidation> {
  const show = (progress: Progress) => (rows: number) =>
    progress.update(() => `validating ${list.name}: ${countOf(rows, 'row')}`);
  return beforeSending((progress) => list.validate(show(progress)), context);
}

/** Adds the user's command to an error about sheets, completed with the option that names one. */
function withSheetOption(error: SheetsError, { argv }: Context): UsageError {
  if (!argv.includes('bulk-add')) return error;
  const command = completedCommand(argv, ['--sheet', PLACEHOLDERS.sheet]);
  return new UsageError(error.message, `Say which sheet has the list, then check the result:\n${command}`, error.code);
}

/** Adds the user's command to an error about columns, completed with the options that are missing. */
function withCompletedCommand(error: ColumnsError, { argv }: Context): UsageError {
  const { message, code, decisions, mayLackHeader } = error;
  const task = describeDecisions(decisions);
  // The error of another command, such as runs resume.
  if (!argv.includes('bulk-add')) return new UsageError(message, `${task}.`, code);
  const alternatives = describeAlternatives(decisions);
  const command = completedCommand(argv, missingOptions(decisions));
  const check = `, then check the result:\n${command}${alternatives === '' ? '' : `\n${alternatives}`}`;
  if (!mayLackHeader) return new UsageError(message, task + check, code);
  const others =
    'If the first row is a person, name the columns with --columns. If it is a title, name the line of the header with --header-row.';
  return new UsageError(message, `${others}\nOtherwise, ${task.charAt(0).toLowerCase()}${task.slice(1)}${check}`, code);
}
