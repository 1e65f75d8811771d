import { UsageError } from '../../util/errors.ts';
import type { Row, Table } from './table.ts';

/** What each format reads of a table; `read-table` adds where it comes from. */
export interface TableContent {
  readonly columns: readonly string[];
  readonly sheet?: string;
  readonly besideList?: readonly string[];
  readonly position?: Table['position'];
  chunks(): Iterable<Row[]> | AsyncIterable<Row[]>;
}

/** Returns the error for an empty list. */
export function emptyList(): UsageError {
  return new UsageError('the list is empty', 'Check the export.', 'empty-list');
}

/** Returns the error for a header line that is blank, or below the end of the list. */
export function headerNotFound(headerRow: number): UsageError {
  return new UsageError(
    `line ${headerRow} is blank or missing, so it cannot be the header`,
    'Correct --header-row.',
    'bad-columns',
  );
}
