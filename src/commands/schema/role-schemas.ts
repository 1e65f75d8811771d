import * as z from 'zod/mini';
import { roleSchema } from '../../client/response-schemas.ts';

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

const mismatch = z.object({
  path: z.string().check(z.describe('id, name, permissions.<resource> or obligations.<key>')),
  sent: z.unknown().check(z.describe('null where nothing was sent')),
  stored: z.unknown().check(z.describe('null where the service holds nothing')),
});

const updated = z
  .looseObject({
    ...roleSchema.shape,
    mismatches: z
      .array(mismatch)
      .check(z.describe('what the service stored otherwise than it was sent; empty if all is as sent')),
  })
  .check(z.describe('the role as the service now holds it; mismatches alone if the response has no role'));

/** What `role update` prints: the role of interface 2.1, with any other fields the service returned. */
export const roleUpdateOutput = z.union([updated, dryRun]);
