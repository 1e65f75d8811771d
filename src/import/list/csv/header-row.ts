import { UsageError } from '../../../util/errors.ts';
import type { ListText } from '../list-text.ts';
import { isLikelyName } from '../suggest/likely-names.ts';
import type { CsvRecord } from './csv-records.ts';
import { readTableRecords } from './sheet-records.ts';

/** Lines that `findHeaderRow` searches. */
const MAX_HEADER_ROW = 20;

/**
 * Returns the line of a record that is more likely the header than the first one: it has a usual name for an id. Returns
 * undefined if there is none.
 */
export function findHeaderRow(list: ListText): number | undefined {
  for (let headerRow = 2; headerRow <= MAX_HEADER_ROW; headerRow++) {
    const first = recordAt(list, headerRow);
    const isHeader = first !== undefined && first.line === headerRow && first.cells.length > 1;
    if (isHeader && first.cells.some((name) => isLikelyName('userId', name))) return headerRow;
  }
  return undefined;
}

/** Returns the first record from this line; undefined if there is none, or if the line begins within quotes. */
function recordAt(list: ListText, line: number): CsvRecord | undefined {
  try {
    const next = readTableRecords({ ...list, ...list.layoutWithHeader(line) }).next();
    return next.done ? undefined : next.value[0];
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}
