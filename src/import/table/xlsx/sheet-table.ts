import { quote, quoteAll } from '../../../output/sanitize.ts';
import { UsageError } from '../../../util/errors.ts';
import { comparableText, sendableText } from '../../../util/visible-text.ts';
import { emptyList, headerNotFound, type TableContent } from '../header.ts';
import type { FileOptions, Row } from '../table.ts';
import { readSheet, type SheetEnd, textOf } from './sheet.ts';
import { openWorkbook, type Workbook, type WorkbookSheet } from './workbook.ts';

/**
 * Reads a sheet of a workbook: the one that `--sheet` names, or the only visible one that has rows.
 *
 * @throws UsageError if the file is not a workbook, and for several visible sheets with rows
 */
export async function sheetTable(
  bytes: Buffer,
  { sheet: wanted, headerRow, columns }: FileOptions,
): Promise<TableContent> {
  const workbook = await openWorkbook(bytes);
  const sheet = await findSheet(workbook, wanted);
  const header = columns === undefined ? await firstRow(workbook, sheet, headerRow ?? 1) : undefined;
  if (columns === undefined && header === undefined)
    throw headerRow === undefined ? emptyList() : headerNotFound(headerRow);
  if (header !== undefined && headerRow !== undefined && header.line !== headerRow) throw headerNotFound(headerRow);
  const names = columns ?? (header?.cells ?? []).map((cell) => sendableText(textOf(cell)));
  const headerLine = header?.line ?? 0;
  return { columns: names, sheet: sheet.name, chunks: () => rowsBelow(workbook, sheet, headerLine, names.length) };
}

async function* rowsBelow(
  workbook: Workbook,
  sheet: WorkbookSheet,
  headerLine: number,
  width: number,
): AsyncGenerator<Row[]> {
  const pass = readSheet(workbook, sheet);
  let next = await pass.next();
  for (; !next.done; next = await pass.next())
    yield next.value.flatMap((row) => (row.line > headerLine ? [withWidth(row, width)] : []));
  // They come after the rows.
  rejectMerged(next.value, headerLine);
}

function withWidth(row: Row, width: number): Row {
  if (row.cells.length <= width) return row;
  return { ...row, problem: row.problem ?? `has ${row.cells.length} cells, but the header has ${width}` };
}

/** Merged cells have one value for several people. */
function rejectMerged({ merged }: SheetEnd, headerLine: number): void {
  const below = merged.filter(({ lastRow }) => lastRow > headerLine).map(({ range }) => range);
  if (below.length === 0) return;
  throw new UsageError(
    `the sheet has merged cells below the header: ${quoteAll(below, String)}`,
    'Unmerge them, and fill in the value of each row.',
    'bad-list',
  );
}

/** @throws UsageError that names the sheets if none or several can be meant */
async function findSheet(workbook: Workbook, wanted: string | undefined): Promise<WorkbookSheet> {
  const { sheets } = workbook;
  const names = (of: readonly WorkbookSheet[]) => quoteAll(of.map(({ name }) => name));
  if (wanted !== undefined) {
    const found = sheets.filter(({ name }) => comparableText(name) === comparableText(wanted));
    if (found[0] !== undefined) return found[0];
    throw new UsageError(`the workbook has no sheet ${quote(wanted)}`, `Its sheets are ${names(sheets)}.`);
  }
  const filled: WorkbookSheet[] = [];
  for (const sheet of sheets)
    if (!sheet.isHidden && (await firstRow(workbook, sheet, 1)) !== undefined) filled.push(sheet);
  const [first, ...others] = filled;
  if (first === undefined) throw emptyList();
  if (others.length === 0) return first;
  throw new UsageError(
    `several sheets have rows: ${names(filled)}`,
    'Name the one with the people: --sheet <name>.',
    'bad-list',
  );
}

/** Returns the first row that is not blank, from a line on; undefined if there is none. */
async function firstRow(workbook: Workbook, sheet: WorkbookSheet, from: number): Promise<Row | undefined> {
  for await (const rows of readSheet(workbook, sheet)) {
    const found = rows.find(({ line }) => line >= from);
    if (found !== undefined) return found;
  }
  return undefined;
}
