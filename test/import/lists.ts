import { Readable } from 'node:stream';
import { checkRows, type ListCheck } from '../../src/import/check/check-rows.ts';
import { loadLookup } from '../../src/import/check/lookup.ts';
import type { CheckedRow } from '../../src/import/checked-row.ts';
import type { GivenMapping, Mapping } from '../../src/import/mapping.ts';
import { readTable } from '../../src/import/table/read-table.ts';
import { type FileOptions, type Row, type Table, Unreadable } from '../../src/import/table/table.ts';
import { UsageError } from '../../src/util/errors.ts';

/** The content of a list. */
type Content = string | Uint8Array;

/** How a list is read and checked in a test. */
export interface Given extends Partial<Omit<GivenMapping, 'mapping'>>, FileOptions {
  readonly mapping?: Mapping;
}

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

/** Checks a list from standard input. */
export async function checkList(content: Content, given: Given = {}): Promise<ListCheck & { rows: CheckedRow[] }> {
  const { mapping = {}, file, ignoresOthers = false, ...options } = given;
  const table = await tableOf(content, options);
  const lookup = mapping.lookup && (await loadLookup(mapping.lookup));
  const pass = checkRows(table, { mapping, file, ignoresOthers }, lookup);
  const rows: CheckedRow[] = [];
  let next = await pass.next();
  for (; !next.done; next = await pass.next()) rows.push(...next.value);
  return { ...next.value, rows };
}

/** Returns the members of a list. */
export async function membersOf(content: Content, given?: Given) {
  return (await checkList(content, given)).rows.map(({ member }) => member);
}

/** Returns the messages of the invalid rows of a list, after their lines. */
export async function messagesOf(content: Content, given?: Given): Promise<string[]> {
  const { rows } = await checkList(content, given);
  return rows.flatMap(({ line, issues }) => issues.map(({ message }) => `${line}: ${message}`));
}

/** Returns the kinds of what a list leaves open. */
export async function decisionsOf(content: Content, given?: Given): Promise<string[]> {
  return (await checkList(content, given)).decisions.map(({ kind }) => kind);
}

/** Returns the message and the hint of the usage error of a list that cannot be read or checked. */
export async function errorOf(content: Content, given?: Given): Promise<string> {
  try {
    await checkList(content, given);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message}\n${error.hint ?? ''}`;
    throw error;
  }
  throw new Error('the list was read');
}
