import { workbookTooLarge } from './archive.ts';
import { AreaFiller, type MergedCell } from './cell-areas.ts';
import { readSheet, type SheetEnd } from './read-sheet.ts';
import { parseSheetRow, renderSheetRow, type SheetRow } from './sheet-row.ts';
import { findSheets, openWorkbook, type Workbook, type WorkbookSheet } from './workbook.ts';

const BLOCK_CHARACTERS = 16 * 1024;
/** A cell of 20 bytes can repeat a text of 32,767 characters, and make up to 16,384 blank cells before it. */
const MAX_SHEET_BYTES = 128 * 1024 ** 2;

/** A sheet as text. */
export interface ConvertedSheet extends SheetFacts {
  /** A line for each row that is not blank, see `renderSheetRow`. */
  readonly utf8: Buffer;
}

/** What a person sees of a sheet, besides its rows. */
export interface SheetFacts {
  readonly name: string;
  /** Whether the sheet hides a column, by its number from 0. */
  isHiddenColumn(column: number): boolean;
  /** The merged cells whose value is in several rows. */
  readonly mergedDown: readonly MergedCell[];
}

/** A sheet, and how many of its rows are not blank. */
export interface CountedSheet {
  readonly name: string;
  readonly rows: number;
}

/**
 * Converts a sheet of a workbook into UTF-8 text, a line for each row. The text is smaller than the workbook's XML, and faster
 * to read again.
 *
 * @param wanted name of the sheet, in any case; by default the only visible one that has rows
 * @returns the visible sheets that have rows if there are several, so that the user has to name one
 * @throws UsageError when the file is encrypted, of another format, damaged, or beyond the limits; for a sheet of more than
 *   128 MiB of text; and if there is no such sheet
 */
export async function convertSheet(
  bytes: Buffer,
  wanted: string | undefined,
): Promise<ConvertedSheet | { readonly sheets: readonly CountedSheet[] }> {
  const workbook = await openWorkbook(bytes);
  const [first, ...others] = findSheets(workbook, wanted);
  if (first === undefined) throw new Error('findSheets returned no sheet');
  if (others.length === 0) return convert(workbook, first);
  const filled: (CountedSheet & { sheet: WorkbookSheet })[] = [];
  for (const sheet of [first, ...others]) {
    const rows = await countRows(workbook, sheet);
    if (rows > 0) filled.push({ sheet, name: sheet.name, rows });
  }
  if (filled.length > 1) return { sheets: filled.map(({ name, rows }) => ({ name, rows })) };
  return convert(workbook, filled[0]?.sheet ?? first);
}

async function countRows(workbook: Workbook, sheet: WorkbookSheet): Promise<number> {
  let count = 0;
  for await (const rows of readSheet(workbook, sheet)) count += rows.length;
  return count;
}

async function convert(workbook: Workbook, sheet: WorkbookSheet): Promise<ConvertedSheet> {
  const text = new SheetText();
  const rows = readSheet(workbook, sheet);
  let next = await rows.next();
  for (; !next.done; next = await rows.next()) for (const row of next.value) text.add(row);
  const { areas, hiddenColumns }: SheetEnd = next.value;
  const filler = new AreaFiller(areas);
  return {
    name: sheet.name,
    // The ranges of merged cells come after the rows.
    utf8: areas.length === 0 ? text.utf8() : filledText(text.utf8(), filler).utf8(),
    isHiddenColumn: (column) => hiddenColumns.some(({ first, last }) => column + 1 >= first && column + 1 <= last),
    mergedDown: filler.mergedDown,
  };
}

function filledText(utf8: Buffer, filler: AreaFiller): SheetText {
  const text = new SheetText();
  for (const row of sheetRows(utf8)) {
    const filled = filler.fill(row);
    if (filled !== undefined) text.add(filled);
  }
  return text;
}

function* sheetRows(utf8: Buffer): Generator<SheetRow> {
  for (let [start, end] = [0, 0]; start < utf8.length; start = end + 1) {
    end = utf8.indexOf('\n', start);
    yield parseSheetRow(utf8.toString('utf8', start, end));
  }
}

/** The text of a sheet, as it grows. */
class SheetText {
  readonly #blocks: Buffer[] = [];
  #text = '';
  #bytes = 0;

  /** @throws UsageError for too much text */
  add(row: SheetRow): void {
    this.#text += `${renderSheetRow(row)}\n`;
    if (this.#text.length >= BLOCK_CHARACTERS) this.#endBlock();
  }

  utf8(): Buffer {
    this.#endBlock();
    return Buffer.concat(this.#blocks);
  }

  #endBlock(): void {
    const block = Buffer.from(this.#text);
    this.#blocks.push(block);
    this.#text = '';
    this.#bytes += block.length;
    if (this.#bytes > MAX_SHEET_BYTES) throw workbookTooLarge('has more than 128 MiB of text in the sheet');
  }
}
