import * as z from 'zod/mini';
import { roleSchema } from '../service/contract.ts';

const dryRun = z
  .object({
    method: z.literal('PATCH'),
    path: z.string(),
    body: z.object({
      name: z.optional(z.string()),
      permissions: z.optional(z.record(z.string(), z.array(z.string()))),
      obligations: z.optional(z.record(z.string(), z.boolean())),
    }),
  })
  .check(z.describe('with --dry-run: the request that would be sent'));

/** What `role update` prints: the role of interface 2.1, with whatever else the service gave. */
export const roleUpdateOutput = z.union([
  roleSchema.check(z.describe('the role as the service now holds it')),
  z.null().check(z.describe('the service answered success without a body')),
  dryRun,
]);
