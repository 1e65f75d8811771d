import { CHUNK_BYTES } from '../source/source-record.ts';
import type { CsvRecord, CsvText } from './csv-records.ts';

/** Yields the records of a converted workbook, see `convertSheet`, without blank ones. `skipLines` counts rows of the sheet. */
export function* readSheetRecords({ utf8, skipLines }: Pick<CsvText, 'utf8' | 'skipLines'>): Generator<CsvRecord[]> {
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
