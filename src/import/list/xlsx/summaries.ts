import { type Archive, MAX_SMALL_PART_BYTES, parsePart, workbookTooLarge } from './archive.ts';
import { type CellArea, cellArea } from './cell-areas.ts';
import { readRelations } from './relations.ts';
import { columnName } from './sheet-row.ts';

/**
 * Returns the areas of a sheet that summarize people: the totals rows of its tables, and its pivot tables.
 *
 * @param path the sheet's file in the archive
 */
export async function readSummaries(archive: Archive, path: string): Promise<CellArea[]> {
  const relations = await readRelations(archive, path);
  const summaries = relations.filter(({ type }) => type === 'table' || type === 'pivotTable');
  const parts = [...new Set(summaries.map((one) => one.path))];
  const bytes = parts.reduce((sum, part) => sum + (archive.parts.get(part)?.uncompressedSize ?? 0), 0);
  if (bytes > MAX_SMALL_PART_BYTES)
    throw workbookTooLarge(`has a sheet with ${bytes} bytes of tables, more than ${MAX_SMALL_PART_BYTES}`);
  const areas: CellArea[] = [];
  for (const part of parts) {
    await parsePart(archive, part, MAX_SMALL_PART_BYTES, {
      open(name, attributes) {
        const { ref = '', totalsRowCount = '0' } = attributes();
        if (name === 'table' && Number(totalsRowCount) > 0) {
          const table = cellArea(ref, 'totalsRow');
          areas.push({ ...table, top: Math.max(table.top, table.bottom - Number(totalsRowCount) + 1) });
        }
        if (name === 'location') areas.push(cellArea(ref, 'pivot'));
      },
    });
  }
  return areas;
}

/** A table as a whole, or a column of it: `Staff`, `Staff[User ID]`. In a row of its own (`#This Row`), it may be a running number. */
const TABLE = String.raw`(?![A-Z]{1,3}\d+\b)[\p{L}_\\][\p{L}\p{N}_.\\]*(?:\[(?!#This Row)(?:[^[\]]|\[(?!#This Row)[^[\]]*\])*\])?`;
/** A range of one column, and its letters. */
const RANGE = String.raw`\$?([A-Z]{1,3})\$?\d+:\$?\1\$?\d+`;
/** Further arguments, of which none is a cell: `COUNTIF(Staff,A2)` says of one person whether there is such a member of staff. */
const OTHERS = String.raw`(?:,(?:"[^"]*"|[\d.]+|${TABLE}))*`;
/** A function that is for totals, or no more than one for sums and counts, of a range or a table. `ROWS(A$2:A4)` numbers rows. */
const TOTAL = new RegExp(
  String.raw`^[\s+]*(?:(?:SUBTOTAL|(?:_xlfn\.)?AGGREGATE)\(|(?:(?:SUM|AVERAGE|COUNT(?:A|IFS?)?)\((?:${RANGE}|${TABLE})${OTHERS}|ROWS\(${TABLE})\)\s*$)`,
  'iu',
);

/**
 * Whether the result of a formula is a total: it begins with SUBTOTAL or AGGREGATE, or adds up or counts its own column, or a table.
 *
 * @param column the formula's column, from 1
 */
export function isTotal(formula: string, column: number): boolean {
  const [call, letters = columnName(column)] = TOTAL.exec(formula) ?? [];
  return call !== undefined && letters.toUpperCase() === columnName(column);
}
