import type { CsvRecord } from './csv-records.ts';

/**
 * Yields the records of a converted workbook, see `convertSheet`, without blank ones.
 *
 * @param skipLines rows of the sheet before the first record
 */
export function* readSheetRecords(texts: Iterable<string>, skipLines: number): Generator<CsvRecord[]> {
  let rest = '';
  for (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const records = lines.map((json) => {
      const [line, ...cells] = JSON.parse(json) as [number, ...string[]];
      return { line, cells };
    });
    yield records.filter(({ line, cells }) => line > skipLines && cells.some((cell) => cell.trim() !== ''));
  }
}
