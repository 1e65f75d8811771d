import type { Block } from './blocks.ts';
import { renderCell } from './json.ts';
import { type Groups, isComplete } from './json-writer.ts';
import type { Output, OutputFormat } from './output.ts';
import type { Cell, Column } from './table.ts';
import type { Text } from './text.ts';

/** The result of a command in each kind of format. Only the function of the output's format is called. */
export interface RecordViews {
  /** The JSON document; see `writeJson` for members that arrive in groups. */
  json(): unknown;
  /** The values of the lines of ndjson. Bytes are lines that are rendered already. */
  ndjson(): Groups<unknown>;
  /** The rows of csv, the header first. */
  csv(): Groups<readonly unknown[]>;
  /** The view for people, as a table. */
  people(): Groups<Block>;
}

/** Views of a result that is complete. */
export interface CompleteViews extends RecordViews {
  ndjson(): readonly unknown[];
  csv(): readonly (readonly unknown[])[];
  people(): readonly Block[];
}

const WRITERS: Readonly<Record<OutputFormat, (views: RecordViews, output: Output) => Promise<void>>> = {
  json: async (views, output) => output.json(await views.json()),
  ndjson: (views, output) => eachGroup(views.ndjson(), output, (values) => output.ndjson(values)),
  csv: (views, output) => eachGroup(views.csv(), output, (rows) => output.csv(rows)),
  table: printBlocks,
};

/** Prints the result of a command in the output's format. */
export function printRecords(views: RecordViews, output: Output): Promise<void> {
  return WRITERS[output.format](views, output);
}

async function printBlocks(views: RecordViews, output: Output): Promise<void> {
  await eachGroup(views.people(), output, async (blocks) => {
    for (const block of blocks) await output.print(block);
  });
}

/** Ends early if the reader of the output has exited, for example `head`. */
async function eachGroup<T>(
  groups: Groups<T>,
  output: Output,
  write: (group: readonly T[]) => Promise<void>,
): Promise<void> {
  if (isComplete(groups)) return write(groups);
  for await (const group of groups) {
    if (output.closed) return;
    await write(group);
  }
}

/** A column of a list of records: its name in csv, and how a table shows it. */
export interface RecordColumn<R> extends Partial<Column> {
  readonly name: string;
  /** Returns the value; default: the member of this name. */
  value?(record: R): unknown;
  /** Returns the cell of a table; default: the value. */
  cell?(record: R): Cell;
}

/**
 * Returns the views of a list of records: an array in JSON, a line for each in ndjson, and a row for each in csv and tables.
 * A column may be just the name of a member. A view that differs replaces one of these: `{ ...listOf(…), people: … }`.
 *
 * @param empty what people read if there are no records; default: a table without rows
 */
export function listOf<R extends object>(
  records: readonly R[],
  columns: readonly (RecordColumn<R> | Extract<keyof R, string>)[],
  empty?: Text,
): CompleteViews {
  const described = columns.map((column): RecordColumn<R> => (typeof column === 'string' ? { name: column } : column));
  const read = ({ name, value }: RecordColumn<R>, record: R) =>
    value === undefined ? record[name as keyof R] : value(record);
  return {
    json: () => records,
    ndjson: () => records,
    csv: () => [
      described.map(({ name }) => name),
      ...records.map((record) => described.map((column) => read(column, record))),
    ],
    people() {
      if (records.length === 0 && empty !== undefined) return [{ notice: empty }];
      const cellOf = (column: RecordColumn<R>, record: R) => column.cell?.(record) ?? renderCell(read(column, record));
      return [
        {
          columns: described.map((column) => ({ header: column.name, ...column })),
          rows: records.map((record) => described.map((column) => cellOf(column, record))),
        },
      ];
    },
  };
}

/**
 * Returns the views of one record: an object in JSON, a row in csv.
 *
 * @param people what people read
 */
export function recordOf(record: object, people: () => readonly Block[] = () => []): CompleteViews {
  return {
    json: () => record,
    ndjson: () => [record],
    csv: () => [Object.keys(record), Object.values(record)],
    people,
  };
}

/** Prints a result that people read as a sentence. In the formats for programs, the sentence is a note. */
export async function printNotice(views: RecordViews, notice: Text, output: Output): Promise<void> {
  await printRecords({ ...views, people: () => [{ notice }] }, output);
  if (output.format !== 'table') output.note(notice);
}
