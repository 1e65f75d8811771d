import { escapeJson } from '../output/sanitize.ts';
import { UsageError } from '../util/errors.ts';
import type { MemberEntry } from './entry.ts';

/** A mistake in a row. */
export interface ValidationIssue {
  field?: string;
  /** The column's header, or the key, as in the list. */
  column?: string;
  /** The value as in the list: untrusted, of any length. */
  value?: string;
  /** A complete message, safe for a terminal: `isActive: "maybe" is not a boolean (use true/false, yes/no or 1/0)`. */
  message: string;
}

/** A row as it is in the list, for writing it again: the cells of a CSV record, or an element's JSON text. */
export type RawRow = { readonly cells: readonly string[] } | { readonly text: string };

/** A validated row. */
export interface ListRow {
  /** The physical line, 1-based, on which the record or element starts; CR, LF and CRLF each end one line. */
  readonly line: number;
  /** The row's place among the rows of the list, 1-based; header and blank lines do not count. */
  readonly entry: number;
  /** The row's id if it has a valid one, even if it has other issues. */
  readonly userId: string | undefined;
  /** The entry to send; undefined if there are issues. */
  readonly value: MemberEntry | undefined;
  /** All issues, not only the first one. */
  readonly issues: readonly ValidationIssue[];
  readonly raw: RawRow;
}

/** Returns the error for an empty list. */
export function emptyListError(): UsageError {
  return new UsageError(
    'the list is empty',
    'A list without members still needs a header, or [] in JSON. To print an example list: orgadm people template',
    'empty-list',
  );
}

/** The longest row, in characters; a longer one has a quote or bracket that is never closed. */
export const MAX_ROW_LENGTH = 1024 * 1024;

const MAX_SHOWN_CHARACTERS = 60;
const MAX_SHOWN_VALUES = 30;

/** Renders a value of a list for a message: quoted, on one line, safe for a terminal, cut after 60 characters. */
export function quote(value: string): string {
  const characters = [...value.slice(0, MAX_SHOWN_CHARACTERS * 2 + 2)];
  const shown =
    characters.length > MAX_SHOWN_CHARACTERS ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…` : value;
  return escapeJson(JSON.stringify(shown));
}

/** Renders several values, quoted, with commas between them; of very many the first 30, and how many more there are. */
export function quoteAll(values: Iterable<string>, render = quote): string {
  const all = [...values];
  const shown = all.slice(0, MAX_SHOWN_VALUES).map((value) => render(value));
  const more = all.length > MAX_SHOWN_VALUES ? ` and ${all.length - MAX_SHOWN_VALUES} more` : '';
  return shown.join(', ') + more;
}
