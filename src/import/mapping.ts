import type { MemberField } from './new-member.ts';

/** The format of a list. */
export type ListFormat = 'csv' | 'tsv' | 'json' | 'ndjson';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS: readonly ListFormat[] = ['csv', 'tsv', 'json', 'ndjson'];

/** A second list that translates the values of a field. */
export interface LookupSource {
  /** The path of the second list. */
  readonly file: string;
  /** The column, key or dotted path in it that has the values of the first list. */
  readonly from: string;
  /** The column, key or dotted path in it that has the values to send. */
  readonly to: string;
}

/** How the file of a list is read. */
export interface FileOptions {
  readonly format?: ListFormat | undefined;
  /** A single character, or `tab`. */
  readonly delimiter?: string | undefined;
  /** A name that `TextDecoder` knows. */
  readonly encoding?: string | undefined;
  /** The physical line of the header, from 1; the lines before it are skipped. */
  readonly headerRow?: number | undefined;
  /** The names of the columns of a list without a header; `-` for one that is not read. */
  readonly columns?: readonly string[] | undefined;
  /** The keys that lead to the array of a JSON list, with dots between them. */
  readonly records?: string | undefined;
  /** The sheet of a spreadsheet. */
  readonly sheet?: string | undefined;
}

type ByField<T> = { readonly [F in MemberField]?: T | undefined };

/**
 * How a list is read: what the user said in options, in a file, or in a dialog. A file of --mapping and the journal of a run have
 * it in this form. orgadm detects what it leaves open.
 */
export interface Mapping {
  /**
   * The column, column number (`#3`), JSON key, or dotted path of each field; `!` in front inverts a boolean. Several only for
   * isActive, if all of them must say so.
   */
  readonly columns?: ByField<string | readonly string[]> | undefined;
  /** Second lists that translate the values of fields, before `values` does. Paths are absolute. */
  readonly lookups?: ByField<LookupSource> | undefined;
  /** Translations of a field's values: text in any case to text, or to nothing; `*` matches all others. */
  readonly values?: ByField<Readonly<Record<string, string>>> | undefined;
  /** Values of fields that the list does not have, or has blank. */
  readonly defaults?: ByField<string> | undefined;
  /** Fields that are not read, although a column or key spells their name. */
  readonly omit?: readonly MemberField[] | undefined;
  /** Columns and keys that are ignored. */
  readonly ignored?: readonly string[] | undefined;
  /** Whether all columns and keys that are not read are ignored. */
  readonly ignoreExtraColumns?: boolean | undefined;
  readonly options?: FileOptions | undefined;
}

/** The column or key of a field. */
export interface FieldSource {
  /** A column, a column number (`#3`), a JSON key or a dotted path. */
  readonly name: string;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
}

/** Returns the columns or keys that a mapping names for a field. */
export function sourcesOf({ columns }: Pick<Mapping, 'columns'>, field: MemberField): FieldSource[] {
  return [columns?.[field] ?? []].flat().map((text) => {
    const isInverted = text.startsWith('!');
    return { name: isInverted ? text.slice(1).trim() : text, isInverted };
  });
}

/** Returns the members of an object, or of none, that may lack some of its keys. */
export function entriesOf<K extends string, V>(record: { readonly [Key in K]?: V | undefined } | undefined): [K, V][] {
  return (Object.entries(record ?? {}) as [K, V | undefined][]).filter((pair): pair is [K, V] => pair[1] !== undefined);
}
