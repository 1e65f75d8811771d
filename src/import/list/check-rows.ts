import type { CheckedRow } from '../checked-row.ts';
import type { ListRow } from '../list-row.ts';
import type { Mapping } from '../mapping.ts';
import { type LoadedList, type PassResult, readRows } from './read-rows.ts';
import { DuplicateIndex } from './rows/duplicate-index.ts';
import { PeopleTotals, type Sample, type Totals } from './rows/people-totals.ts';
import { MAX_ROWS, tooManyRows } from './source/limits.ts';

/** What the first pass over a list finds. */
export interface CheckedRows {
  /** Rows in the list. */
  readonly total: number;
  /** Rows with at least one issue. */
  readonly invalid: number;
  /** Rows that are invalid because an earlier row has the same user ID. */
  readonly duplicates: number;
  /** Rows whose user ID a spreadsheet has shortened. */
  readonly shortened: number;
  /** Totals of the valid rows. */
  readonly totals: Totals;
  readonly sample: Sample;
  /** Whether there are user IDs, and all of them look like email addresses. */
  readonly hasOnlyAddresses: boolean;
  readonly result: PassResult;
}

/**
 * Reads the entire list and checks every row. Calls `onRow` with each of them, in order, and `onRows` with the number of rows so far.
 *
 * @throws UsageError for a list that cannot be read at all
 */
export async function checkRows(
  list: LoadedList,
  mapping: Mapping,
  onRow: (row: CheckedRow) => void,
  onRows?: (rows: number) => void,
): Promise<CheckedRows> {
  const ids = new DuplicateIndex();
  let duplicates = 0;
  let invalid = 0;
  const people = new PeopleTotals();
  let [hasIds, isAddress] = [false, true];
  let shortened = 0;
  const { isOneLine } = list.text;
  const check = ({ number, line: physicalLine, userId, member, fields, issues, isHidden }: ListRow) => {
    const line = isOneLine ? number : physicalLine;
    if (issues.length > 0 && issues.some(({ isShortened }) => isShortened)) shortened++;
    if (userId !== undefined) {
      hasIds = true;
      isAddress &&= userId.includes('@');
    }
    // A hidden row is not sent, so that a visible one with its ID is no duplicate.
    const original = userId === undefined || isHidden ? undefined : ids.add(userId, line);
    if (member !== undefined && original === undefined) {
      people.add(member);
      onRow({ line, number, member, fields, issues });
      return;
    }
    invalid++;
    if (original === undefined) {
      onRow({ line, number, member: undefined, fields, issues });
      return;
    }
    duplicates++;
    const repeated = {
      field: 'userId',
      message: `duplicate userId (first ${isOneLine ? 'in row' : 'on line'} ${original})`,
    };
    onRow({ line, number, member: undefined, fields, issues: [...issues, repeated] });
  };
  let total = 0;
  const pass = readRows(list, mapping);
  for (let next = await pass.next(); ; next = await pass.next()) {
    if (next.done) {
      const hasOnlyAddresses = hasIds && isAddress;
      return {
        total,
        invalid,
        duplicates,
        shortened,
        totals: people.totals,
        sample: people.sample,
        hasOnlyAddresses,
        result: next.value,
      };
    }
    next.value.forEach(check);
    total += next.value.length;
    if (total > MAX_ROWS) throw tooManyRows(list.text.name);
    onRows?.(total);
  }
}
