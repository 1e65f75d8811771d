import type { RowPosition } from '../checked-row.ts';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS = ['csv', 'json', 'ndjson', 'xlsx'] as const;

/** The format of a list. */
export type ListFormat = (typeof LIST_FORMATS)[number];

/** How the file of a list is read: the options of `people bulk-add` that are not part of a mapping. */
export interface FileOptions {
  readonly format?: ListFormat | undefined;
  /** A single character, or `tab`. */
  readonly delimiter?: string | undefined;
  /** A name that `TextDecoder` knows. */
  readonly encoding?: string | undefined;
  /** The physical line of the header, from 1. */
  readonly headerRow?: number | undefined;
  /** The names of the columns of a list without a header. */
  readonly columns?: readonly string[] | undefined;
  /** The keys that lead to the array of a JSON list, with dots between them. */
  readonly records?: string | undefined;
  /** The sheet of a workbook. */
  readonly sheet?: string | undefined;
}

/** A value of which orgadm cannot tell what a person sees there. */
export class Unreadable {
  /** The value as the file has it. */
  readonly text: string;
  /** Why, after the value: `is struck out`. */
  readonly reason: string;
  /** Whether it may even be blank: a formula without a saved result. */
  readonly mayBeBlank: boolean;

  constructor(text: string, reason: string, mayBeBlank = false) {
    this.text = text;
    this.reason = reason;
    this.mayBeBlank = mayBeBlank;
  }
}

/** The text of a cell or of a JSON value; undefined or blank if there is none. */
export type Cell = string | Unreadable | undefined;

/** One row of a list. Blank rows are none. */
export interface Row {
  /** The physical line on which it starts, from 1; in a JSON array, the number of the element. */
  readonly line: number;
  /** By column. There may be fewer than columns. */
  readonly cells: readonly Cell[];
  /** Why the row itself is invalid; undefined if nothing is wrong with it. */
  readonly problem: string | undefined;
}

/** A list as columns and rows, whatever its format (the same for the list and the second list). */
export interface Table {
  /** The name for messages: the path as the user wrote it, or `standard input`. */
  readonly name: string;
  /** The absolute path; undefined if it is not a regular file. */
  readonly path: string | undefined;
  /** SHA-256 of its bytes, as 64 hex digits. */
  readonly digest: string;
  readonly format: ListFormat;
  /** What `Row.line` counts: physical lines, or the rows of a JSON array. */
  readonly position: RowPosition;
  /** The names of the columns as a person reads them; of inner values of JSON, dotted. A name may be blank or occur twice. */
  readonly columns: readonly string[];
  /** The sheet of a workbook; undefined for other lists. */
  readonly sheet: string | undefined;
  /** The plain values next to a JSON list, such as `total 412`. */
  readonly besideList: readonly string[];
  /**
   * Reads the rows, in chunks. Lets other work run between two chunks.
   *
   * @throws UsageError for a list that cannot be read to its end, with the name of the list
   */
  chunks(): AsyncGenerator<Row[]>;
}
