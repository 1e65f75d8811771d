import { escapeJson } from '../../output/sanitize.ts';
import { UsageError } from '../../util/errors.ts';
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

/** A list without anything in it. */
export function emptyListError(): UsageError {
  return new UsageError(
    'the list is empty',
    'A list of nobody is written as a header without rows, or as []. `orgadm people template` prints one to start from.',
    'empty-list',
  );
}

/** Rows are handed on in chunks of at most this many. */
export const CHUNK_ROWS = 128;

/** A row may be this long; more is a quote or a bracket that was never closed. */
export const MAX_ROW_BYTES = 1024 * 1024;

/** Cuts `items` into chunks of at most `CHUNK_ROWS`. */
export function* inChunks<T>(items: readonly T[]): Generator<T[]> {
  for (let from = 0; from < items.length; from += CHUNK_ROWS) yield items.slice(from, from + CHUNK_ROWS);
}

const LONGEST = 60;
const MOST = 30;

/** A value of a list as it stands in a message: in quotes, on one line, safe for a terminal, cut after 60 characters. */
export function quote(value: string): string {
  const characters = [...value.slice(0, LONGEST * 2 + 2)];
  const shown = characters.length > LONGEST ? `${characters.slice(0, LONGEST).join('')}…` : value;
  return escapeJson(JSON.stringify(shown));
}

/** Several values, quoted, with commas between them; of very many the first 30. */
export function quoteAll(values: Iterable<string>): string {
  return enumerate([...values].map(quote));
}

/** The items with commas between them; of very many the first 30, and how many more there are. */
export function enumerate(items: readonly string[]): string {
  const shown = items.slice(0, MOST).join(', ');
  return items.length > MOST ? `${shown} and ${items.length - MOST} more` : shown;
}
