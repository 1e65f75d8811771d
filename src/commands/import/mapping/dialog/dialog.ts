import type { Decisions } from '../../../../import/list/columns/decisions.ts';
import type { SampledColumn } from '../../../../import/list/columns/describe-columns.ts';
import { isInversion, type Mapping, sourcesOf } from '../../../../import/mapping.ts';
import { fieldForSpelling, MEMBER_FIELDS, type MemberField, normalizeSpelling } from '../../../../import/new-member.ts';
import type { Choice } from '../../../../output/prompt.ts';
import { comparableText } from '../../../../util/visible-text.ts';
import type { Context } from '../../../command-context.ts';
import { type FieldAnswer, hasSpelledColumn } from './answers.ts';
import { columnChoice, type Questions } from './questions.ts';

/** The questions about the columns of one list, and the answers so far. */
export interface Dialog {
  readonly columns: readonly SampledColumn[];
  readonly decisions: Decisions;
  /** The mapping of the options; orgadm does not ask about its fields again. */
  readonly given: Mapping;
  /** The file of --mapping, as the user has named it. */
  readonly mappingFile: string | undefined;
  readonly questions: Questions;
  readonly answers: Map<MemberField, FieldAnswer>;
  readonly context: Context;
}

/** Whether the options or an answer say where a field is, or have decided about all columns without it. */
export function isDecided(field: MemberField, { columns, decisions, given, mappingFile, answers }: Dialog): boolean {
  const { fields, others } = decisions;
  if (answers.has(field) || given.columns?.[field] !== undefined) return true;
  if (fields.includes(field)) return false;
  if (given.defaults?.[field] !== undefined) return true;
  // The columns of a list that has a mapping file are those of an earlier list.
  return others.length === 0 || (mappingFile !== undefined && hasSpelledColumn(field, columns));
}

/** Returns the columns that the options name for a field, or the one that its own name finds. Several only say who is active. */
export function givenColumns(field: MemberField, { columns, given }: Dialog): SampledColumn[] {
  const sources = sourcesOf(given, field);
  const spelled = columns.find(({ name }) => fieldForSpelling(name) === field);
  if (sources.length === 0) return spelled === undefined ? [] : [spelled];
  return sources.flatMap((source) => {
    const isSource = ({ name }: SampledColumn) => normalizeSpelling(name) === normalizeSpelling(source.name);
    const isNumbered = ({ number }: SampledColumn) => source.name === `#${number}`;
    return columns.find(({ name }) => name === source.name) ?? columns.find(isNumbered) ?? columns.find(isSource) ?? [];
  });
}

/** Returns the columns that are ignored with the answers, without those that a mapping file names. */
export function ignoredColumns(dialog: Dialog): SampledColumn[] {
  const { columns, given, answers } = dialog;
  const isKept = (field: MemberField) => {
    const { column, isOmitted = false, replaces = false } = answers.get(field) ?? {};
    return column === undefined && !isOmitted && !replaces && !given.omit?.includes(field);
  };
  const read = new Set(MEMBER_FIELDS.filter(isKept).flatMap((field) => givenColumns(field, dialog)));
  const chosen = new Set([...answers.values()].map(({ column }) => column));
  const named = new Set(given.ignored?.map(comparableText));
  return columns.filter(
    (column) => !read.has(column) && !chosen.has(column.name) && !named.has(comparableText(column.name)),
  );
}

/** Returns the columns to choose from for a field: nobody's user ID is also their role. No mapping can have a JSON key `!left`. */
export function columnChoices(field: MemberField, dialog: Dialog): Choice<string>[] {
  const { columns, given, mappingFile, answers } = dialog;
  if (mappingFile === undefined && given.omit?.includes(field)) return [];
  const ids =
    answers.get('userId')?.column ?? (isDecided('userId', dialog) ? givenColumns('userId', dialog)[0]?.name : '');
  return columns.filter(({ name }) => name !== ids && !isInversion(name)).map(columnChoice);
}
