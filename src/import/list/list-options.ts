import type { MemberField } from '../entry.ts';

/** How a list is written. CSV covers `,` `;` and tab as delimiter; TSV is tab only. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which they are told. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** How a list is to be read. */
export interface ListOptions {
  /** Without it the name tells, and then the content. */
  format?: ListFormat;
  /** The column (or JSON key) that holds a field, where its name does not tell. */
  map: ReadonlyMap<MemberField, string>;
  /** The value of a field where the list has no such column, or a blank. */
  defaults: ReadonlyMap<MemberField, string>;
  /** Leave unknown columns and keys unread instead of refusing them. */
  ignoreExtraColumns: boolean;
}
