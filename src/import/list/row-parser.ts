import { CsvRowParser } from './csv-row-parser.ts';
import { type Delimiter, detectDelimiter } from './delimiter.ts';
import type { ListEncoding } from './encoding.ts';
import type { FieldValues } from './entry-builder.ts';
import { JsonRowParser } from './json-row-parser.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListFormat, ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { NdjsonRowParser } from './ndjson-row-parser.ts';

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

/** The delimiter of a list that begins with `head`. */
export function delimiterFor(format: ListFormat, head: string): Delimiter {
  return format === 'tsv' ? '\t' : detectDelimiter(head);
}

/** Begins a pass. */
export function createRowParser(plan: ParserOptions): RowParser {
  if (plan.format === 'json') return new JsonRowParser(plan);
  return plan.format === 'ndjson' ? new NdjsonRowParser(plan) : new CsvRowParser(plan);
}
