import type { ListCheck } from '../../../import/check/check-rows.ts';
import { type ColumnSample, type Decision, sampleColumn } from '../../../import/check/decisions.ts';
import { type GivenMapping, type Mapping, TRANSLATED_FIELDS, type TranslatedField } from '../../../import/mapping.ts';
import type { Table } from '../../../import/table/table.ts';
import { type Choice, type PromptTerminal, select } from '../../../output/prompt.ts';
import { EXIT, OrgadmError } from '../../../util/errors.ts';
import { countOf } from '../../../util/units.ts';
import { type Context, describeTarget, promptTerminal } from '../../command-context.ts';
import type { ImportOptions } from '../import-options.ts';
import { listRead, readLines } from '../mapping/describe-mapping.ts';
import { askActive } from './ask-active.ts';
import { askIds, type IdAnswer, type Say } from './ask-ids.ts';
import { askDepartment, askRole, type WordAnswer } from './ask-words.ts';
import { mappingFileOf, offerToSave, saveAnswers } from './save-mapping.ts';

/** A list that was checked with one mapping. */
export interface CheckedList {
  readonly check: ListCheck;
}

/** The answers to the questions that a list leaves open. */
interface Answers {
  userId?: IdAnswer;
  role?: WordAnswer;
  department?: WordAnswer;
  active?: NonNullable<Mapping['active']>;
}
type Subject = keyof Answers;

const SUBJECTS: readonly Choice<Subject>[] = [
  { value: 'userId', label: 'The user IDs' },
  { value: 'role', label: 'The role' },
  { value: 'department', label: 'The department' },
  { value: 'active', label: 'Who is active' },
];

/** What the questions are about. */
interface Dialog {
  readonly table: Table;
  readonly terminal: PromptTerminal;
  readonly say: Say;
  /** By subject, the columns to choose from. A subject without an entry is decided. */
  readonly open: ReadonlyMap<Subject, readonly ColumnSample[]>;
  /** The columns with the names of fields that the options say nothing about. */
  readonly named: ReadonlyMap<Subject, ColumnSample>;
}

/**
 * Asks what a mapping leaves open about a list, shows how the list is read with the answers, and asks for a confirmation.
 *
 * @param check the list as the options alone read it, with what they leave open
 * @param checkAgain checks every row with another mapping
 * @returns the list as it was confirmed; undefined if the answers were saved instead
 * @throws OrgadmError (`canceled`) if the user declines
 */
export async function askMapping<T extends CheckedList>(
  { table, given, check }: { table: Table; given: GivenMapping; check: ListCheck },
  checkAgain: (given: GivenMapping) => Promise<T>,
  options: ImportOptions,
  context: Context,
): Promise<T | undefined> {
  const terminal = promptTerminal('Nothing was sent.', context);
  const say = (line: string) => context.output.note(line);
  const { decisions } = check;
  const dialog: Dialog = { table, terminal, say, ...(await openSubjects(table, given.mapping, check)) };
  const target = (await describeTarget(context)) ?? 'the service';
  const answers: Answers = {};
  for (const subject of dialog.open.keys()) await ask(subject, answers, dialog);
  for (;;) {
    const checked = await checkAgain({ ...given, mapping: withAnswers(given.mapping, answers, decisions) });
    const read = listRead({ table, check: checked.check });
    for (const line of readLines(read)) say(line);
    const next = await review(read.totals, target, options, terminal);
    if (next === 'no') throw new OrgadmError('canceled', EXIT.usage, `Canceled. ${terminal.undone}`);
    if (next === 'change') {
      const subjects = SUBJECTS.filter(({ value }) => dialog.open.has(value));
      await ask(await select('Which answer?', subjects, terminal), answers, dialog);
    } else if (next === 'save') {
      if (await saveAnswers(mappingFileOf(table), read, say, terminal)) return undefined;
    } else {
      if (next === 'yes') await offerToSave(mappingFileOf(table), read, say, terminal);
      return checked;
    }
  }
}

/** Returns what to ask, in the order of the questions. */
async function openSubjects(
  table: Table,
  given: Mapping,
  { mapping, decisions }: ListCheck,
): Promise<Pick<Dialog, 'open' | 'named'>> {
  const open = new Map<Subject, readonly ColumnSample[]>();
  const named = new Map<Subject, ColumnSample>();
  for (const one of decisions) {
    if (one.kind === 'addresses') open.set('userId', [await sampleColumn(table, mapping.columns?.userId ?? '')]);
    else if (one.kind !== 'columns' && one.kind !== 'values') open.set(one.kind, one.columns);
  }
  const others = decisions.flatMap((one) => (one.kind === 'columns' ? one.columns : []));
  for (const field of TRANSLATED_FIELDS) {
    const column = mapping.columns?.[field];
    if (!column || given.columns?.[field] !== undefined || given.values?.[field] !== undefined) continue;
    open.set(field, others);
    named.set(field, await sampleColumn(table, column));
  }
  const inOrder = SUBJECTS.flatMap(({ value }) => {
    const columns = open.get(value);
    return columns === undefined ? [] : [[value, columns] as const];
  });
  return { open: new Map(inOrder), named };
}

async function ask(subject: Subject, answers: Answers, dialog: Dialog): Promise<void> {
  const { table, terminal, say, open, named } = dialog;
  const columns = open.get(subject) ?? [];
  const fields = (['userId', 'role', 'department'] as const).filter((field) => field !== subject);
  // A column is one field at most.
  const taken = new Set(fields.map((field) => answers[field]?.column));
  const free = columns.filter(({ name }) => !taken.has(name));
  if (subject === 'userId') answers.userId = await askIds(free, table, say, terminal);
  else if (subject === 'active') answers.active = await askActive(columns, say, terminal);
  else {
    const choices = { columns: free, named: named.get(subject) };
    answers[subject] = await (subject === 'role' ? askRole : askDepartment)(choices, terminal);
  }
}

/** Returns the mapping of the options with the answers. All columns that it does not read are ignored. */
function withAnswers(given: Mapping, answers: Answers, decisions: readonly Decision[]): Mapping {
  const { userId, active = given.active, ...words } = answers;
  const columns = { ...given.columns, ...(userId !== undefined && { userId: userId.column }) };
  const values = { ...given.values };
  const fallback = { ...given.default };
  for (const [field, answer] of Object.entries(words) as [TranslatedField, WordAnswer][]) {
    if (answer.column !== null) columns[field] = answer.column;
    // A role that everyone has needs no column.
    else if (answer.everyone === undefined) columns[field] = null;
    if (answer.values !== undefined) values[field] = { ...answer.values };
    if (answer.everyone !== undefined) fallback[field] = answer.everyone;
  }
  const read = new Set([...Object.values(columns), ...(typeof active === 'object' ? Object.keys(active) : [])]);
  const offered = decisions.flatMap((one) => ('columns' in one ? one.columns.map(({ name }) => name) : []));
  const ignored = [...new Set([...(given.ignored ?? []), ...offered])].filter((name) => !read.has(name));
  const lookup = userId === undefined ? given.lookup : userId.lookup;
  return {
    ...(given.inactive !== undefined && { inactive: given.inactive }),
    columns,
    ...(active !== undefined && { active }),
    ...(Object.keys(values).length > 0 && { values }),
    ...(Object.keys(fallback).length > 0 && { default: fallback }),
    ...(lookup !== undefined && { lookup }),
    ...(ignored.length > 0 && { ignored }),
  };
}

/**
 * Asks what to do with a list that was read with the answers.
 *
 * @returns `report`: to show the invalid rows, or the dry run
 */
async function review(
  { rows, invalid }: ListCheck['totals'],
  target: string,
  { dryRun, invalid: action, limit }: ImportOptions,
  terminal: PromptTerminal,
): Promise<'yes' | 'no' | 'change' | 'save' | 'report'> {
  const valid = rows - invalid;
  const others = [
    { value: 'change', label: 'Change an answer' },
    { value: 'save', label: 'Save the answers and stop' },
  ] as const;
  if (valid === 0 || (invalid > 0 && action !== 'skip')) {
    const question = `${countOf(invalid, 'row')} of ${rows} ${invalid === 1 ? 'is' : 'are'} invalid, so orgadm sends nothing. What next?`;
    return select(question, [{ value: 'report', label: 'Show the invalid rows' }, ...others], terminal);
  }
  if (dryRun) return select('Is this right?', [{ value: 'report', label: 'Yes' }, ...others], terminal);
  const people = countOf(Math.min(valid, limit ?? valid), 'person', 'people');
  const yesOrNo = [
    { value: 'yes', label: 'Yes' },
    { value: 'no', label: 'No' },
  ] as const;
  return select(`Import ${people} into ${target}?`, [...yesOrNo, ...others], terminal, 'no');
}
