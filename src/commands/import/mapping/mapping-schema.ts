import * as z from 'zod/mini';
import { LIST_FORMATS, type Mapping } from '../../../import/mapping.ts';
import { FIELD_KINDS, type MemberField } from '../../../import/new-member.ts';

const memberField = z.enum(Object.keys(FIELD_KINDS) as MemberField[]);
const filledText = z.string().check(z.minLength(1));

/** A mapping in a file: what --mapping reads, and --save-mapping writes. */
export const mappingSchema = z.strictObject({
  $schema: z.optional(z.string()),
  columns: z
    .optional(z.partialRecord(memberField, z.union([filledText, z.array(filledText).check(z.minLength(2))])))
    .check(
      z.describe(
        'column, #number, key, or dotted path of each field; "!" in front inverts a boolean (--map). For isActive, several columns that must all say so',
      ),
    ),
  lookups: z
    .optional(z.partialRecord(memberField, z.strictObject({ file: filledText, from: filledText, to: filledText })))
    .check(
      z.describe(
        'a second list that translates the values of a field, from one of its columns to another (--lookup); a relative path starts at the folder of this file',
      ),
    ),
  values: z
    .optional(z.partialRecord(memberField, z.record(filledText, z.string())))
    .check(z.describe('translated values of each field, "" for a blank one; * is any other value (--map-value)')),
  defaults: z
    .optional(z.partialRecord(memberField, filledText))
    .check(z.describe('values for fields that are missing or blank (--default)')),
  omit: z
    .optional(z.array(memberField))
    .check(z.describe('fields to ignore, although a column or key has their name (--omit)')),
  ignored: z
    .optional(z.array(filledText))
    .check(z.describe('columns or keys to ignore; any other that is not a field is an error')),
  options: z
    .optional(
      z.strictObject({
        format: z.optional(z.enum(LIST_FORMATS)),
        delimiter: z.optional(filledText),
        encoding: z.optional(filledText),
        headerRow: z.optional(z.int().check(z.minimum(1))),
        columns: z.optional(z.array(filledText)),
        records: z.optional(filledText),
        sheet: z.optional(filledText),
      }),
    )
    .check(z.describe('the options of the same names')),
});

/** A mapping as the journal of a run keeps it. A file names what it ignores, so that a new column is not overlooked. */
export const recordedMappingSchema: z.ZodMiniType<Mapping> = z.extend(mappingSchema, {
  ignoreExtraColumns: z.optional(z.boolean()),
});
