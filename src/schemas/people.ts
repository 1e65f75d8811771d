import { z } from 'zod';
import { ROW_STATES } from '../members/journal/ledger.ts';

const count = z.number().int().min(0);
const fromOne = z.number().int().min(1);

const summary = z.object({
  total: count.describe('rows of the list: the sum of all states'),
  created: count.describe('added now'),
  existing: count.describe('a member already'),
  recovered: count.describe('a member now, perhaps by an attempt whose answer was lost'),
  failed: count.describe('refused by the service'),
  invalid: count.describe('refused here, never sent'),
  unknown: count.describe('sent, and no answer tells what became of it'),
  unsent: count.describe('not reached'),
  stopped: z.string().nullable().describe('why the run ended early; null where it did not'),
});

const row = z.object({
  line: fromOne.nullable().describe('physical line in the list; null where the list was changed meanwhile'),
  entry: fromOne.describe('place among the rows of the list'),
  userId: z.string().nullable(),
  state: z.enum(ROW_STATES),
  error: z.string().nullable().describe("the service's words, or what is wrong with the row"),
});

/** What `people bulk-add` prints: the report of the whole list (interface 4.2 for the last two fields). */
export const bulkAddOutput = z.object({
  summary,
  rows: z.array(row).describe('the rows that were not created; of a dry run and a refused list the invalid ones'),
  authType: z.string().nullable().describe('how the requests were authenticated'),
  authenticatedUser: z
    .looseObject({ id: z.string().nullish(), email: z.string().nullish() })
    .nullable()
    .describe('the caller, where the service tells it'),
});

/** What `people template` prints: entries of interface 4.2. */
export const templateOutput = z.array(
  z.object({
    userId: z.string(),
    role: z.string(),
    department: z.string().optional(),
    isActive: z.boolean().optional(),
    deviceMgmtLabelId: z.number().int().optional(),
  }),
);
