import { readGivenValue } from '../../../../import/list/fields/bind-fields.ts';
import type { MemberField } from '../../../../import/new-member.ts';
import { hasSpelledColumn, spelledColumn } from './answers.ts';
import { askSecondList } from './ask-second-list.ts';
import { columnChoices, type Dialog, givenColumns, isDecided } from './dialog.ts';
import { columnAnswer, nameOf, Problem, quoteColumn, quoteText } from './questions.ts';

const [EVERYONE, NONE] = ['everyone', 'none'];

/** Asks which column has the user IDs, and whether the service uses these IDs. */
export async function askUserIds(dialog: Dialog): Promise<void> {
  const { given, mappingFile, questions, answers } = dialog;
  if (isDecided('userId', dialog)) {
    if (answers.has('userId') || mappingFile !== undefined || given.lookups?.userId !== undefined) return;
    const column = givenColumns('userId', dialog)[0];
    const lookup = column?.hasAddresses ? await askSecondList(column, dialog) : undefined;
    if (lookup !== undefined) answers.set('userId', lookup);
    return;
  }
  const choices = columnChoices('userId', dialog);
  const answer = await questions.choose('Which column has the user IDs?', choices, suggestion('userId', dialog));
  await answerUserIds(nameOf(answer), dialog);
}

/** Records the column of the user IDs. Asks whether the service uses these IDs, because only the user knows. */
export async function answerUserIds(name: string, dialog: Dialog, replaces = false): Promise<void> {
  const column = dialog.columns.find((known) => known.name === name);
  if (column === undefined) return;
  const isGiven = !replaces && dialog.given.lookups?.userId !== undefined;
  const lookup = isGiven ? undefined : await askSecondList(column, dialog);
  dialog.answers.set('userId', { shown: quoteColumn(column), ...lookup, column: name, replaces });
}

/** Asks which column has the roles. */
export async function askRoles(dialog: Dialog): Promise<void> {
  if (isDecided('role', dialog)) return;
  const { columns, questions, answers } = dialog;
  const everyone = { value: EVERYONE, label: 'The same role for everyone' };
  const choices = [...columnChoices('role', dialog), everyone];
  const answer = await questions.choose('Which column has the roles?', choices, suggestion('role', dialog));
  if (answer !== EVERYONE) return setColumn('role', answer, dialog);
  const role = await questions.line('Role for everyone', readRole);
  answers.set('role', {
    default: role,
    isOmitted: hasSpelledColumn('role', columns),
    shown: `${quoteText(role)} for everyone`,
  });
}

/** Returns a role that a user has typed. Throws `Problem` if nobody can have it. */
function readRole(line: string): string {
  const read = readGivenValue('role', line);
  if ('issue' in read) throw new Problem(`${read.shown} ${read.issue}.`);
  return line;
}

/** Asks which column has the departments. A list without any omits the field: a later list does not raise the question again. */
export async function askDepartments(dialog: Dialog): Promise<void> {
  if (isDecided('department', dialog) || dialog.given.omit?.includes('department')) return;
  const none = { value: NONE, label: 'None: add people without a department' };
  const choices = [...columnChoices('department', dialog), none];
  const suggested = suggestion('department', dialog);
  const answer = await dialog.questions.choose('Which column has the departments?', choices, suggested);
  if (answer !== NONE) return setColumn('department', answer, dialog);
  dialog.answers.set('department', { isOmitted: true, shown: 'none' });
}

function setColumn(field: MemberField, answer: string, { columns, answers }: Dialog): void {
  const column = columns.find(({ name }) => name === nameOf(answer));
  if (column !== undefined) answers.set(field, { column: column.name, shown: quoteColumn(column) });
}

/** Returns the answer that pressing Enter accepts: the column whose name is a spelling of the field. */
function suggestion(field: MemberField, { columns }: Dialog): string | undefined {
  const name = spelledColumn(field, columns);
  return name === undefined ? undefined : columnAnswer(name);
}
