import { UsageError } from '../../../util/errors.ts';

/** A record before its values are validated. */
export interface CsvRecord {
  /** The physical line, 1-based, on which it starts. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Its physical lines as they are in the list, if it has several, because cells in quotes have line breaks. */
  readonly lines?: readonly string[] | undefined;
}

/** Records of a text, the number of its characters that they take, and the physical line after them. */
export interface ParsedRecords {
  readonly records: CsvRecord[];
  readonly length: number;
  readonly nextLine: number;
}

/** The ends of physical lines. */
export const LINE_END = /\r\n|\r|\n/;

/** Whether a cell of a row is filled. Blank rows are no records. */
export function isNotBlank(cells: readonly string[]): boolean {
  return cells.some((cell) => cell.trim() !== '');
}

/** Returns the error for a row beyond the limit, which starts on `line`. */
export function rowTooLong(line: number): UsageError {
  return new UsageError(
    `line ${line}: the row that starts here is longer than 1 MiB`,
    'Check that the file is a member list with one member per line.',
    'bad-list',
  );
}
