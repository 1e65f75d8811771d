import { workbookTooLarge } from './archive.ts';
import { AreaFiller, type MergedCell } from './cell-areas.ts';
import { readSheet, type SheetEnd } from './read-sheet.ts';
import { parseSheetRow, renderSheetRow, type SheetRow } from './sheet-row.ts';
import { findSheets, openWorkbook, type Workbook, type WorkbookSheet } from './workbook.ts';

const BLOCK_CHARACTERS = 16 * 1024;
/** A cell of 20 bytes can repeat a text of 32,767 characters, and make up to 16,384 blank cells before it. */
const MAX_SHEET_BYTES = 128 * 1024 ** 2;

/** A sheet as text. */
export interface ConvertedSheet extends SheetFacts, CountedSheet {
  /** A line for each row that is not blank, see `renderSheetRow`. */
  readonly utf8: Buffer;
}

/** What a person sees of a sheet, besides its rows. */
export interface SheetFacts {
  readonly name: string;
  /** Whether the workbook hides the sheet. */
  readonly isHidden: boolean;
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
 * @param wanted name of the sheet, as a person reads it; by default the only visible one that has rows
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
  let chosen = await convert(workbook, first);
  const alsoFilled: CountedSheet[] = [];
  for (const sheet of others) {
    // Reading a sheet takes the most time, so the only one with rows is read once.
    if (chosen.rows === 0) chosen = await convert(workbook, sheet);
    else alsoFilled.push({ name: sheet.name, rows: await countRows(workbook, sheet) });
  }
  const sheets = [chosen, ...alsoFilled].filter(({ rows }) => rows > 0).map(({ name, rows }) => ({ name, rows }));
  return sheets.length > 1 ? { sheets } : chosen;
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
  // The ranges of merged cells come after the rows.
  const filled = areas.length === 0 ? text : filledText(text.utf8(), filler);
  return {
    name: sheet.name,
    isHidden: sheet.isHidden,
    rows: filled.rows,
    utf8: filled.utf8(),
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
  /** The rows so far. */
  rows = 0;

  /** @throws UsageError for too much text */
  add(row: SheetRow): void {
    this.rows++;
    this.#text += `${renderSheetRow(row)}\n`;
    if (this.#text.length >= BLOCK_CHARACTERS) this.#endBlock();
  }

  /** Returns the text, and forgets it. */
  utf8(): Buffer {
    this.#endBlock();
    return Buffer.concat(this.#blocks.splice(0));
  }

  #endBlock(): void {
    const block = Buffer.from(this.#text);
    this.#blocks.push(block);
    this.#text = '';
    this.#bytes += block.length;
    if (this.#bytes > MAX_SHEET_BYTES) throw workbookTooLarge('has more than 128 MiB of text in the sheet');
  }
}
