import * as z from 'zod/mini';
import { ROW_STATES } from '../../import/journal/row-states.ts';

const count = z.int().check(z.minimum(0));
const fromOne = z.int().check(z.minimum(1));

const summary = z.object({
  total: count.check(z.describe('rows of the list: the sum of all states')),
  created: count.check(z.describe('added now')),
  existing: count.check(z.describe('a member already')),
  recovered: count.check(z.describe('a member now, perhaps by an attempt whose answer was lost')),
  failed: count.check(z.describe('refused by the service')),
  invalid: count.check(z.describe('refused here, never sent')),
  unknown: count.check(z.describe('sent, and no answer tells what became of it')),
  unsent: count.check(z.describe('not reached')),
  duplicates: count.check(z.describe('users who have, or may have, two active memberships')),
  stopped: z.nullable(z.string()).check(z.describe('why the run ended early; null where it did not')),
});

const row = z.object({
  line: z.nullable(fromOne).check(z.describe('physical line in the list; null where the list was changed meanwhile')),
  entry: fromOne.check(z.describe('place among the rows of the list')),
  userId: z.nullable(z.string()),
  state: z.enum(ROW_STATES),
  error: z.nullable(z.string()).check(z.describe("the service's words, or what is wrong with the row")),
});

const duplicate = z.object({
  line: z.nullable(fromOne).check(z.describe('physical line in the list; null where the list was changed meanwhile')),
  entry: fromOne.check(z.describe('place among the rows of the list')),
  userId: z.nullable(z.string()),
  memberIds: z.array(z.string()).check(z.describe('the memberships, as far as the service named them')),
  certain: z.boolean().check(z.describe('whether a response listed both; false where they follow from two requests')),
});

/** What `people bulk-add` prints: the report of the whole list (interface 4.2 for the last two fields). */
export const bulkAddOutput = z.object({
  summary,
  rows: z
    .array(row)
    .check(z.describe('the rows that were not created; of a dry run and a refused list the invalid ones')),
  duplicates: z.array(duplicate).check(z.describe('users who have, or may have, two active memberships')),
  authType: z.nullable(z.string()).check(z.describe('how the requests were authenticated')),
  authenticatedUser: z
    .nullable(z.looseObject({ id: z.nullish(z.string()), email: z.nullish(z.string()) }))
    .check(z.describe('the caller, where the service tells it')),
});

/** What `people template` prints: entries of interface 4.2. */
export const templateOutput = z.array(
  z.object({
    userId: z.string(),
    role: z.string(),
    department: z.optional(z.string()),
    isActive: z.optional(z.boolean()),
    deviceMgmtLabelId: z.optional(z.int()),
  }),
);
