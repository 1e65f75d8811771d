import { quote, quoteAll } from '../../../output/sanitize.ts';
import type { SheetFacts } from '../xlsx/convert-sheet.ts';
import type { FieldRead } from './binder.ts';

/** Returns warnings about a sheet and its columns that orgadm reads in another way than a person may expect. */
export function sheetWarnings(sheet: SheetFacts, reads: readonly FieldRead[]): string[] {
  const { name, isHidden, isHiddenColumn, mergedDown } = sheet;
  const hidden = reads.filter(({ path }) => typeof path === 'number' && isHiddenColumn(path));
  // Rows whose user ID is a merged cell are invalid.
  const filled = reads.filter(({ field }) => field.name !== 'userId');
  const merged = mergedDown.filter((area) => filled.some(({ path }) => path === area.column));
  const names = quoteAll(hidden.map(({ column }) => column));
  const ranges = quoteAll(
    merged.map(({ range }) => range),
    (range) => range,
  );
  return [
    ...(isHidden ? [`orgadm reads the sheet ${quote(name)}, although the workbook hides it`] : []),
    ...(hidden.length === 0
      ? []
      : [`orgadm reads ${names}, although the sheet hides the ${hidden.length === 1 ? 'column' : 'columns'}`]),
    ...(merged.length === 0 ? [] : [`the value of a merged cell counts in each of its rows: ${ranges}`]),
  ];
}
