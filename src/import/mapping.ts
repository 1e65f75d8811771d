import * as z from 'zod/mini';

/** The fields that a mapping reads from a column as they are. Who is active is said by `active`. */
export const MAPPED_FIELDS = ['userId', 'role', 'department', 'deviceMgmtLabelId'] as const;
export type MappedField = (typeof MAPPED_FIELDS)[number];

/** The fields whose values a mapping can translate, or give to people who have none. */
export const TRANSLATED_FIELDS = ['role', 'department'] as const;
export type TranslatedField = (typeof TRANSLATED_FIELDS)[number];

const filledText = z.string().check(z.minLength(1));
/** Values of columns: blank for a cell without one. */
const valuesByColumn = z.record(filledText, z.array(z.string()).check(z.minLength(1)));

/** A second list with the IDs that a service uses. */
export const lookupSchema = z.strictObject({
  /** The path of the second list. In a mapping file, it is relative to that file. */
  file: filledText,
  /** The column that has the values of the first list. */
  from: filledText,
  /** The column that has the user IDs. */
  to: filledText,
});

/**
 * How a list becomes members: the file of `--mapping`. Names and values are compared as a person reads them, ignoring case.
 */
export const mappingSchema = z.strictObject({
  /** The column of each field; null leaves the field out. */
  columns: z.optional(z.partialRecord(z.enum(MAPPED_FIELDS), z.nullable(filledText))),
  /** The columns that say together who is active, and their values of active people; `all` for everyone. */
  active: z.optional(z.union([z.literal('all'), valuesByColumn])),
  /** Their other values, if any. If a column is named here, a value in neither is an error. */
  inactive: z.optional(z.record(filledText, z.array(z.string()))),
  /** Translations of values; a blank target leaves the value out. */
  values: z.optional(z.partialRecord(z.enum(TRANSLATED_FIELDS), z.record(filledText, z.string()))),
  /** Values for people who have none. */
  default: z.optional(z.partialRecord(z.enum(TRANSLATED_FIELDS), filledText)),
  lookup: z.optional(lookupSchema),
  /** Columns that are not read. A name covers the columns below it. */
  ignored: z.optional(z.array(z.string())),
});

/** How a list becomes members: one value, whether it comes from options, a file, or questions. */
export type Mapping = z.infer<typeof mappingSchema>;

/** A mapping as the user gave it. */
export interface GivenMapping {
  readonly mapping: Mapping;
  /** The file of `--mapping`, as the user named it. With one, only the columns that the mapping names are read. */
  readonly file: string | undefined;
  /** Whether all columns that are no fields are ignored. */
  readonly ignoresOthers: boolean;
}
