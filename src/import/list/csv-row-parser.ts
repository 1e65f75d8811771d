import { unescapeFormulas } from '../../output/formulas.ts';
import { ERROR_COLUMN, normalizeSpelling } from '../field-names.ts';
import { type CsvColumns, NO_CSV_COLUMNS, planCsvColumns } from './csv-columns.ts';
import { CsvReader, type CsvRow } from './csv-reader.ts';
import { CsvValidator } from './csv-validator.ts';
import { emptyListError } from './empty-list.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListRow } from './list-row.ts';
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
