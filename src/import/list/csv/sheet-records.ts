import { CHUNK_BYTES } from '../list-pass.ts';
import type { ListText } from '../list-text.ts';
import { type CsvRecord, readCsvRecords } from './csv-records.ts';

/** The part of a list that its records depend on. */
export type TableText = Pick<ListText, 'utf8' | 'delimiter' | 'skipLines' | 'isSheet'>;

/** Yields the records of a CSV list, or of a converted workbook, in chunks, see `readCsvRecords`. */
export function readTableRecords(table: TableText): Generator<CsvRecord[]> {
  return table.isSheet ? readSheetRecords(table) : readCsvRecords(table);
}

/** Yields the records of a converted workbook, see `convertSheet`, without blank ones. `skipLines` counts rows of the sheet. */
function* readSheetRecords({ utf8, skipLines }: TableText): Generator<CsvRecord[]> {
  for (let [start, end] = [0, 0]; start < utf8.length; start = end) {
    end = utf8.indexOf('\n', start + CHUNK_BYTES) + 1 || utf8.length;
    const lines = utf8.toString('utf8', start, end).trimEnd().split('\n');
    const records = lines.map((json) => {
      const [line, ...cells] = JSON.parse(json) as [number, ...string[]];
      return { line, cells };
    });
    yield records.filter(({ line, cells }) => line > skipLines && cells.some((cell) => cell.trim() !== ''));
  }
}
