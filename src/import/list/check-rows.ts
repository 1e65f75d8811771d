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
  /** The numbers of the rows with at least one issue. */
  readonly invalid: ReadonlySet<number>;
  /**
   * By the number of each row with a duplicate id: the line of the first row with that id, or its number if the list is one
   * line of JSON.
   */
  readonly duplicates: ReadonlyMap<number, number>;
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
 * Reads the entire list and checks every row. Calls `onRows` with the number of rows so far.
 *
 * @throws UsageError for a list that cannot be read at all
 */
export async function checkRows(
  list: LoadedList,
  mapping: Mapping,
  onRows?: (rows: number) => void,
): Promise<CheckedRows> {
  const ids = new DuplicateIndex();
  const duplicates = new Map<number, number>();
  const invalid = new Set<number>();
  const people = new PeopleTotals();
  let [hasIds, isAddress] = [false, true];
  let shortened = 0;
  const check = ({ number, line, userId, member, issues, isHidden }: ListRow) => {
    if (issues.length > 0 && issues.some(({ isShortened }) => isShortened)) shortened++;
    if (userId !== undefined) {
      hasIds = true;
      isAddress &&= userId.includes('@');
    }
    // A hidden row is not sent, so that a visible one with its ID is no duplicate.
    const original =
      userId === undefined || isHidden ? undefined : ids.add(userId, list.text.isOneLine ? number : line);
    if (original !== undefined) duplicates.set(number, original);
    if (member === undefined || original !== undefined) {
      invalid.add(number);
      return;
    }
    people.add(member);
  };
  let total = 0;
  const pass = readRows(list, mapping, { isFirstPass: true });
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
