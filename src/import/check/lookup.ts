import { Readable } from 'node:stream';
import { quote } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
import { comparableText } from '../../util/visible-text.ts';
import type { Mapping } from '../mapping.ts';
import { readTable } from '../table/read-table.ts';
import type { Table } from '../table/table.ts';
import { changedId, Rejected, readCellText } from './read-cell-text.ts';

/** A second list, and the IDs that it has next to the values of the first one. */
export interface Lookup {
  /** Its name for messages. */
  readonly name: string;
  /** Returns the one ID next to a value; undefined if there is none, a rejection if there are several. */
  find(text: string): string | undefined | Rejected;
}

/** Stands for several different IDs. */
const SEVERAL = Symbol('several');

/**
 * Reads a second list, by the same rules as a list, without options.
 *
 * @throws UsageError if it cannot be read, lacks a column, or has a row that cannot be read
 */
export async function loadLookup({ file, from, to }: NonNullable<Mapping['lookup']>): Promise<Lookup> {
  const table = await readTable({ path: file, stdin: Readable.from([]) }, {}).catch((error: unknown) => {
    throw inSecondList(error);
  });
  const [fromColumn, toColumn] = [columnOf(table, from), columnOf(table, to)];
  const ids = new Map<string, string | Rejected | typeof SEVERAL>();
  for await (const rows of table.chunks()) {
    for (const { line, cells, problem } of rows) {
      const reject = (message: string) => {
        const place = table.position === 'line' ? 'line' : 'element';
        throw inSecondList(
          new UsageError(`${table.name}: ${place} ${line} ${message}`, 'Fix it in the second list.', 'bad-list'),
        );
      };
      if (problem !== undefined) reject(problem);
      const key = readCellText(cells[fromColumn], from, true);
      const id = readCellText(cells[toColumn], to, false);
      if (key instanceof Rejected) reject(`cannot be read: ${key.message}`);
      if (typeof key !== 'string' || id === undefined) continue;
      const known = ids.get(comparableText(key));
      ids.set(comparableText(key), known === undefined || known === id ? checkedId(id, key, table) : SEVERAL);
    }
  }
  return {
    name: table.name,
    find(text) {
      const id = ids.get(comparableText(text));
      if (id !== SEVERAL) return id;
      return new Rejected(text, `userId: ${quote(text)} has several different IDs in ${table.name}`);
    },
  };
}

/** Returns an ID, or why the people who need it are invalid. */
function checkedId(id: string | Rejected, key: string, { name, format }: Table): string | Rejected {
  if (id instanceof Rejected)
    return new Rejected(key, `userId: the ID of ${quote(key)} in ${name} cannot be read: ${id.message}`);
  const problem = changedId(id, format);
  return problem === undefined
    ? id
    : new Rejected(key, `userId: ${quote(key)} has ${quote(id)} in ${name}, which ${problem}`);
}

function columnOf({ name, columns, format }: Table, wanted: string): number {
  const names = columns.map(comparableText);
  const key = comparableText(wanted);
  const at = names.indexOf(key);
  const problem = at === -1 ? 'no column' : names.indexOf(key, at + 1) === -1 ? undefined : 'two columns';
  if (problem === undefined) return at;
  throw new UsageError(
    `--lookup: ${name} has ${problem} ${quote(wanted)}`,
    columns.length === 1 && format === 'csv'
      ? `Its only column is ${quote(columns[0] ?? '')}. If it should have more, save it as CSV UTF-8, with commas.`
      : `Its columns are ${columns.map((column) => quote(column)).join(', ')}.`,
    'bad-columns',
  );
}

/** The options about a file are those of the first list. */
function inSecondList(error: unknown): unknown {
  if (!(error instanceof UsageError)) return error;
  const needsOption = /--\w/.test(error.hint ?? '');
  const hint = needsOption
    ? 'Save the second list as CSV UTF-8 with a header, or as a JSON array of objects.'
    : error.hint;
  return new UsageError(`--lookup: ${error.message}`, hint, error.code);
}
