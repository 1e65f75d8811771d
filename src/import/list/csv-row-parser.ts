import { unescapeFormulas } from '../../output/formulas.ts';
import { ERROR_COLUMN, normalise } from '../field-names.ts';
import { type Columns, NO_COLUMNS, planColumns } from './csv-columns.ts';
import { CsvReader, type CsvRow } from './csv-reader.ts';
import { CsvChecker } from './csv-validator.ts';
import { emptyList } from './empty-list.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListRow } from './list-row.ts';
import type { ListReading, ReadingPlan } from './row-parser.ts';

/** Reads a CSV list: the first record is the header, the others are its rows. */
export class CsvReading implements ListReading {
  readonly #plan: ReadingPlan;
  readonly #reader: CsvReader;
  #columns: Columns | undefined;
  #checker: CsvChecker | undefined;
  #isErrorsFile = false;
  #entries = 0;

  constructor(plan: ReadingPlan) {
    this.#plan = plan;
    this.#reader = new CsvReader(plan.delimiter);
  }

  *push(text: Buffer): Generator<ListRow[]> {
    for (const rows of this.#reader.push(text)) yield this.#check(rows);
  }

  *end(): Generator<ListRow[]> {
    for (const rows of this.#reader.end()) yield this.#check(rows);
    if (this.#columns === undefined) throw emptyList();
  }

  layout(): ListLayout {
    const { delimiter, form, format, options } = this.#plan;
    return {
      bom: form.bomBytes > 0,
      format: format === 'tsv' ? 'tsv' : 'csv',
      delimiter,
      columns: this.#columns ?? NO_COLUMNS,
      options,
    };
  }

  #check(rows: CsvRow[]): ListRow[] {
    const [first] = rows;
    if (first === undefined) return [];
    if (this.#checker !== undefined) return this.#checkRows(this.#checker, rows);
    const { options, defaults } = this.#plan;
    this.#isErrorsFile = normalise(first.cells.at(-1) ?? '') === ERROR_COLUMN;
    this.#columns = planColumns(this.#unescaped(first).cells, options);
    this.#checker = new CsvChecker(this.#columns, defaults, options.ignoreExtraColumns);
    return this.#checkRows(this.#checker, rows.slice(1));
  }

  #checkRows(checker: CsvChecker, rows: readonly CsvRow[]): ListRow[] {
    return rows.map((row) => checker.check(this.#unescaped(row), ++this.#entries));
  }

  /** An errors file has its formulas escaped; the cells are to be those of the list that it was written for. */
  #unescaped(row: CsvRow): CsvRow {
    if (!this.#isErrorsFile) return row;
    return { line: row.line, cells: row.cells.map((cell) => unescapeFormulas(cell, this.#plan.delimiter)) };
  }
}
