import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { NO_DECISIONS } from '../../../../import/list/columns/decisions.ts';
import { shorten, type UndecidedColumns } from '../../../../import/list/columns/describe-columns.ts';
import type { MemberList, Validation } from '../../../../import/list/open-list.ts';
import { entriesOf, type FileOptions, type Mapping } from '../../../../import/mapping.ts';
import { quote, quoteAll } from '../../../../output/sanitize.ts';
import { UsageError } from '../../../../util/errors.ts';
import { checkWritable } from '../../../../util/files.ts';
import { comparableText } from '../../../../util/visible-text.ts';
import type { Context } from '../../../command-context.ts';
import { repeatedCommand } from '../../../typed-command.ts';
import { fieldOptions, fileOptions, fitsOptions } from '../mapping-flags.ts';
import { readsAlike } from '../mapping-identity.ts';
import { mergeMappings } from '../merge-mappings.ts';
import { mappingFrom, summaryOf, withoutReplaced } from './answers.ts';
import { askDepartments, askRoles, askUserIds } from './ask-fields.ts';
import { askHeader, type HeaderAnswer } from './ask-header.ts';
import { askNewColumns } from './ask-new-columns.ts';
import { askStatus } from './ask-status.ts';
import { type Dialog, ignoredColumns } from './dialog.ts';
import { Problem, Questions, quoteColumn } from './questions.ts';
import { readTypedPath } from './typed-path.ts';

/** A list whose columns the options leave open. */
export interface UndecidedList {
  readonly list: MemberList;
  readonly undecided: UndecidedColumns;
  /** The sheet that the user has just chosen; undefined if orgadm did not ask for it. */
  readonly askedSheet: string | undefined;
  /** The file of --mapping, as the user has named it. */
  readonly mappingFile: string | undefined;
  /** Whether the command saves the mapping anyway. */
  readonly isSaved: boolean;
  /** Opens the list again. */
  open(mapping: Mapping): Promise<MemberList>;
  /** Reads the whole list. */
  validate(list: MemberList): Promise<Validation>;
}

/** A mapping with the answers of a user. */
export interface AskedMapping {
  /** The list, opened with the options about its file. */
  readonly list: MemberList;
  readonly mapping: Mapping;
  /** The file to save it in; undefined if the user does not want one. */
  readonly file: string | undefined;
}

const [YES, SAVE, NO] = ['yes', 'save', 'no'];

/** Terminal columns of a path in a message. */
const PATH_WIDTH = 60;

/**
 * Asks the user what the columns of a list mean, on standard error, until the user accepts the summary of the answers. Names and
 * values decide nothing: pressing Enter accepts a column only if its name is a spelling of the field, and never for the status,
 * unless it was the user's own answer before.
 *
 * @throws OrgadmError if the user interrupts it, or ends the input; UsageError for a list that cannot be read as answered
 */
export async function askMapping(undecided: UndecidedList, context: Context): Promise<AskedMapping> {
  const { mappingFile, isSaved } = undecided;
  const where = mappingFile === undefined ? 'in a mapping file' : `in ${mappingFile} or another mapping file`;
  const questions = new Questions(context);
  for (;;) {
    const asked = await askAll(undecided, questions, context);
    context.output.note(['Your answers:', ...asked.summary].join('\n'));
    const command = await commandOf(asked, undecided, context);
    if (command === undefined && !isSaved) {
      context.output.note(`To skip the questions next time, save the answers ${where}.`);
    }
    const answer = await questions.chooseAnew(
      'Is this right?',
      [
        { value: YES, label: 'Yes' },
        ...(isSaved ? [] : [{ value: SAVE, label: 'Yes, and save the answers', hint: where }]),
        { value: NO, label: 'No, change the answers' },
      ],
      YES,
    );
    if (answer === NO) continue;
    const file = answer === SAVE ? await askFile(mappingFile, questions, context) : undefined;
    if (file === undefined && command !== undefined)
      context.output.note(`To skip the questions next time:\n${command}`);
    return { list: asked.list, mapping: asked.mapping, file };
  }
}

/** The answers to all questions. */
interface AllAnswers {
  readonly list: MemberList;
  /** The options and the answers. */
  readonly mapping: Mapping;
  readonly answered: Mapping;
  /** Lines. */
  readonly summary: readonly string[];
}

async function askAll(undecided: UndecidedList, questions: Questions, context: Context): Promise<AllAnswers> {
  const { mappingFile, askedSheet } = undecided;
  const readWith = (options?: FileOptions) => readAgain(undecided, options);
  const header = await askFirstRow(undecided.undecided, questions, readWith);
  const { list, open } = await readWith(header?.options);
  const given = list.mapping;
  const options = { ...(askedSheet !== undefined && { sheet: askedSheet }), ...header?.options };
  const first = [
    ...(askedSheet === undefined ? [] : [['Sheet', quote(askedSheet)] as const]),
    ...(header === undefined ? [] : [['First row', header.shown] as const]),
  ];
  if (open === undefined)
    return {
      list,
      mapping: given,
      answered: { options },
      summary: summaryOf(first, new Map(), []),
    };
  questions.note(open.message);
  const { columns, decisions } = open;
  const dialog: Dialog = { columns, decisions, given, mappingFile, questions, answers: new Map(), context };
  if (mappingFile !== undefined) await askNewColumns(mappingFile, dialog);
  await askUserIds(dialog);
  await askRoles(dialog);
  await askDepartments(dialog);
  await askStatus(dialog);
  const ignored = ignoredColumns(dialog).map(quoteColumn);
  const last = ignored.length === 0 ? [] : [['Ignored', quoteAll(ignored, (name) => name)] as const];
  const base = withoutReplaced(given, dialog.answers);
  const answers = mappingFrom(dialog.answers, columns, base);
  // A name that the answers do not use, such as userId, may have shown that the first row is a header.
  const isHeader = Object.keys(header?.options ?? {}).length === 0;
  const headerRow = isHeader ? await headerRowOption(list, mergeMappings(base, answers), undecided) : {};
  const answered = { ...answers, options: { ...options, ...headerRow } };
  return {
    list,
    mapping: mergeMappings(base, answered),
    answered,
    summary: summaryOf(first, dialog.answers, last),
  };
}

/** Asks about the first row if it may be a person. If nothing else is open, only an option can say that it is a header. */
async function askFirstRow(
  { firstRow, decisions }: UndecidedColumns,
  questions: Questions,
  readWith: (options: FileOptions) => Promise<unknown>,
): Promise<HeaderAnswer | undefined> {
  if (firstRow === undefined) return undefined;
  const answer = await askHeader(firstRow.cells, questions, readWith);
  const isAll = decisions === NO_DECISIONS && Object.keys(answer.options).length === 0;
  return isAll ? { ...answer, options: { headerRow: firstRow.line } } : answer;
}

/** Returns the line of the header as an option, if the mapping knows no name in it: then only the option says that it is one. */
async function headerRowOption(
  list: MemberList,
  mapping: Mapping,
  { validate }: Pick<UndecidedList, 'validate'>,
): Promise<FileOptions> {
  const { undecided } = await validate(await list.withMapping(mapping));
  return undecided?.firstRow === undefined ? {} : { headerRow: undecided.firstRow.line };
}

/** Reads a list with what the user has said about its first row. Returns what is still open; undefined if nothing is. */
async function readAgain(
  { list, undecided, open, validate }: UndecidedList,
  options: FileOptions = {},
): Promise<{ list: MemberList; open: UndecidedColumns | undefined }> {
  if (Object.keys(options).length === 0) return { list, open: undecided };
  const changed = mergeMappings(list.mapping, { options });
  const reopened = options.headerRow === undefined ? await list.withMapping(changed) : await open(changed);
  return { list: reopened, open: (await validate(reopened)).undecided };
}

/** Asks for the name of the mapping file. Only the file of --mapping may exist: pressing Enter replaces it. */
function askFile(mappingFile: string | undefined, questions: Questions, { host }: Context): Promise<string> {
  const isReplaced = (file: string) => mappingFile !== undefined && resolve(file) === resolve(mappingFile);
  const read = (typed: string) => {
    const file = readTypedPath(typed, host);
    if (existsSync(file) && !isReplaced(file)) throw new Problem(`${shorten(file, PATH_WIDTH)} already exists.`);
    const folder = dirname(resolve(file));
    if (!existsSync(folder)) throw new Problem(`The folder ${shorten(folder, PATH_WIDTH)} does not exist.`);
    // Otherwise, all answers would be lost.
    try {
      checkWritable(folder);
    } catch {
      throw new Problem(`orgadm cannot write to the folder ${shorten(folder, PATH_WIDTH)}.`);
    }
    return file;
  };
  return questions.line('Name of the mapping file', read, mappingFile);
}

/**
 * Returns the command that has the same answers as options; undefined if only a mapping file can have them. Next to --mapping, the
 * command never has --ignore-extra-columns: it would also ignore a column of the next list that nobody has seen.
 */
async function commandOf(
  { list, mapping, answered }: AllAnswers,
  { list: { mapping: given }, mappingFile, validate }: UndecidedList,
  { argv }: Context,
): Promise<string | undefined> {
  const { ignoreExtraColumns, ...fields } = answered;
  const options = mappingFile === undefined && !given.ignoreExtraColumns ? answered : fields;
  const repeated = mergeMappings(given, options);
  if (!fitsOptions(answered) || !readsAlike(repeated, mapping)) return undefined;
  if (mappingFile === undefined && repeatsOption(given, options)) return undefined;
  // Only the list shows whether the file says what all of its columns are.
  if (mappingFile !== undefined && !(await decidesAll(repeated))) return undefined;
  return repeatedCommand(argv, [...fileOptions(options), ...fieldOptions(options)]);

  async function decidesAll(decided: Mapping): Promise<boolean> {
    try {
      return (await validate(await list.withMapping(decided))).undecided === undefined;
    } catch (error) {
      if (error instanceof UsageError) return false;
      throw error;
    }
  }
}

/** Whether options would be next to others about the same default or value, which is an error. */
function repeatsOption(given: Mapping, { defaults, values }: Mapping): boolean {
  const textsOf = (byText: Readonly<Record<string, string>> = {}) => Object.keys(byText).map(comparableText);
  return (
    entriesOf(defaults).some(([field]) => given.defaults?.[field] !== undefined) ||
    entriesOf(values).some(([field, byText]) => {
      const known = textsOf(given.values?.[field]);
      return textsOf(byText).some((text) => known.includes(text));
    })
  );
}
