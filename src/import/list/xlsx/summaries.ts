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

/** A function that is for totals, or one for sums and counts, and no more than a range of one column. */
const TOTAL = /^[\s+]*(?:(?:SUBTOTAL|(?:_xlfn\.)?AGGREGATE)\(|(?:SUM|COUNTA?)\(\$?([A-Z]+)\$?\d+:\$?\1\$?\d+\)\s*$)/i;

/**
 * Whether the result of a formula is a total: it begins with SUBTOTAL or AGGREGATE, or adds up or counts its own column.
 *
 * @param column the formula's column, from 1
 */
export function isTotal(formula: string, column: number): boolean {
  const [call, letters = columnName(column)] = TOTAL.exec(formula) ?? [];
  return call !== undefined && letters.toUpperCase() === columnName(column);
}
