import { Readable } from 'node:stream';
import { readTable } from '../../../src/import/table/read-table.ts';
import { type FileOptions, type Row, type Table, Unreadable } from '../../../src/import/table/table.ts';
import { UsageError } from '../../../src/util/errors.ts';

/** The content of a list. */
type Content = string | Uint8Array;

/** Reads a list from standard input. */
export function tableOf(content: Content, options: FileOptions = {}): Promise<Table> {
  return readTable({ path: '-', stdin: Readable.from([content]) }, options);
}

/** Returns the rows of a table. */
export async function rowsOf(table: Table): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const chunk of table.chunks()) rows.push(...chunk);
  return rows;
}

/** Returns the names of the columns of a list, and the texts of its rows; an unreadable cell is `<text>: reason`. */
export async function textsOf(content: Content, options?: FileOptions) {
  const table = await tableOf(content, options);
  const text = (cell: Row['cells'][number]) =>
    cell instanceof Unreadable ? `<${cell.text}>: ${cell.reason}` : (cell ?? '');
  return { columns: table.columns, rows: (await rowsOf(table)).map(({ cells }) => cells.map(text)) };
}

/** Returns the line and the problem of each row that has one. */
export async function problemsOf(content: Content, options?: FileOptions) {
  const rows = await rowsOf(await tableOf(content, options));
  return rows.flatMap(({ line, problem }) => (problem === undefined ? [] : [[line, problem]]));
}

/** Returns the message and the hint of the usage error of a list that cannot be read. */
export async function errorOf(content: Content, options?: FileOptions): Promise<string> {
  try {
    await rowsOf(await tableOf(content, options));
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}\n${error.hint ?? ''}`;
    throw error;
  }
  throw new Error('the list was read');
}
