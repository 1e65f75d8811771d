import type { MemberField } from '../entry.ts';
import type { CsvColumns } from './csv-columns.ts';
import type { CsvRow } from './csv-reader.ts';
import { EntryBuilder, type FieldValues } from './entry-builder.ts';
import type { ListRow } from './list-row.ts';
import { quote } from './quote.ts';

/** A column that holds a field. */
interface FieldColumn {
  readonly field: MemberField;
  readonly column: number;
  readonly name: string;
  /** The cell whose value the draft holds, `null` where it holds none: most columns hold the same few texts over and over. */
  cell: string | undefined | null;
}

/** Turns the records of a CSV list into checked rows; knows nothing of other rows. */
export class CsvValidator {
  readonly #columns: CsvColumns;
  readonly #fields: readonly FieldColumn[];
  readonly #defaults: FieldValues;
  readonly #ignoreExtra: boolean;
  readonly #builder = new EntryBuilder();

  constructor(columns: CsvColumns, defaults: FieldValues, ignoreExtraColumns: boolean) {
    this.#columns = columns;
    this.#fields = columns.fields.map(([field, column]) => {
      return { field, column, name: columns.header[column] ?? field, cell: undefined };
    });
    this.#defaults = defaults;
    this.#ignoreExtra = ignoreExtraColumns || columns.errorColumn !== undefined;
  }

  /** Checks `row`, which is the row number `entry` (1-based) of the list. */
  validate(row: CsvRow, entry: number): ListRow {
    const { line, cells } = row;
    const { header, unnamed } = this.#columns;
    const builder = this.#builder;
    builder.next();
    for (const field of this.#fields) setField(builder, field, cells[field.column]);
    if (!this.#ignoreExtra) {
      for (const column of unnamed) reportUnnamed(builder, column, cells[column]);
    }
    if (cells.length > header.length) reportSurplus(builder, cells, header.length);
    const value = builder.finish(this.#defaults);
    return {
      line,
      entry,
      userId: builder.values.userId,
      value,
      issues: builder.issues,
      raw: row,
    };
  }
}

function setField(builder: EntryBuilder, known: FieldColumn, cell: string | undefined): void {
  if (cell === known.cell) return;
  builder.clear(known.field);
  known.cell = builder.set(known.field, cell, known.name) ? cell : null;
}

function reportUnnamed(builder: EntryBuilder, column: number, cell: string | undefined): void {
  if (cell === undefined || cell.trim() === '') return;
  builder.report({ value: cell, message: `column ${column + 1} has no header, and here the value ${quote(cell)}` });
}

function reportSurplus(builder: EntryBuilder, cells: readonly string[], columns: number): void {
  const value = cells.slice(columns).find((cell) => cell.trim() !== '');
  if (value === undefined) return;
  builder.report({
    value,
    message: `${cells.length} cells, but the header has ${columns}: ${quote(value)} is too many (a cell that holds the delimiter belongs in quotes)`,
  });
}
