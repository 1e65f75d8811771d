import { UsageError } from '../../../util/errors.ts';
import type { Damage, RawRow, ValidationIssue } from '../../list-row.ts';

/** Where a record has a value: the position of a key among its keys, or the keys that lead to an inner value of JSON. */
export type SourcePath = number | readonly string[];

/** One record of a list, whatever the format of the list. */
export interface SourceRecord {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly raw: RawRow;
  /** A mistake in the record itself, such as a cell too many; undefined if there is none. */
  readonly issue: ValidationIssue | undefined;
  /** Whether it is a row that its sheet hides. */
  readonly isHidden?: boolean;
  /** The row below it in a CSV list, whose cells may continue it; undefined for other lists. */
  readonly next?: { readonly line: number; readonly cells: readonly string[] } | undefined;
  /** Returns the names of its columns, or its keys. All records of a table return the same array. */
  keys(): readonly string[];
  /** Returns the text of a cell or a JSON value; undefined if the record does not have it. */
  get(path: SourcePath): unknown;
  /** Returns why a value may not be what a person sees in a workbook: `C4 is a formula without …`; undefined if it is. */
  readonly hasDoubts?: boolean;
  doubt?(path: SourcePath, isUserId: boolean): Damage | undefined;
}

/** One pass over the records of a list, in chunks. */
export type RecordPass = Generator<SourceRecord[], RecordsEnd>;

/** Facts about a list that orgadm knows once it has read all records. */
export interface RecordsEnd {
  /** The names of the columns of a table; undefined for JSON. */
  readonly header: readonly string[] | undefined;
  /** The physical line of the header, 1-based; undefined if the list has none. */
  readonly headerLine?: number | undefined;
  /** The first row above the header that may be a person, because it has as many filled cells; undefined if there is none. */
  readonly rowAbove?: { readonly cells: readonly string[]; readonly line: number } | undefined;
  /** The value next to a JSON list that says that the list continues elsewhere; undefined if none does. */
  readonly more: string | undefined;
}

/** The size of a chunk, in bytes of the list. A chunk also has the rest of a record that begins in it. */
export const CHUNK_BYTES = 64 * 1024;

/** Returns the error for an empty list. */
export function emptyListError(): UsageError {
  return new UsageError(
    'the list is empty',
    'Check the export. A list without members needs a header, or [] in JSON.',
    'empty-list',
  );
}
