import { basename, resolve } from 'node:path';
import type { SampledColumn } from '../../../../import/list/columns/describe-columns.ts';
import { hintForSecondList } from '../../../../import/list/open-list.ts';
import { readColumns } from '../../../../import/list/sample-columns.ts';
import { OrgadmError } from '../../../../util/errors.ts';
import type { FieldAnswer } from './answers.ts';
import type { Dialog } from './dialog.ts';
import { columnChoice, nameOf, Problem, quoteColumn, quoteText, valuesOf } from './questions.ts';
import { readTypedPath } from './typed-path.ts';

const [THESE, SECOND_LIST] = ['these', 'second list'];

/**
 * Asks whether the service uses the user IDs of a column, or those of a second list. No look at the values can answer this:
 * Okta's IDs look like those of any other service.
 *
 * @returns the second list; undefined if the service uses these IDs
 */
export async function askSecondList(column: SampledColumn, dialog: Dialog): Promise<FieldAnswer | undefined> {
  const { questions } = dialog;
  const name = quoteColumn(column);
  const these = { value: THESE, label: `Those of ${name}: ${valuesOf(column)}` };
  const others = { value: SECOND_LIST, label: `Others: a second list has them next to those of ${name}` };
  const answer = column.hasAddresses
    ? await questions.choose('All user IDs are email addresses. Which IDs does your service use?', [
        { value: SECOND_LIST, label: 'IDs in a second list that also has the addresses' },
        { value: THESE, label: 'The email addresses' },
      ])
    : await questions.choose('Which user IDs does your service use?', [these, others]);
  if (answer === THESE) return undefined;
  const { file, columns } = await questions.line('Path of the second list', (line) => readSecondList(line, dialog));
  const values = column.hasAddresses ? 'the email addresses' : `the values of ${name}`;
  const from = nameOf(await questions.choose(`Which of its columns has ${values}?`, columns.map(columnChoice)));
  const left = columns.filter((other) => other.name !== from).map(columnChoice);
  const to = nameOf(await questions.choose('Which of its columns has the user IDs?', left));
  const shown = `${quoteText(to)} in ${quoteText(basename(file))}, found by ${name} in ${quoteText(from)}`;
  return { lookup: { file, from, to }, shown };
}

/** Reads the columns of a second list: it needs two. */
async function readSecondList(
  typed: string,
  { context }: Dialog,
): Promise<{ file: string; columns: readonly SampledColumn[] }> {
  const file = resolve(readTypedPath(typed, context.host));
  try {
    const columns = await readColumns(file);
    if (columns.length > 1) return { file, columns };
  } catch (error) {
    if (!(error instanceof OrgadmError)) throw error;
    throw new Problem([`${error.message}.`, hintForSecondList(error.hint)].join(' ').trim());
  }
  throw new Problem(`${file} has only one column.`);
}
