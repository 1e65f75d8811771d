import type { RowFields, RowIssue } from './checked-row.ts';
import type { NewMember } from './new-member.ts';

/** A mistake in a row. */
export interface ValidationIssue extends RowIssue {
  /** Whether a spreadsheet has shortened the user ID, so that only another export of the list has its digits. */
  isShortened?: true;
}

/** A text that a spreadsheet or a program has put in the place of a value. */
export interface Damage {
  /** What happened to it, after the text itself: `is a formula error, not a value`. */
  readonly issue: string;
  /** Whether the digits of a user ID are lost, so that only another export of the list has them. */
  readonly isShortened?: true;
}

/** A row as it is in the list: the cells of a CSV record, or an element's JSON text. */
export type RawRow = { readonly cells: readonly string[] } | { readonly text: string };

/** A validated row. */
export interface ListRow {
  /** The physical line, 1-based, on which the record or element starts; CR, LF and CRLF each end one line. */
  readonly line: number;
  /** The row's place among the rows of the list, 1-based; header and blank lines do not count. */
  readonly number: number;
  /** Whether it is a row that its sheet hides. */
  readonly isHidden: boolean;
  /** The row's id if it has a valid one, even if it has other issues. */
  readonly userId: string | undefined;
  /** The member to send; undefined if there are issues. */
  readonly member: NewMember | undefined;
  /** All issues, not only the first one. */
  readonly issues: readonly ValidationIssue[];
  /** The fields as they would be sent, or as they are in the list where they cannot be read. */
  readonly fields: RowFields;
}
