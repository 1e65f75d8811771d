import * as z from 'zod/mini';
import { MEMBER_FIELDS, type MemberField } from './new-member.ts';

/** The list formats, in the order in which help names them. */
export const LIST_FORMATS = ['csv', 'tsv', 'json', 'ndjson'] as const;

/** The format of a list. */
export type ListFormat = (typeof LIST_FORMATS)[number];

const filledText = z.string().check(z.minLength(1));

/** A second list that translates the values of a field. */
const lookupSource = z.strictObject({
  /** The path of the second list. */
  file: filledText,
  /** The column, key or dotted path in it that has the values of the first list. */
  from: filledText,
  /** The column, key or dotted path in it that has the values to send. */
  to: filledText,
});

const fileOptions = z.strictObject({
  format: z.optional(z.enum(LIST_FORMATS)),
  /** A single character, or `tab`. */
  delimiter: z.optional(filledText),
  /** A name that `TextDecoder` knows. */
  encoding: z.optional(filledText),
  /** The physical line of the header, from 1; the lines before it are skipped. */
  headerRow: z.optional(z.int().check(z.minimum(1))),
  /** The names of the columns of a list without a header; `-` for one that is not read. */
  columns: z.optional(z.array(filledText)),
  /** The keys that lead to the array of a JSON list, with dots between them. */
  records: z.optional(filledText),
  /** The sheet of a spreadsheet. */
  sheet: z.optional(filledText),
});

/** The value of a part of the mapping for some of the fields. */
function byField<T extends z.ZodMiniType>(part: T) {
  return z.optional(z.partialRecord(z.enum(MEMBER_FIELDS), part));
}

/** How a list is read, as a file of --mapping and the journal of a run have it. */
export const mappingSchema = z.strictObject({
  /**
   * The column, column number (`#3`), JSON key, or dotted path of each field; `!` in front inverts a boolean. Several only for
   * isActive, if all of them must say so.
   */
  columns: byField(z.union([filledText, z.array(filledText).check(z.minLength(2))])),
  /** Second lists that translate the values of fields, before `values` does. Paths are absolute. */
  lookups: byField(lookupSource),
  /** Translations of a field's values: text in any case to text, or to nothing; `*` matches all others. */
  values: byField(z.record(filledText, z.string())),
  /** Values of fields that the list does not have, or has blank. */
  defaults: byField(filledText),
  /** Fields that are not read, although a column or key spells their name. */
  omit: z.optional(z.array(z.enum(MEMBER_FIELDS))),
  /** Columns and keys that are ignored. */
  ignored: z.optional(z.array(filledText)),
  /** Whether all columns and keys that are not read are ignored. */
  ignoreExtraColumns: z.optional(z.boolean()),
  options: z.optional(fileOptions),
});

/** How a list is read: what the user said in options, in a file, or in a dialog. orgadm detects what it leaves open. */
export type Mapping = z.infer<typeof mappingSchema>;
/** How the file of a list is read. */
export type FileOptions = z.infer<typeof fileOptions>;
/** A second list that translates the values of a field. */
export type LookupSource = z.infer<typeof lookupSource>;

/** The column or key of a field. */
export interface FieldSource {
  /** A column, a column number (`#3`), a JSON key or a dotted path. */
  readonly name: string;
  /** Whether the list holds the opposite of the field. */
  readonly isInverted: boolean;
}

/** Whether a text in a mapping stands for the opposite of a column or key. So no mapping can have a name that begins with "!". */
export function isInversion(text: string): boolean {
  return text.startsWith('!');
}

/** Returns the columns or keys that a mapping names for a field. */
export function sourcesOf({ columns }: Pick<Mapping, 'columns'>, field: MemberField): FieldSource[] {
  return [columns?.[field] ?? []].flat().map((text) => {
    const isInverted = isInversion(text);
    return { name: isInverted ? text.slice(1).trim() : text, isInverted };
  });
}

/** Returns the members of an object, or of none, that may lack some of its keys. */
export function entriesOf<K extends string, V>(record: { readonly [Key in K]?: V | undefined } | undefined): [K, V][] {
  return (Object.entries(record ?? {}) as [K, V | undefined][]).filter((pair): pair is [K, V] => pair[1] !== undefined);
}
