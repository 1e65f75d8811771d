import { unescapeFormulas } from '../../../output/csv.ts';
import { UsageError } from '../../../util/errors.ts';
import { suggest } from '../../../util/suggest.ts';
import {
  ERROR_COLUMN,
  fieldForSpelling,
  isForbiddenKey,
  type MemberField,
  normalizeSpelling,
  suggestField,
} from '../../entry.ts';
import { EntryBuilder, extraFieldRule, type FieldRule } from '../field-rules.ts';
import type { CsvColumns, FieldColumn, ListOptions } from '../list-options.ts';
import { emptyListError, type ListRow, quote, quoteAll } from '../list-row.ts';
import {
  ColumnsError,
  describeMapping,
  type ParserOptions,
  type ParserSummary,
  type RowParser,
  suggestOptions,
  warnOfIgnoredStatus,
} from '../row-parser.ts';
import { CsvReader, type CsvRow } from './csv-reader.ts';

/** The columns of a list whose header was not read yet. */
const NO_CSV_COLUMNS: CsvColumns = { header: [], fields: [], ignored: [], unnamed: [], errorColumn: undefined };

/** Reads a CSV list: the first record is the header, unless --columns names the columns; the others are its rows. */
export class CsvRowParser implements RowParser {
  readonly #options: ParserOptions;
  readonly #reader: CsvReader | SheetReader;
  #rules: readonly FieldRule[];
  #columns = NO_CSV_COLUMNS;
  #validate: (row: CsvRow, entry: number) => ListRow;
  #isErrorsFile = false;
  #isEmpty = true;
  #entries = 0;

  constructor(options: ParserOptions) {
    this.#options = options;
    this.#rules = options.rules;
    const { isSheet, delimiter, skipLines } = options;
    this.#reader = isSheet ? new SheetReader(skipLines) : new CsvReader(delimiter, skipLines);
    this.#validate = createCsvValidator(this.#columns, options);
    const { columns } = options.options;
    if (columns !== undefined) this.#plan(columns);
  }

  *push(text: string): Generator<ListRow[]> {
    for (const rows of this.#reader.push(text)) yield this.#read(rows);
  }

  *end(): Generator<ListRow[]> {
    for (const rows of this.#reader.end()) yield this.#read(rows);
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
    const columns = this.#columns;
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

  #plan(header: readonly string[]): void {
    const { options } = this.#options;
    if (this.#isErrorsFile) this.#rules = [...this.#rules, ...header.flatMap((name) => extraFieldRule(name) ?? [])];
    this.#columns = planCsvColumns(header, this.#rules, options);
    this.#validate = createCsvValidator(this.#columns, { ...this.#options, rules: this.#rules });
  }

  #read(records: readonly CsvRow[]): ListRow[] {
    const [first] = records;
    if (first === undefined) return [];
    const isStart = this.#isEmpty;
    const hasHeader = this.#options.options.columns === undefined;
    this.#isEmpty = false;
    if (isStart && hasHeader) {
      this.#isErrorsFile = normalizeSpelling(first.cells.at(-1) ?? '') === ERROR_COLUMN;
      this.#plan(this.#unescaped(first).cells);
    } else if (isStart) {
      this.#rejectHeader(first);
    }
    const rows = isStart && hasHeader ? records.slice(1) : records;
    return rows.map((row) => this.#validate(this.#unescaped(row), ++this.#entries));
  }

  /** Throws if the list has a header in spite of --columns, which would be sent as a member. */
  #rejectHeader({ line, cells }: CsvRow): void {
    if (!this.#columns.fields.every(({ field, column }) => fieldForSpelling(cells[column] ?? '') === field)) return;
    throw new UsageError(
      `line ${line}: ${quoteAll(cells)} is a header, but --columns is for a list without one`,
      'Remove --columns. Columns with other names are read with --map.',
      'bad-columns',
    );
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

/** Returns a function that validates the record that is row number `entry` (1-based) of a CSV list. */
function createCsvValidator(
  { header, fields, unnamed, errorColumn }: CsvColumns,
  { rules, defaults, options }: ParserOptions,
): (row: CsvRow, entry: number) => ListRow {
  const allBound: BoundColumn[] = fields.flatMap(({ field, column }) =>
    rules
      .filter((rule) => rule.field === field)
      .map((rule) => ({ rule, column, name: header[column] ?? field, cell: undefined })),
  );
  const builder = new EntryBuilder(rules, defaults);
  const blankColumns = options.ignoreExtraColumns || errorColumn !== undefined ? [] : unnamed;
  return (row, entry) => {
    const { line, cells } = row;
    builder.next();
    for (const bound of allBound) setCell(builder, bound, cells[bound.column]);
    for (const column of blankColumns) reportUnnamed(builder, column, cells[column]);
    if (cells.length > header.length) reportSurplus(builder, cells, header.length);
    if (repeatsHeader(cells, header)) builder.report({ message: 'this line repeats the header' });
    const value = builder.finish();
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw: row };
  };
}

/** Two lists that were joined have their header twice: it must not be sent as a member. */
function repeatsHeader(cells: readonly string[], header: readonly string[]): boolean {
  return cells.every((cell, column) => cell === header[column]);
}

function setCell(builder: EntryBuilder, bound: BoundColumn, cell: string | undefined): void {
  if (cell === bound.cell) return;
  const isValid = builder.set(bound.rule, cell, bound.name);
  bound.cell = isValid && bound.rule.field !== 'userId' ? cell : null;
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

/** Reads the rows of a sheet, see `ParserOptions.isSheet`. Blank ones are left out already. */
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

/** Finds the fields in a header. Throws one `ColumnsError` with everything that does not fit. */
function planCsvColumns(header: readonly string[], rules: readonly FieldRule[], options: ListOptions): CsvColumns {
  const problems: string[] = [];
  const mapped = findMappedColumns(header, rules, problems);
  const fields = new Map(mapped);
  const used = new Set(mapped.values());
  const unnamed: number[] = [];
  const unknown: number[] = [];
  let errorColumn: number | undefined;
  for (const [column, name] of header.entries()) {
    const field = fieldForSpelling(name);
    const earlier = field === undefined ? undefined : fields.get(field);
    if (isForbiddenKey(name))
      problems.push(`column ${quote(name)} has a name that cannot be used (rename or remove it)`);
    else if (used.has(column)) continue;
    else if (name.trim() === '') unnamed.push(column);
    else if (column === header.length - 1 && normalizeSpelling(name) === ERROR_COLUMN) errorColumn = column;
    else if (field === undefined || isSkippedName(name, options)) unknown.push(column);
    else if (earlier === undefined) fields.set(field, column);
    else if (mapped.has(field) && options.ignoreExtraColumns) unknown.push(column);
    else problems.push(bothRead(header, earlier, column, field));
  }
  const missing = (['userId', 'role'] as const).filter(
    (field) => !fields.has(field) && !options.map.has(field) && !options.defaults.has(field),
  );
  // An errors file keeps the unknown columns of its list, which were ignored when that was read.
  const isRejected = !options.ignoreExtraColumns && errorColumn === undefined;
  const rejected = isRejected ? unknown.filter((column) => !isSkippedName(header[column] ?? '', options)) : [];
  if (problems.length + missing.length + rejected.length > 0) {
    throw columnsError(header, { problems, missing, rejected, unknown, present: new Set(fields.keys()) });
  }
  const columns: FieldColumn[] = [...fields].map(([field, column]) => ({ field, column }));
  return { header, fields: columns, ignored: unknown, unnamed, errorColumn };
}

/** With --columns, `-` names a column that is not read. */
function isSkippedName(name: string, options: ListOptions): boolean {
  return options.columns !== undefined && name === '-';
}

/** The columns that --map and --extra-field name: by exact text first, then by spelling, then by number. */
function findMappedColumns(
  header: readonly string[],
  rules: readonly FieldRule[],
  problems: string[],
): Map<string, number> {
  const found = new Map<string, number>();
  for (const { field, source, isExtra } of rules) {
    if (source === undefined) continue;
    const option = `${isExtra ? '--extra-field' : '--map'} ${field}=${source.isInverted ? '!' : ''}${source.name}`;
    const [column, second] = columnsNamed(header, source.name);
    if (column === undefined) {
      const near = suggest(source.name, header);
      problems.push(`${option}: there is no such column${near === undefined ? '' : ` (did you mean ${quote(near)}?)`}`);
    } else if (second !== undefined) {
      problems.push(
        `${option}: columns ${column + 1} and ${second + 1} both have that name (name one by its number: #${column + 1})`,
      );
    } else found.set(field, column);
  }
  return found;
}

function columnsNamed(header: readonly string[], wanted: string): number[] {
  const matching = (matches: (name: string) => boolean) =>
    [...header.keys()].filter((column) => matches(header[column] ?? ''));
  const exact = matching((name) => name.trim() === wanted.trim());
  if (exact.length > 0) return exact;
  const similar = matching((name) => normalizeSpelling(name) === normalizeSpelling(wanted));
  const number = Number(/^#([1-9]\d{0,5})$/.exec(wanted)?.[1] ?? 0);
  return similar.length === 0 && number > 0 && number <= header.length ? [number - 1] : similar;
}

function bothRead(header: readonly string[], first: number, second: number, field: string): string {
  const name = (column: number) => `${quote(header[column] ?? '')} (column ${column + 1})`;
  return `${name(first)} and ${name(second)} are both ${field} (pick one with --map ${field}=#${first + 1} --ignore-extra-columns)`;
}

interface ColumnProblems {
  problems: readonly string[];
  missing: readonly MemberField[];
  /** Unknown columns that must not be there. */
  rejected: readonly number[];
  unknown: readonly number[];
  /** Fields that have a column. */
  present: ReadonlySet<string>;
}

function columnsError(header: readonly string[], found: ColumnProblems): ColumnsError {
  const { problems, missing, rejected, unknown, present } = found;
  const names = (columns: readonly number[]) => columns.map((column) => header[column] ?? '');
  const lines = [...missing.map((field) => `no column for ${field}`), ...problems];
  if (lines.length > 0) lines.push(`columns: ${quoteAll(header)}`);
  if (rejected.length > 0) {
    const count = rejected.length === 1 ? '1 unknown column' : `${rejected.length} unknown columns`;
    // All columns are listed already, unless the unknown ones are the only problem.
    const listed = names(rejected).filter((name) => lines.length === 0 || suggestField(name) !== undefined);
    const list = quoteAll(listed, withSuggestion);
    lines.push(list === '' ? count : `${count}: ${list}`);
  }
  // More options do not fix the other problems.
  const suggested = problems.length > 0 ? [] : suggestOptions(names(unknown), missing, present);
  const isGuess = present.size === 0 && suggested.some((option) => option.endsWith('=<column>'));
  const hint = isGuess
    ? 'Is the first row a header? For a list without one, name its columns: --columns userId,role'
    : undefined;
  return new ColumnsError(lines.join('\n'), hint, suggested);
}

function withSuggestion(name: string): string {
  const near = suggestField(name);
  return near === undefined ? quote(name) : `${quote(name)} (did you mean ${near}?)`;
}
