import type { ListText } from '../list-text.ts';
import { isLikelyName } from '../suggest/likely-names.ts';
import { readTableRecords } from './sheet-records.ts';

/** Lines that `findHeaderRow` searches. */
const MAX_HEADER_ROW = 20;

/**
 * Returns the line of a record that is more likely the header than the first one: it has a usual name for an id. Returns
 * undefined if there is none.
 */
export function findHeaderRow(list: ListText): number | undefined {
  for (let headerRow = 2; headerRow <= MAX_HEADER_ROW; headerRow++) {
    const { isSheet } = list;
    const next = readTableRecords(list.texts(), { ...list.layoutWithHeader(headerRow), isSheet }).next();
    const [first] = next.done ? [] : next.value;
    const isHeader = first !== undefined && first.line === headerRow && first.cells.length > 1;
    if (isHeader && first.cells.some((name) => isLikelyName('userId', name))) return headerRow;
  }
  return undefined;
}
