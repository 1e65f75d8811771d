import type { FieldValue, MemberField, NewMember } from './new-member.ts';

/**
 * The value of each field of a row: as it would be sent, or as it was where it could not be read. Without a value that looks
 * right as a text, but is not, such as one that is struck out.
 */
export type RowFields = Readonly<Partial<Record<MemberField, FieldValue>>>;

/** A mistake in a row. */
export interface RowIssue {
  /** The field that it is about; undefined if it is about the row itself, so that none of its values is certain. */
  readonly field?: string;
  /** A complete message, safe for a terminal: `isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0)`. */
  readonly message: string;
}

/** A row of a list that was checked: everything that orgadm sends, stores, and reports of it. */
export interface CheckedRow {
  /** The physical line, 1-based, on which the row starts; in JSON without lines, the number of the element. */
  readonly line: number;
  /** The row's place among the rows of the list, 1-based; header and blank lines do not count. */
  readonly number: number;
  /** The member to send; undefined if there are issues. */
  readonly member: NewMember | undefined;
  readonly fields: RowFields;
  /** All issues, not only the first one. */
  readonly issues: readonly RowIssue[];
}

/** Whether people find the rows of a list by their line, or by their number. */
export type RowPosition = 'line' | 'row';
