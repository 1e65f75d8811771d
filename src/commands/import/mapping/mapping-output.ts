import * as z from 'zod/mini';
import { countSchema, nullableText, textSchema } from '../../output-schema.ts';

/** The mapping in effect, as the report of an import has it. */
export const mappingOutput = z
  .object({
    fields: z.array(
      z.object({
        field: z.string(),
        source: nullableText('column or key; null if the list has none'),
        inverted: z.boolean(),
        lookup: z
          .nullable(
            z.object({
              file: z.string(),
              from: z.string(),
              to: z.string(),
              found: countSchema('values that the second list has'),
              missing: countSchema('values that it lacks, or translates in several ways'),
            }),
          )
          .check(z.describe('the second list that translates the values (--lookup); null if none')),
        values: z.record(z.string(), z.string()).check(z.describe('translated values; * is any other')),
        default: z.nullable(z.string()),
      }),
    ),
    sheet: z.optional(textSchema('the sheet of a workbook; absent for other lists')),
    ignored: z.array(z.string()).check(z.describe('columns or keys that orgadm ignores')),
    totals: z
      .object({
        active: countSchema('people who are active'),
        inactive: countSchema('people who are not active'),
        unset: countSchema('people whose entry does not say whether they are active'),
        roles: z.record(z.string(), z.number()).check(z.describe('people by role')),
      })
      .check(z.describe('totals of the valid rows')),
    sample: z
      .optional(z.array(z.looseObject({})))
      .check(z.describe('of a dry run: the first two and the last two entries that orgadm would send')),
  })
  .check(z.describe('the source of each field; absent if runs show cannot read the list'));

/** The mapping in effect, and totals that expose a column that is read the wrong way around. */
export type DescribedMapping = z.output<typeof mappingOutput>;
