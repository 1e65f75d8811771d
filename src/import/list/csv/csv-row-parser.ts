import { unescapeFormulas } from '../../../output/csv.ts';
import { UsageError } from '../../../util/errors.ts';
import { ERROR_COLUMN, fieldForSpelling, normalizeSpelling } from '../../entry.ts';
import { warnOfIgnoredStatus } from '../column-names.ts';
import { EntryBuilder } from '../entry-builder.ts';
import { extraFieldRule, type FieldRule } from '../field-rules.ts';
import type { CsvColumns } from '../list-options.ts';
import { emptyListError, type ListRow, quote, quoteAll } from '../list-row.ts';
import { describeMapping, type ParserOptions, type ParserSummary, type RowParser } from '../row-parser.ts';
import { NO_CSV_COLUMNS, planCsvColumns } from './csv-columns.ts';
import { CsvReader, type CsvRow } from './csv-reader.ts';

/** Reads a CSV list: the first record is the header, unless --columns names the columns; the others are its rows. */
export class CsvRowParser implements RowParser {
  readonly #options: ParserOptions;
  readonly #reader: CsvReader | SheetReader;
  #rules: readonly FieldRule[];
  #columns: CsvColumns | undefined;
  #validator: CsvValidator | undefined;
  #isErrorsFile = false;
  #isEmpty = true;
  #entries = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#rules = options.rules;
    const { isSheet, delimiter, skipLines } = options;
    this.#reader = isSheet ? new SheetReader(skipLines) : new CsvReader(delimiter, skipLines);
    const { columns } = options.options;
    if (columns !== undefined) this.#plan(columns);
  }

  *push(text: string): Generator<ListRow[]> {
    for (const rows of this.#reader.push(text)) yield this.#validate(rows);
  }

  *end(): Generator<ListRow[]> {
    for (const rows of this.#reader.end()) yield this.#validate(rows);
    if (!this.#isEmpty) return;
    const { headerRow } = this.#options.options;
    if (headerRow === undefined || headerRow === 1) throw emptyListError();
    throw new UsageError(
      `there is no header on line ${headerRow}: the list ends before it`,
      'Correct --header-row: lines are counted from 1.',
      'empty-list',
    );
  }

  summary(): ParserSummary {
    const { delimiter, encoding, format, options } = this.#options;
    const columns = this.#columns ?? NO_CSV_COLUMNS;
    const names = new Map(columns.fields.map(({ field, column }) => [field, columns.header[column]]));
    const ignored = columns.ignored.map((column) => columns.header[column] ?? '').filter((name) => name !== '-');
    const hasActive = names.has('isActive') || options.defaults.has('isActive');
    return {
      layout: {
        format: format === 'tsv' ? 'tsv' : 'csv',
        hasBom: encoding.hasBom || encoding.name !== 'utf-8',
        delimiter,
        columns,
        options,
      },
      mapping: describeMapping({ options, rules: this.#rules }, (field) => names.get(field), ignored),
      warnings: columns.errorColumn === undefined ? warnOfIgnoredStatus(ignored, hasActive) : [],
      suggestedOptions: [],
    };
  }

  #plan(header: readonly string[]): CsvValidator {
    const { options } = this.#options;
    if (this.#isErrorsFile) this.#rules = [...this.#rules, ...header.flatMap((name) => extraFieldRule(name) ?? [])];
    this.#columns = planCsvColumns(header, this.#rules, options);
    this.#validator = new CsvValidator(this.#columns, { ...this.#options, rules: this.#rules });
    return this.#validator;
  }

  #validate(rows: CsvRow[]): ListRow[] {
    const [first] = rows;
    if (first === undefined) return [];
    this.#isEmpty = false;
    if (this.#validator !== undefined) {
      if (this.#entries === 0) this.#rejectHeader(first);
      return this.#validateRows(this.#validator, rows);
    }
    this.#isErrorsFile = normalizeSpelling(first.cells.at(-1) ?? '') === ERROR_COLUMN;
    return this.#validateRows(this.#plan(this.#unescaped(first).cells), rows.slice(1));
  }

  /** Throws if the list has a header in spite of --columns, which would be sent as a member. */
  #rejectHeader({ line, cells }: CsvRow): void {
    const fields = this.#columns?.fields ?? [];
    if (!fields.every(({ field, column }) => fieldForSpelling(cells[column] ?? '') === field)) return;
    throw new UsageError(
      `line ${line}: ${quoteAll(cells)} is a header, but --columns is for a list without one`,
      'Remove --columns. Columns with other names are read with --map.',
      'bad-columns',
    );
  }

  #validateRows(validator: CsvValidator, rows: readonly CsvRow[]): ListRow[] {
    return rows.map((row) => validator.validate(this.#unescaped(row), ++this.#entries));
  }

  /** Unescapes the formulas of an errors file, so that its cells equal those of the original list. */
  #unescaped(row: CsvRow): CsvRow {
    if (!this.#isErrorsFile) return row;
    return { line: row.line, cells: row.cells.map((cell) => unescapeFormulas(cell, this.#options.delimiter)) };
  }
}

/** A column that holds a field. */
interface BoundColumn {
  readonly rule: FieldRule;
  readonly column: number;
  readonly name: string;
  /** The cell that the builder read last, `null` if none. Most columns repeat a few texts, which are then read once. */
  cell: string | undefined | null;
}

/** Turns the records of a CSV list into validated rows, each by itself. */
class CsvValidator {
  readonly #columns: CsvColumns;
  readonly #bound: readonly BoundColumn[];
  readonly #ignoreExtra: boolean;
  readonly #builder: EntryBuilder;

  constructor(columns: CsvColumns, { rules, defaults, options }: ParserOptions) {
    this.#columns = columns;
    this.#bound = columns.fields.flatMap(({ field, column }) => {
      const rule = rules.find((candidate) => candidate.field === field);
      return rule === undefined ? [] : { rule, column, name: columns.header[column] ?? field, cell: undefined };
    });
    this.#builder = new EntryBuilder(rules, defaults);
    this.#ignoreExtra = options.ignoreExtraColumns || columns.errorColumn !== undefined;
  }

  /** Validates `row`, which is the row number `entry` (1-based) of the list. */
  validate(row: CsvRow, entry: number): ListRow {
    const { line, cells } = row;
    const builder = this.#builder;
    builder.next();
    for (const bound of this.#bound) setCell(builder, bound, cells[bound.column]);
    if (!this.#ignoreExtra) for (const column of this.#columns.unnamed) reportUnnamed(builder, column, cells[column]);
    if (cells.length > this.#columns.header.length) reportSurplus(builder, cells, this.#columns.header.length);
    if (repeatsHeader(cells, this.#columns.header)) builder.report({ message: 'this line repeats the header' });
    const value = builder.finish();
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw: row };
  }
}

/** Two lists that were joined have their header twice: it must not be sent as a member. */
function repeatsHeader(cells: readonly string[], header: readonly string[]): boolean {
  return cells.length > 1 && cells[0] === header[0] && cells.every((cell, column) => cell === header[column]);
}

function setCell(builder: EntryBuilder, bound: BoundColumn, cell: string | undefined): void {
  if (cell === bound.cell) return;
  bound.cell = builder.set(bound.rule, cell, bound.name) ? cell : null;
}

function reportUnnamed(builder: EntryBuilder, column: number, cell: string | undefined): void {
  if (cell === undefined || cell.trim() === '') return;
  builder.report({ value: cell, message: `column ${column + 1} has no header, but this row has ${quote(cell)} in it` });
}

function reportSurplus(builder: EntryBuilder, cells: readonly string[], columns: number): void {
  const value = cells.slice(columns).find((cell) => cell.trim() !== '');
  if (value === undefined) return;
  builder.report({
    value,
    message: `${cells.length} cells, but the header has ${columns}: ${quote(value)} is too many (quote a cell that contains the delimiter)`,
  });
}

/** Reads the rows of a sheet, see `ConvertedSource`. Blank ones are left out already. */
class SheetReader implements Pick<CsvReader, 'push' | 'end'> {
  readonly #skip: number;
  #rest = '';

  /** @param skipLines rows of the sheet before the header */
  constructor(skipLines: number) {
    this.#skip = skipLines;
  }

  *push(text: string): Generator<CsvRow[]> {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    const rows: CsvRow[] = [];
    for (const json of lines) {
      const [line, ...cells] = JSON.parse(json) as [number, ...string[]];
      if (line > this.#skip && cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
    }
    yield rows;
  }

  *end(): Generator<CsvRow[]> {}
}
