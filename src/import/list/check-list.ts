import { DuplicateIndex } from './duplicate-index.ts';
import { MAX_ROWS, tooManyRows } from './list-bytes.ts';
import type { ListOptions } from './list-options.ts';
import type { PassResult } from './list-pass.ts';
import { type ListReader, readRows } from './list-reader.ts';
import type { ListRow } from './list-row.ts';

/** Results of the first pass over a list. */
export interface CheckedList {
  /** Rows in the list. */
  readonly total: number;
  /** The numbers of the rows with at least one issue. */
  readonly invalid: ReadonlySet<number>;
  /**
   * By the number of each row with a duplicate id: the line of the first row with that id, or its number if the list is one
   * line of JSON.
   */
  readonly duplicates: ReadonlyMap<number, number>;
  /** Texts that were rejected as values of isActive; at most 11. */
  readonly rejectedStatuses: ReadonlySet<string>;
  /** The valid rows by their value of isActive. */
  readonly statuses: { readonly active: number; readonly inactive: number; readonly blank: number };
  readonly result: PassResult;
}

/** Rejected texts to keep: one more than a suggestion names. */
const MAX_STATUSES = 11;

/**
 * Reads the entire list and checks every row. Calls `onRows` with the number of rows so far.
 *
 * @throws UsageError for a list that cannot be read at all
 */
export async function checkList(
  reader: ListReader,
  options: ListOptions,
  onRows?: (rows: number) => void,
): Promise<CheckedList> {
  const ids = new DuplicateIndex();
  const duplicates = new Map<number, number>();
  const invalid = new Set<number>();
  const rejectedStatuses = new Set<string>();
  const statuses = { active: 0, inactive: 0, blank: 0 };
  const check = ({ entry, line, userId, value, issues }: ListRow) => {
    const first = userId === undefined ? undefined : ids.add(userId, reader.text.isOneLine ? entry : line);
    if (first !== undefined) duplicates.set(entry, first);
    if (value === undefined || first !== undefined) invalid.add(entry);
    else statuses[value.isActive === undefined ? 'blank' : value.isActive ? 'active' : 'inactive']++;
    for (const issue of issues)
      if (issue.field === 'isActive' && issue.value !== undefined && rejectedStatuses.size < MAX_STATUSES)
        rejectedStatuses.add(issue.value);
  };
  let total = 0;
  const pass = readRows(reader, options, { observesUnread: true });
  for (let next = await pass.next(); ; next = await pass.next()) {
    if (next.done) return { total, invalid, duplicates, rejectedStatuses, statuses, result: next.value };
    next.value.forEach(check);
    total += next.value.length;
    if (total > MAX_ROWS) throw tooManyRows(reader.text.name);
    onRows?.(total);
  }
}
