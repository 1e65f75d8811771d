import type { MemberEntry, MemberField } from '../entry.ts';

/** One thing that is wrong with a row. */
export interface ValidationIssue {
  field?: MemberField | string;
  /** The column's header, or the key, as the list spells it. */
  column?: string;
  /** The value as the list holds it, untrusted and as long as it is there. */
  value?: string;
  /** Complete for a person, safe for a terminal: `isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0)`. */
  message: string;
}

/** A row as the list holds it, for giving it back: the cells of a CSV record, or an element's JSON text. */
export type RawRow = { readonly cells: readonly string[] } | { readonly text: string };

/** A checked row. */
export interface ListRow {
  /** The physical line, 1-based, on which the record or element starts; CR, LF and CRLF each end one line. */
  readonly line: number;
  /** The row's place among the rows of the list, 1-based; header and blank lines do not count. */
  readonly entry: number;
  /** The row's id where it has a usable one, whatever else is wrong with it. */
  readonly userId: string | undefined;
  /** What is sent for this row; undefined when there are problems. */
  readonly value: MemberEntry | undefined;
  /** All of them, not only the first. */
  readonly issues: readonly ValidationIssue[];
  readonly raw: RawRow;
}
