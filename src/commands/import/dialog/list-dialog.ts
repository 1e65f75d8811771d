import { fieldForSpelling, type MemberField, normalizeSpelling } from '../../../import/entry.ts';
import type { ListColumn } from '../../../import/list/columns.ts';
import type { Decisions } from '../../../import/list/decisions.ts';
import type { Choice } from '../../../output/prompt.ts';
import type { Context } from '../../command-context.ts';
import { columnsOf, type ListMapping } from '../list-mapping.ts';
import { type FieldAnswer, hasSpelledColumn } from './answers.ts';
import { columnChoice, type Questions } from './questions.ts';

/** The questions about the columns of one list, and the answers so far. */
export interface ListDialog {
  readonly columns: readonly ListColumn[];
  readonly decisions: Decisions;
  /** The mapping of the options; orgadm does not ask about its fields again. */
  readonly given: ListMapping;
  /** The file of --mapping, as the user has named it. */
  readonly mappingFile: string | undefined;
  readonly questions: Questions;
  readonly answers: Map<MemberField, FieldAnswer>;
  readonly context: Context;
}

/** Whether the options or an answer say where a field is, or have decided about all columns without it. */
export function isDecided(
  field: MemberField,
  { columns, decisions, given, mappingFile, answers }: ListDialog,
): boolean {
  const { fields, others } = decisions;
  if (answers.has(field) || given.columns?.[field] !== undefined || given.defaults?.[field] !== undefined) return true;
  if (fields.includes(field)) return false;
  // The columns of a list that has a mapping file are those of an earlier list.
  return others.length === 0 || (mappingFile !== undefined && hasSpelledColumn(field, columns));
}

/** Returns the column that the options name for a field, or that its own name finds; undefined if there is none. */
export function givenColumn(field: MemberField, { columns, given }: ListDialog): ListColumn | undefined {
  const source = columnsOf(given, field)[0]?.replace(/^!/, '');
  if (source === undefined) return columns.find(({ name }) => fieldForSpelling(name) === field);
  const isSource = (name: string) => normalizeSpelling(name) === normalizeSpelling(source);
  return columns.find(({ name }) => name === source) ?? columns.find(({ name }) => isSource(name));
}

/** Returns the columns to choose from for a field: nobody's user ID is also their role. */
export function columnChoices(field: MemberField, dialog: ListDialog): Choice<string>[] {
  const { columns, given, mappingFile, answers } = dialog;
  if (mappingFile === undefined && given.omit?.includes(field)) return [];
  const ids = answers.get('userId')?.column ?? (isDecided('userId', dialog) ? givenColumn('userId', dialog)?.name : '');
  return columns.filter(({ name }) => name !== ids).map(columnChoice);
}
