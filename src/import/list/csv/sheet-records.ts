import type { TextLayout } from '../list-format.ts';
import { type CsvRecord, readCsvRecords } from './csv-records.ts';

/** Where the records of a list are. */
export interface RecordLayout extends Pick<TextLayout, 'delimiter' | 'skipLines'> {
  readonly isSheet: boolean;
}

/** Yields the records of a CSV list, or of a converted workbook, see `readCsvRecords`. */
export function readTableRecords(
  texts: Iterable<string>,
  { isSheet, delimiter, skipLines }: RecordLayout,
): Generator<CsvRecord[]> {
  return isSheet ? readSheetRecords(texts, skipLines) : readCsvRecords(texts, delimiter, skipLines);
}

/**
 * Yields the records of a converted workbook, see `convertSheet`, without blank ones.
 *
 * @param skipLines rows of the sheet before the first record
 */
function* readSheetRecords(texts: Iterable<string>, skipLines: number): Generator<CsvRecord[]> {
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
