import { CsvReading } from './csv-row-parser.ts';
import { type Delimiter, sniffDelimiter } from './delimiter.ts';
import type { ByteForm } from './encoding.ts';
import type { Values } from './entry-builder.ts';
import { JsonReading } from './json-row-parser.ts';
import type { ListLayout } from './list-layout.ts';
import type { ListFormat, ListOptions } from './list-options.ts';
import type { ListRow } from './list-row.ts';
import { NdjsonReading } from './ndjson-row-parser.ts';

/** One pass from a list's text to its checked rows. */
export interface ListReading {
  /** The rows that `text` (UTF-8, whole characters) completes. Throws `UsageError` for what is not of the list's format. */
  push(text: Buffer): Iterable<ListRow[]>;
  /** The rows that the end of the list completes. Throws `UsageError` for a list that is empty or breaks off. */
  end(): Iterable<ListRow[]>;
  /** How the list is written; known when the pass is over. */
  layout(): ListLayout;
}

/** Everything that a pass needs to know beforehand. */
export interface ReadingPlan {
  format: ListFormat;
  /** The delimiter of a CSV list. */
  delimiter: Delimiter;
  form: ByteForm;
  options: ListOptions;
  defaults: Values;
}

/** The delimiter of a list that begins with `head`. */
export function delimiterOf(format: ListFormat, head: string): Delimiter {
  return format === 'tsv' ? '\t' : sniffDelimiter(head);
}

/** Begins a pass. */
export function createReading(plan: ReadingPlan): ListReading {
  if (plan.format === 'json') return new JsonReading(plan);
  return plan.format === 'ndjson' ? new NdjsonReading(plan) : new CsvReading(plan);
}
