import { unescapeFormulas } from '../../output/csv.ts';
import { ERROR_COLUMN, type MemberField, normalizeSpelling } from '../entry.ts';
import { NO_CSV_COLUMNS, planCsvColumns } from './csv-columns.ts';
import { CsvReader, type CsvRow } from './csv-reader.ts';
import { EntryBuilder, type FieldValues } from './entry-builder.ts';
import type { CsvColumns, ListLayout } from './list-options.ts';
import { emptyListError, type ListRow, quote } from './list-row.ts';
import type { ParserOptions, RowParser } from './row-parser.ts';

/** Reads a CSV list: the first record is the header, the others are its rows. */
export class CsvRowParser implements RowParser {
  readonly #plan: ParserOptions;
  readonly #reader: CsvReader;
  #columns: CsvColumns | undefined;
  #validator: CsvValidator | undefined;
  #isErrorsFile = false;
  #entries = 0;

  constructor(plan: ParserOptions) {
    this.#plan = plan;
    this.#reader = new CsvReader(plan.delimiter);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const rows of this.#reader.push(text)) yield this.#check(rows);
  }

  *end(): Generator<ListRow[]> {
    for (const rows of this.#reader.end()) yield this.#check(rows);
    if (this.#columns === undefined) throw emptyListError();
  }

  layout(): ListLayout {
    const { delimiter, encoding, format, options } = this.#plan;
    return {
      bom: encoding.bomBytes > 0,
      format: format === 'tsv' ? 'tsv' : 'csv',
      delimiter,
      columns: this.#columns ?? NO_CSV_COLUMNS,
      options,
    };
  }

  #check(rows: CsvRow[]): ListRow[] {
    const [first] = rows;
    if (first === undefined) return [];
    if (this.#validator !== undefined) return this.#checkRows(this.#validator, rows);
    const { options, defaults } = this.#plan;
    this.#isErrorsFile = normalizeSpelling(first.cells.at(-1) ?? '') === ERROR_COLUMN;
    this.#columns = planCsvColumns(this.#unescaped(first).cells, options);
    this.#validator = new CsvValidator(this.#columns, defaults, options.ignoreExtraColumns);
    return this.#checkRows(this.#validator, rows.slice(1));
  }

  #checkRows(checker: CsvValidator, rows: readonly CsvRow[]): ListRow[] {
    return rows.map((row) => checker.validate(this.#unescaped(row), ++this.#entries));
  }

  /** An errors file has its formulas escaped; the cells are to be those of the list that it was written for. */
  #unescaped(row: CsvRow): CsvRow {
    if (!this.#isErrorsFile) return row;
    return { line: row.line, cells: row.cells.map((cell) => unescapeFormulas(cell, this.#plan.delimiter)) };
  }
}

/** A column that holds a field. */
interface FieldColumn {
  readonly field: MemberField;
  readonly column: number;
  readonly name: string;
  /** The cell whose value the draft holds, `null` where it holds none: most columns hold the same few texts over and over. */
  cell: string | undefined | null;
}

/** Turns the records of a CSV list into checked rows; knows nothing of other rows. */
class CsvValidator {
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
