import { shorten } from '../../../../import/list/columns/describe-columns.ts';
import type { FileOptions } from '../../../../import/mapping.ts';
import { UsageError } from '../../../../util/errors.ts';
import { Problem, type Questions } from './questions.ts';

const [HEADER, PERSON, TITLE] = ['header', 'person', 'title'];

/** Terminal columns of the first row, and of each of its cells. */
const [ROW_WIDTH, CELL_WIDTH] = [200, 30];

/** The options for the first row of a list, and the answer in words. */
export interface HeaderAnswer {
  readonly options: FileOptions;
  readonly shown: string;
}

/**
 * Asks whether the first row of a list is a header. If it is a person, the list needs names for its columns.
 *
 * @param readWith reads the list with options; throws UsageError if that is not possible
 */
export async function askHeader(
  firstRow: readonly string[],
  questions: Questions,
  readWith: (options: FileOptions) => Promise<unknown>,
): Promise<HeaderAnswer> {
  const filled = firstRow.map((cell) => shorten(cell, CELL_WIDTH)).filter((cell) => cell !== '');
  const row = shorten(filled.join(', '), ROW_WIDTH);
  const answer = await questions.choose(`Is the first row a header, or a person? ${row}`, [
    { value: HEADER, label: 'A header: the names of the columns' },
    { value: PERSON, label: 'A person: the list has no header' },
    { value: TITLE, label: 'A title: the header is further down' },
  ]);
  if (answer === HEADER) return { options: {}, shown: 'a header' };
  if (answer === PERSON) return { options: { columns: firstRow.map((_, at) => letters(at)) }, shown: 'a person' };
  const headerRow = await questions.line('Line of the header', async (line) => {
    if (!/^[1-9]\d{0,5}$/.test(line) || line === '1') throw new Problem('Type a number from 2.');
    await readWith({ headerRow: Number(line) }).catch((error: unknown) => {
      throw error instanceof UsageError ? new Problem(`${error.message}.`) : error;
    });
    return Number(line);
  });
  return { options: { headerRow }, shown: `a title; the header is on line ${headerRow}` };
}

/** Returns the name of a column as spreadsheets show it: A for 0, Z for 25, AA for 26. */
function letters(at: number): string {
  const last = String.fromCharCode(65 + (at % 26));
  return at < 26 ? last : letters(Math.floor(at / 26) - 1) + last;
}
