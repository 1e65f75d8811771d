import type { Field } from '../entry.ts';
import type { Columns } from './csv-columns.ts';
import type { CsvRow } from './csv-reader.ts';
import { Draft, type Values } from './entry-builder.ts';
import type { ListRow } from './list-row.ts';
import { quote } from './quote.ts';

/** A column that holds a field. */
interface FieldColumn {
  readonly field: Field;
  readonly column: number;
  readonly name: string;
  /** The cell whose value the draft holds, `null` where it holds none: most columns hold the same few texts over and over. */
  cell: string | undefined | null;
}

/** Turns the records of a CSV list into checked rows; knows nothing of other rows. */
export class CsvChecker {
  readonly #columns: Columns;
  readonly #fields: readonly FieldColumn[];
  readonly #defaults: Values;
  readonly #ignoreExtra: boolean;
  readonly #draft = new Draft();

  constructor(columns: Columns, defaults: Values, ignoreExtraColumns: boolean) {
    this.#columns = columns;
    this.#fields = columns.fields.map(([field, column]) => {
      return { field, column, name: columns.header[column] ?? field, cell: undefined };
    });
    this.#defaults = defaults;
    this.#ignoreExtra = ignoreExtraColumns || columns.errorColumn !== undefined;
  }

  /** Checks `row`, which is the row number `entry` (1-based) of the list. */
  check(row: CsvRow, entry: number): ListRow {
    const { line, cells } = row;
    const { header, unnamed } = this.#columns;
    const draft = this.#draft;
    draft.next();
    for (const field of this.#fields) setField(draft, field, cells[field.column]);
    if (!this.#ignoreExtra) {
      for (const column of unnamed) reportUnnamed(draft, column, cells[column]);
    }
    if (cells.length > header.length) reportSurplus(draft, cells, header.length);
    const value = draft.finish(this.#defaults);
    return {
      line,
      entry,
      userId: draft.values.userId,
      value,
      problems: draft.problems,
      raw: row,
    };
  }
}

function setField(draft: Draft, known: FieldColumn, cell: string | undefined): void {
  if (cell === known.cell) return;
  draft.clear(known.field);
  known.cell = draft.set(known.field, cell, known.name) ? cell : null;
}

function reportUnnamed(draft: Draft, column: number, cell: string | undefined): void {
  if (cell === undefined || cell.trim() === '') return;
  draft.report({ value: cell, message: `column ${column + 1} has no header, and here the value ${quote(cell)}` });
}

function reportSurplus(draft: Draft, cells: readonly string[], columns: number): void {
  const value = cells.slice(columns).find((cell) => cell.trim() !== '');
  if (value === undefined) return;
  draft.report({
    value,
    message: `${cells.length} cells, but the header has ${columns}: ${quote(value)} is too many (a cell that holds the delimiter belongs in quotes)`,
  });
}
