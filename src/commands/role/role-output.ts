import * as z from 'zod/mini';
import { roleSchema } from '../../client/response-schemas.ts';
import { dateTime, withDescription, withExample } from '../output-schema.ts';
import { mismatchSchema, roleChangeSchema } from './role-change.ts';

const mismatches = 'values that the service stored differently from what orgadm sent; empty if none';

// Responses with other values in these fields are accepted and printed, too, because the service has made the change.
const updated = z.looseObject({
  ...roleSchema.shape,
  obligations: z.nullish(z.record(z.string(), z.boolean())),
  isBuiltIn: z.nullish(z.boolean()),
  createdAt: z.nullish(dateTime),
  updatedAt: z.nullish(dateTime),
  mismatches: withDescription(z.array(mismatchSchema), mismatches),
});

const dryRun = z.object({
  method: z.literal('PATCH'),
  path: z.string(),
  body: roleChangeSchema,
});

/** The output of `role update`: the role of interface 2.1, with any other fields the service returned. */
export const roleUpdateOutput = withExample(
  z.union([
    withDescription(
      updated,
      'the role as the service now stores it; if the response has no role, the document has only `mismatches`',
    ),
    withDescription(dryRun, 'with --dry-run: the request that orgadm would send'),
  ]),
  {
    id: 'rol_custom_1',
    name: 'Risk Reviewer',
    permissions: { control: ['read'] },
    isBuiltIn: false,
    createdAt: '2025-02-03T09:00:00.000Z',
    updatedAt: '2026-01-05T08:00:00.000Z',
    mismatches: [],
  },
);
