import { z } from 'zod';
import { roleSchema } from '../service/contract.ts';

const dryRun = z
  .object({
    method: z.literal('PATCH'),
    path: z.string(),
    body: z.object({
      name: z.string().optional(),
      permissions: z.record(z.string(), z.array(z.string())).optional(),
      obligations: z.record(z.string(), z.boolean()).optional(),
    }),
  })
  .describe('with --dry-run: the request that would be sent');

/** What `role update` prints: the role of interface 2.1, with whatever else the service gave. */
export const roleUpdateOutput = z.union([
  z.looseObject(roleSchema.shape).describe('the role as the service now holds it'),
  z.null().describe('the service answered success without a body'),
  dryRun,
]);
