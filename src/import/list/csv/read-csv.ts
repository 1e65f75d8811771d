import { unescapeFormulas } from '../../../output/csv.ts';
import { UsageError } from '../../../util/errors.ts';
import { ERROR_COLUMN, fieldForSpelling, normalizeSpelling } from '../../entry.ts';
import { EntryBuilder } from '../entry-builder.ts';
import type { FieldRule } from '../field-rule.ts';
import { extraFieldRule } from '../field-rules.ts';
import { describeFields, type ListPass, type PassResult, type PassSetup } from '../list-pass.ts';
import { emptyListError, type ListRow, quote, quoteAll } from '../list-row.ts';
import { statusName } from '../status/status-names.ts';
import { UnreadColumn } from '../status/unread-columns.ts';
import { isLikelyName } from '../suggest/likely-names.ts';
import { type BoundColumns, bindColumns } from './csv-columns.ts';
import type { CsvRecord } from './csv-records.ts';
import { readTableRecords } from './sheet-records.ts';

/**
 * Reads a CSV list, or the rows of a sheet. The first record is the header, unless --columns names the columns. If the
 * columns do not fit the fields, yields no rows, and returns why.
 *
 * @throws UsageError for text that is not CSV, and for a list without a header
 */
export function* readCsv(setup: PassSetup): ListPass {
  const { options } = setup;
  let table: CsvTable | undefined;
  for (const records of readTableRecords(setup)) {
    const [first] = records;
    if (first === undefined) continue;
    const hasHeader = table === undefined && options.columns === undefined;
    if (table === undefined) {
      table = new CsvTable(options.columns ?? first.cells, setup);
      if (!hasHeader) rejectHeader(first, table.bound);
    }
    yield table.read(hasHeader ? records.slice(1) : records);
    if (table.bound.lines.length > 0 && !table.bound.isSuggestible) break;
  }
  if (table === undefined) throw emptyError(options.headerRow);
  return table.result();
}

function emptyError(headerRow: number | undefined): UsageError {
  if (headerRow === undefined || headerRow === 1) return emptyListError();
  return new UsageError(
    `no header on line ${headerRow}, because the list ends before it`,
    'Correct --header-row. The first line is 1.',
    'empty-list',
  );
}

/** Rejects a list that has a header although --columns is set, because orgadm would send the header as a member. */
function rejectHeader({ line, cells }: CsvRecord, { columns }: BoundColumns): void {
  if (!columns.fields.every(({ field, column }) => fieldForSpelling(cells[column] ?? '') === field)) return;
  throw new UsageError(
    `line ${line}: ${quoteAll(cells)} is a header, but --columns is for a list without one`,
    'Remove --columns. Use --map to read columns with other names.',
    'bad-columns',
  );
}

/** A column that holds a field. */
interface ReadColumn {
  readonly rule: FieldRule;
  readonly column: number;
  readonly name: string;
}

/** The rows of a CSV list below its header. */
class CsvTable {
  readonly bound: BoundColumns;
  readonly #setup: PassSetup;
  readonly #rules: readonly FieldRule[];
  readonly #isErrorsFile: boolean;
  readonly #isFit: boolean;
  /** Whether csvde wrote the list, which writes text beyond ASCII as `X'…'`. */
  readonly #isCsvde: boolean;
  readonly #builder: EntryBuilder;
  readonly #columns: ReadColumn[];
  readonly #blankColumns: readonly number[];
  readonly #unread: { readonly column: number; readonly observed: UnreadColumn }[];
  #entries = 0;

  /** @param cells the names of the columns as in the list */
  constructor(cells: readonly string[], setup: PassSetup) {
    const { options } = setup;
    this.#setup = setup;
    this.#isErrorsFile = options.columns === undefined && normalizeSpelling(cells.at(-1) ?? '') === ERROR_COLUMN;
    const header = this.#isErrorsFile ? withoutEscapes(cells, setup) : cells;
    this.#isCsvde = !this.#isErrorsFile && header[0]?.toUpperCase() === 'DN';
    const more = this.#isErrorsFile ? header.flatMap((name) => extraFieldRule(name) ?? []) : [];
    this.#rules = [...setup.rules, ...more];
    this.bound = bindColumns(header, this.#rules, options);
    this.#isFit = this.bound.lines.length === 0;
    this.#builder = new EntryBuilder(this.#rules);
    const { fields, unnamed, errorColumn } = this.bound.columns;
    this.#columns = fields.flatMap(({ field, column }) =>
      this.#rules
        .filter((rule) => rule.field === field)
        .map((rule) => ({ rule, column, name: header[column] ?? field })),
    );
    this.#blankColumns = options.ignoreExtraColumns || errorColumn !== undefined ? [] : unnamed;
    this.#unread = this.#observedColumns().map((column) => {
      const isNamed = header[column]?.trim() !== '' && options.columns?.[column] !== '-';
      const name = isNamed ? (header[column] ?? '') : `#${column + 1}`;
      const isCompared = this.bound.missing.includes('userId') && isLikelyName('userId', name);
      return { column, observed: new UnreadColumn(name, { places: 'lines', isCompared, nowMs: setup.nowMs }) };
    });
  }

  /** Returns the columns whose values may say who is active: all but those of other fields. */
  #observedColumns(): number[] {
    const { header, fields, ignored, unnamed } = this.bound.columns;
    const read = fields.filter(({ field }) => field !== 'role').map(({ column }) => column);
    // The column of --map role=Status may say who is active, too.
    const roles = fields.filter(
      ({ field, column }) => field === 'role' && statusName(header[column] ?? '') !== undefined,
    );
    const others = this.#setup.options.ignoreExtraColumns ? unnamed : [];
    return [...ignored, ...others, ...roles.map(({ column }) => column)].filter((column) => !read.includes(column));
  }

  /** Validates the next records. If the columns do not fit, returns no rows. */
  read(records: readonly CsvRecord[]): ListRow[] {
    const rows = records.map((record) => this.#validate(record));
    return this.#isFit ? rows : [];
  }

  #validate(record: CsvRecord): ListRow {
    const { line } = record;
    const entry = ++this.#entries;
    const cells = this.#cellsOf(record);
    const builder = this.#builder;
    builder.clear();
    for (const { rule, column, name } of this.#columns) builder.set(rule, cells[column], name);
    for (const column of this.#blankColumns) reportUnnamed(builder, column, cells[column]);
    const { header } = this.bound.columns;
    if (cells.length > header.length) reportSurplus(builder, cells, header.length);
    if (repeatsHeader(cells, header)) builder.report({ message: 'this line repeats the header' });
    if (this.#setup.observesUnread) this.#observe(line, cells);
    const value = builder.finish();
    const raw = cells === record.cells ? record : { cells };
    return { line, entry, userId: builder.values.userId, value, issues: builder.issues, raw };
  }

  #cellsOf({ cells }: CsvRecord): readonly string[] {
    if (this.#isCsvde) return cells.map(decodeCsvde);
    return this.#isErrorsFile ? withoutEscapes(cells, this.#setup) : cells;
  }

  #observe(line: number, cells: readonly string[]): void {
    const { isActive } = this.#builder;
    for (const { column, observed } of this.#unread) {
      const text = cells[column]?.trim() ?? '';
      if (text !== '') observed.add(text, line, isActive);
    }
  }

  result(): PassResult {
    const { delimiter, encoding, format, options } = this.#setup;
    const { columns, lines, isSuggestible, present, missing } = this.bound;
    const names = new Map(columns.fields.map(({ field, column }) => [field, columns.header[column] ?? '']));
    return {
      layout: {
        format: format === 'tsv' ? 'tsv' : 'csv',
        hasBom: encoding.hasBom || encoding.name !== 'utf-8',
        delimiter,
        columns,
        rules: this.#rules,
      },
      mapping: {
        fields: describeFields(this.#rules, options, names),
        ignored: columns.ignored.map((column) => columns.header[column] ?? '').filter((name) => name !== '-'),
      },
      rows: this.#entries,
      unread: this.#unread.map(({ observed }) => observed),
      present,
      isErrorsFile: columns.errorColumn !== undefined,
      more: undefined,
      misfit: this.#isFit ? undefined : { lines, isSuggestible, missing },
    };
  }
}

/** Unescapes the formulas of an errors file, so that its cells equal those of the original list. */
function withoutEscapes(cells: readonly string[], { delimiter }: PassSetup): readonly string[] {
  return cells.map((cell) => unescapeFormulas(cell, delimiter));
}

/** Decodes a value that csvde has written in hexadecimal, because it is not ASCII: `X'5175c3a9'`. */
function decodeCsvde(cell: string): string {
  const [, hex] = /^X'((?:[0-9a-f]{2})+)'$/i.exec(cell) ?? [];
  return hex === undefined ? cell : Buffer.from(hex, 'hex').toString();
}

/** Whether a row repeats the header, as in two lists that were joined. */
function repeatsHeader(cells: readonly string[], header: readonly string[]): boolean {
  return cells.every((cell, column) => cell === header[column]);
}

function reportUnnamed(builder: EntryBuilder, column: number, cell: string | undefined): void {
  if (cell === undefined || cell.trim() === '') return;
  builder.report({
    value: cell,
    message: `column ${column + 1} has no header, but this row has the value ${quote(cell)} there`,
  });
}

function reportSurplus(builder: EntryBuilder, cells: readonly string[], columns: number): void {
  const value = cells.slice(columns).find((cell) => cell.trim() !== '');
  if (value === undefined) return;
  builder.report({
    value,
    message: `${cells.length} cells, but the header has ${columns}: ${quote(value)} is too many (quote a cell that contains the delimiter)`,
  });
}
