import { Readable } from 'node:stream';
import type { ColumnSample } from '../../../import/check/decisions.ts';
import { Rejected, readCellText } from '../../../import/check/read-cell-text.ts';
import type { Mapping } from '../../../import/mapping.ts';
import { readTable } from '../../../import/table/read-table.ts';
import type { Cell, Table } from '../../../import/table/table.ts';
import { autocomplete, type Choice, type PromptTerminal, path, select } from '../../../output/prompt.ts';
import { quote } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { formatCount } from '../../../util/units.ts';
import { comparableText } from '../../../util/visible-text.ts';
import { columnChoices } from './column-choices.ts';

/** Which column identifies people, and where their IDs are if it has their addresses. */
export interface IdAnswer {
  readonly column: string;
  readonly lookup: Mapping['lookup'];
}

/** Says something between two questions. */
export type Say = (line: string) => void;

/**
 * Asks which column has the user IDs. If its values are email addresses, asks whether the service uses them as IDs, or which file
 * has the IDs.
 *
 * @param columns those to choose from; one that the list has decided about is the only one
 */
export async function askIds(
  columns: readonly ColumnSample[],
  table: Table,
  say: Say,
  terminal: PromptTerminal,
): Promise<IdAnswer> {
  const [only] = columns;
  const chosen =
    columns.length === 1
      ? only
      : columns[
          Number(
            await autocomplete(
              'Which column identifies each person in your service? (user ID, or email address to look up)',
              columnChoices(columns),
              terminal,
            ),
          )
        ];
  const column = chosen?.name ?? '';
  const addresses = await addressesIn(table, column);
  return { column, lookup: addresses && (await askLookup(addresses, say, terminal)) };
}

/** Returns the addresses of a column, comparable; undefined if any of its values is something else. */
async function addressesIn(table: Table, name: string): Promise<ReadonlySet<string> | undefined> {
  const column = table.columns.indexOf(name);
  const addresses = new Set<string>();
  for await (const rows of table.chunks())
    for (const { cells } of rows) {
      const text = textOf(cells[column]);
      if (text === undefined) continue;
      if (!text.includes('@')) return undefined;
      addresses.add(comparableText(text));
    }
  return addresses.size > 0 ? addresses : undefined;
}

const ADDRESS_CHOICES: readonly Choice<'file' | 'addresses'>[] = [
  { value: 'file', label: 'No, look up each ID in another file' },
  { value: 'addresses', label: 'Yes' },
];

async function askLookup(
  addresses: ReadonlySet<string>,
  say: Say,
  terminal: PromptTerminal,
): Promise<Mapping['lookup']> {
  const question = 'These are email addresses. Does your service use them as user IDs?';
  if ((await select(question, ADDRESS_CHOICES, terminal)) === 'addresses') return undefined;
  for (;;) {
    const file = await path('File with email addresses and user IDs:', isBlank, terminal);
    try {
      return await askIdColumn(file, addresses, say, terminal);
    } catch (error) {
      if (!(error instanceof UsageError) || error.code === 'canceled') throw error;
      say(error.message);
    }
  }
}

function isBlank(answer: string): string | undefined {
  return answer === '' ? 'Type the path of a file.' : undefined;
}

/** @throws UsageError for a file that cannot be read, or has none of the addresses */
async function askIdColumn(
  file: string,
  addresses: ReadonlySet<string>,
  say: Say,
  terminal: PromptTerminal,
): Promise<Mapping['lookup']> {
  const table = await readTable({ path: file, stdin: Readable.from([]) }, {});
  const { column, found } = await columnOfAddresses(table, addresses);
  const from = table.columns[column] ?? '';
  say(`${formatCount(found)} of ${formatCount(addresses.size)} found in ${quote(from)} of ${table.name}`);
  const candidates = await idColumns(table, column, addresses);
  if (candidates.length === 0) throw new UsageError(`${table.name} has no column with an ID next to each address`);
  const question = `Which column of ${table.name} has the user IDs?`;
  const choice = candidates.length === 1 ? '0' : await autocomplete(question, columnChoices(candidates), terminal);
  return { file, from, to: candidates[Number(choice)]?.name ?? '' };
}

/** Returns the column that has the most of the addresses, and how many. */
async function columnOfAddresses(
  table: Table,
  addresses: ReadonlySet<string>,
): Promise<{ column: number; found: number }> {
  const found = table.columns.map(() => new Set<string>());
  for await (const rows of table.chunks())
    for (const { cells } of rows)
      for (const [at, cell] of cells.entries()) {
        const key = comparableText(textOf(cell) ?? '');
        if (addresses.has(key)) found[at]?.add(key);
      }
  const most = Math.max(...found.map(({ size }) => size));
  if (most <= 0) throw new UsageError(`${table.name} has none of the email addresses on the list`);
  return { column: found.findIndex(({ size }) => size === most), found: most };
}

/** Returns the columns that may have the IDs: each address has one, which has no space and belongs to no other address. */
async function idColumns(table: Table, from: number, addresses: ReadonlySet<string>): Promise<ColumnSample[]> {
  const ids = table.columns.map((): Map<string, string> | undefined => new Map());
  ids[from] = undefined;
  for await (const rows of table.chunks())
    for (const { cells } of rows) {
      const address = comparableText(textOf(cells[from]) ?? '');
      if (!addresses.has(address)) continue;
      for (const [at, known] of ids.entries()) {
        const id = textOf(cells[at]) ?? ' ';
        if (/\s/.test(id) || (known?.get(id) ?? address) !== address) ids[at] = undefined;
        else known?.set(id, address);
      }
    }
  return ids.flatMap((known, at) => {
    if (known === undefined || known.size === 0) return [];
    const samples = [...known.keys()].slice(0, 3);
    return [{ name: table.columns[at] ?? '', filled: known.size, samples, counts: undefined }];
  });
}

function textOf(cell: Cell): string | undefined {
  const text = readCellText(cell, '', true);
  return text instanceof Rejected ? undefined : text;
}
