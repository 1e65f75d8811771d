import type { ListEncoding } from './encoding.ts';
import type { FieldValues } from './entry-builder.ts';
import type { Delimiter, ListFormat, ListLayout, ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
/** One pass from a list's text to its checked rows. */
export interface RowParser {
  /** The rows that `text` (UTF-8, whole characters) completes. Throws `UsageError` for what is not of the list's format. */
  push(text: Buffer): Iterable<ListRow[]>;
  /** The rows that the end of the list completes. Throws `UsageError` for a list that is empty or breaks off. */
  end(): Iterable<ListRow[]>;
  /** How the list is written; known when the pass is over. */
  layout(): ListLayout;
}

/** Everything that a pass needs to know beforehand. */
export interface ParserOptions {
  format: ListFormat;
  /** The delimiter of a CSV list. */
  delimiter: Delimiter;
  encoding: ListEncoding;
  options: ListOptions;
  defaults: FieldValues;
}
