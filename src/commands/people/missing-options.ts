import type { Decisions } from '../../import/list/columns/decisions.ts';
import type { UndecidedColumns } from '../../import/list/columns/describe-columns.ts';
import { PLACEHOLDERS } from '../../import/list/columns/placeholders.ts';
import type { MemberField } from '../../import/new-member.ts';
import { quote, quoteForShell } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { completedCommand } from '../typed-command.ts';

/**
 * Returns the error about columns, with the user's command completed with the options that are missing. If a mapping file does not name
 * all columns, the command saves them there: --ignore-extra-columns in its place would also ignore those of the next list.
 *
 * @param saved the files of --mapping and --save-mapping
 */
export function missingOptionsError(
  { message, decisions, firstRow }: UndecidedColumns,
  saved: { readonly mapping?: string; readonly saveMapping?: string },
  { argv }: Context,
): UsageError {
  const task = describeDecisions(decisions);
  const alternatives = describeAlternatives(decisions);
  const { mapping } = saved;
  const isSaved = mapping !== undefined && saved.saveMapping === undefined && decisions.others.length > 0;
  // Column numbers do not show that the first row is a header.
  const isNumbered = firstRow !== undefined && !decisions.fields.includes('userId');
  const options = [
    ...(isNumbered ? ['--header-row', String(firstRow.line)] : []),
    ...missingOptions(decisions),
    ...(isSaved ? ['--save-mapping', mapping] : []),
  ];
  const command = completedCommand(argv, options);
  const check = `, then check the result${isSaved ? ', and save it for the next list' : ''}:\n${command}${alternatives === '' ? '' : `\n${alternatives}`}`;
  if (firstRow === undefined) return new UsageError(message, `${task}${check}`, 'bad-columns');
  const others =
    'If the first row is a person, name the columns with --columns. If it is a title, name the line of the header with --header-row.';
  if (task === undefined)
    return new UsageError(message, `${others}\nIf it is a header, check the result:\n${command}`, 'bad-columns');
  const otherwise = `${others}\nOtherwise, ${task.charAt(0).toLowerCase()}${task.slice(1)}${check}`;
  return new UsageError(message, otherwise, 'bad-columns');
}

/** Columns that a sentence names. */
const NAMED_COLUMNS = 3;

/** Says what the user has to decide: `Say which column has the user IDs and who is active`; undefined if nothing. */
export function describeDecisions({ fields, others, blankStatuses }: Decisions): string | undefined {
  const questions: Partial<Record<MemberField, string>> = {
    userId: 'which column has the user IDs',
    role: 'which role people have',
    isActive: 'who is active',
  };
  const asked = [
    ...fields.flatMap((field) => questions[field] ?? []),
    ...(blankStatuses > 0 ? ['what a blank status means'] : []),
  ];
  if (asked.length > 0) return `Say ${joinWords(asked)}`;
  if (others.length === 0) return undefined;
  if (others.length > NAMED_COLUMNS) return 'Map the other columns or ignore them';
  return `Map ${joinWords(others.map(quote))} or ignore ${others.length === 1 ? 'it' : 'them'}`;
}

/** Joins the parts of an enumeration: `a`, `a and b`, `a, b, and c`. */
function joinWords(parts: readonly string[]): string {
  return new Intl.ListFormat('en-US').format(parts);
}

const INVERTED = 'If the column says who is not active, put ! before its name.';
/** A translated column takes no "!". */
const TRANSLATED = 'If everyone is active, leave out --map-value isActive:…, and use --default isActive=true.';

function describeStatus({ isStatusTranslated, hasLooseStatus }: Decisions): string {
  if (isStatusTranslated) return TRANSLATED;
  // Otherwise, the default would only be for blanks in that column.
  const omit = hasLooseStatus ? '--omit isActive ' : '';
  return `${INVERTED} If everyone is active, use ${omit}--default isActive=true instead.`;
}

/** Returns sentences about other options than those of `missingOptions`; empty if there are none. */
export function describeAlternatives(decisions: Decisions): string {
  const { fields, misspelled, mayHaveRole, mayHaveDepartment, mayHaveStatus } = decisions;
  const sentences = [
    ...misspelled.map(
      ([column, field]) =>
        `${quote(column)} may be a misspelling of ${field}: rename it, or add --map ${quoteForShell(`${field}=${column}`)}.`,
    ),
    ...(fields.includes('role') && mayHaveRole
      ? [`To read roles from a column, use --map 'role=${PLACEHOLDERS.column}' instead.`]
      : []),
    ...(mayHaveDepartment ? ['If no column has departments, use --omit department instead.'] : []),
    ...(fields.includes('isActive') && mayHaveStatus ? [describeStatus(decisions)] : []),
  ];
  return sentences.join(' ');
}

/** Returns the options that are missing, as words of a command line, with placeholders where the user has to decide. */
export function missingOptions(decisions: Decisions): string[] {
  const { fields, others, blankStatuses, mayHaveDepartment, mayHaveStatus } = decisions;
  const { column, role, isActive } = PLACEHOLDERS;
  const needsStatus = fields.includes('isActive');
  return [
    ...(fields.includes('userId') ? ['--map', `userId=${column}`] : []),
    ...(fields.includes('role') ? ['--default', `role=${role}`] : []),
    ...(mayHaveDepartment ? ['--map', `department=${column}`] : []),
    ...(needsStatus && mayHaveStatus ? ['--map', `isActive=${column}`] : []),
    ...(blankStatuses > 0 || (needsStatus && !mayHaveStatus) ? ['--default', `isActive=${isActive}`] : []),
    ...(others.length > 0 ? ['--ignore-extra-columns'] : []),
  ];
}
