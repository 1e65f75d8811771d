import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import type { Damage, RawRow, ValidationIssue } from '../../list-row.ts';
import type { FileOptions } from '../../mapping.ts';
import { fieldForSpelling } from '../../new-member.ts';
import {
  CHUNK_BYTES,
  emptyListError,
  type RecordPass,
  type RecordsEnd,
  type SourcePath,
  type SourceRecord,
} from '../source/source-record.ts';
import type { SourceText } from '../source/text.ts';
import { doubtAbout, parseSheetRow, type SheetRow } from '../xlsx/sheet-row.ts';
import type { CsvRecord } from './csv-record.ts';
import { type CsvText, readCsvRecords, skippedRecords } from './csv-records.ts';
import { missingQuote } from './missing-quote.ts';

/**
 * Reads the records of a CSV list, or of a converted workbook. The first one is the header, unless --columns names the columns.
 *
 * @throws UsageError for text that is not CSV, and for a list without a header
 */
export function* readTable(text: SourceText, { columns, headerRow }: FileOptions): RecordPass {
  let header: readonly string[] | undefined;
  let headerLine: number | undefined;
  const isSheet = text.sheet !== undefined;
  // The last record of a chunk waits for the one below it.
  let held: CsvRecord | undefined;
  for (const records of isSheet ? readSheetRecords(text) : readCsvRecords(text)) {
    const [first] = records;
    if (first === undefined) continue;
    const hasHeader = header === undefined && columns === undefined;
    if (header === undefined && columns !== undefined) rejectHeader(first, columns);
    if (hasHeader) rejectMissingQuote(first, text.delimiter);
    if (hasHeader && headerRow === undefined) rejectHiddenHeader(first);
    if (hasHeader) headerLine = first.line;
    const names = header ?? columns ?? first.cells;
    header = names;
    const complete: TableRecord[] = [];
    for (let at = hasHeader ? 1 : 0; at < records.length; at++) {
      const record = records[at];
      if (held !== undefined) complete.push(new TableRecord(held, names, text.delimiter, isSheet ? undefined : record));
      held = record;
    }
    yield complete;
  }
  if (held !== undefined) yield [new TableRecord(held, header ?? [], text.delimiter, undefined)];
  if (header === undefined) throw emptyError(headerRow);
  return { header, headerLine, rowAbove: findRowAbove(text, header), more: undefined };
}

function emptyError(headerRow: number | undefined): UsageError {
  if (headerRow === undefined || headerRow === 1) return emptyListError();
  return new UsageError(
    `no header on line ${headerRow}, because the list ends before it`,
    'Correct --header-row. The first line is 1.',
    'empty-list',
  );
}

/** Finds a row above the header that --header-row names that has as many filled cells as the header, and at least two. */
function findRowAbove(text: SourceText, header: readonly string[]): RecordsEnd['rowAbove'] {
  const above = text.sheet === undefined ? skippedRecords(text) : sheetRowsAbove(text);
  const least = Math.max(2, countFilled(header));
  return above.find(({ cells }) => countFilled(cells) >= least);
}

function countFilled(cells: readonly string[]): number {
  return cells.filter((cell) => cell.trim() !== '').length;
}

/**
 * Rejects a list that has a header although --columns is set, because orgadm would send the header as a member. One name of a field
 * in its place is enough, but "active" may be the status of a person.
 */
function rejectHeader({ line, cells }: CsvRecord, columns: readonly string[]): void {
  const isHeader = columns.some((name, at) => {
    const field = fieldForSpelling(name);
    return field !== undefined && field !== 'isActive' && fieldForSpelling(cells[at] ?? '') === field;
  });
  if (!isHeader) return;
  throw new UsageError(
    `line ${line}: ${quoteAll(cells)} is a header, but --columns is for a list without one`,
    'Remove --columns. Use --map to read columns with other names.',
    'bad-columns',
  );
}

/** Rejects a header that may hold rows. */
function rejectMissingQuote(header: CsvRecord, delimiter: string): void {
  const problem = missingQuote(header, header.cells.length, delimiter);
  if (problem === undefined) return;
  throw new UsageError(`line ${header.line}: ${problem}`, 'Correct the quotes in the header.', 'bad-list');
}

/** Rejects a header that its sheet hides, as templates do: a person takes the first visible row for the header. */
function rejectHiddenHeader({ line, isHidden = false }: CsvRecord & Partial<SheetRow>): void {
  if (!isHidden) return;
  throw new UsageError(
    `the header in line ${line} is hidden in the sheet`,
    'Show the row, or name the line of the header with --header-row.',
    'bad-columns',
  );
}

/** A row of a CSV list or of a sheet. */
class TableRecord implements SourceRecord {
  readonly line: number;
  readonly next: CsvRecord | undefined;
  readonly #record: CsvRecord & Partial<SheetRow>;
  readonly #header: readonly string[];
  readonly #delimiter: string;

  constructor(
    record: CsvRecord & Partial<SheetRow>,
    header: readonly string[],
    delimiter: string,
    next: CsvRecord | undefined,
  ) {
    this.line = record.line;
    this.next = next;
    this.#record = record;
    this.#header = header;
    this.#delimiter = delimiter;
  }

  get raw(): RawRow {
    return this.#record;
  }

  get isHidden(): boolean {
    return this.#record.isHidden ?? false;
  }

  get issue(): ValidationIssue | undefined {
    const { cells } = this.#record;
    const header = this.#header;
    if (this.#record.lines !== undefined) {
      const swallowed = missingQuote(this.#record, header.length, this.#delimiter);
      if (swallowed !== undefined) return { message: swallowed };
    }
    return cells.length > header.length ? surplusIssue(cells, header.length) : undefined;
  }

  keys(): readonly string[] {
    return this.#header;
  }

  get(path: SourcePath): string | undefined {
    return typeof path === 'number' ? this.#record.cells[path] : undefined;
  }

  get hasDoubts(): boolean {
    return this.#record.doubts !== undefined && this.#record.doubts.length > 0;
  }

  doubt(path: SourcePath, isUserId: boolean): Damage | undefined {
    const { line, doubts } = this.#record;
    if (doubts === undefined || typeof path !== 'number') return undefined;
    return doubtAbout({ line, doubts }, path, isUserId);
  }
}

function surplusIssue(cells: readonly string[], columns: number): ValidationIssue | undefined {
  const value = cells.slice(columns).find((cell) => cell.trim() !== '');
  if (value === undefined) return undefined;
  return {
    message: `${cells.length} cells, but the header has ${columns}: the first extra one is ${quote(value)} (quote a cell that contains the delimiter)`,
  };
}

/** Returns the rows of a converted workbook above its header, as far as the first chunk has them. */
function sheetRowsAbove({ utf8, skipLines }: Pick<CsvText, 'utf8' | 'skipLines'>): SheetRow[] {
  const [rows = []] = skipLines === 0 ? [] : readSheetRecords({ utf8, skipLines: 0 });
  return rows.filter(({ line }) => line <= skipLines);
}

/** Yields the rows of a converted workbook, see `convertSheet`. `skipLines` counts rows of the sheet. */
function* readSheetRecords({ utf8, skipLines }: Pick<CsvText, 'utf8' | 'skipLines'>): Generator<SheetRow[]> {
  for (let [start, end] = [0, 0]; start < utf8.length; start = end) {
    end = utf8.indexOf('\n', start + CHUNK_BYTES) + 1 || utf8.length;
    const lines = utf8.toString('utf8', start, end).trimEnd().split('\n');
    yield lines.map(parseSheetRow).filter(({ line }) => line > skipLines);
  }
}
