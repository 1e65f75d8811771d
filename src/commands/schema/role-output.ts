import * as z from 'zod/mini';
import { roleSchema } from '../../client/response-schemas.ts';
import { dateTime, withExamples } from './render-schema.ts';

const mismatch = z.object({
  path: z.string().check(z.describe('id, name, permissions.<resource> or obligations.<key>')),
  sent: z.unknown().check(z.describe('null where nothing was sent')),
  stored: z.unknown().check(z.describe('null where the service holds nothing')),
});

// The response is accepted with other values in these fields too, and they are printed: the change was made all the same.
const updated = z
  .looseObject({
    ...roleSchema.shape,
    obligations: z.nullish(z.record(z.string(), z.boolean())),
    isBuiltIn: z.nullish(z.boolean()),
    createdAt: z.nullish(dateTime),
    updatedAt: z.nullish(dateTime),
    mismatches: z
      .array(mismatch)
      .check(z.describe('values that the service stored differently from what was sent; empty if there are none')),
  })
  .check(z.describe('the role as the service now holds it; mismatches alone if the response has no role'));

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

/** What `role update` prints: the role of interface 2.1, with any other fields the service returned. */
export const roleUpdateOutput = withExamples(
  z.union([updated, dryRun]),
  {
    id: 'rol_custom_1',
    name: 'Risk Reviewer',
    permissions: { control: ['read'] },
    isBuiltIn: false,
    createdAt: '2025-02-03T09:00:00.000Z',
    updatedAt: '2026-01-05T08:00:00.000Z',
    mismatches: [],
  },
  {
    id: 'rol_custom_1',
    name: 'Risk Reviewer',
    permissions: { control: ['read'] },
    mismatches: [{ path: 'permissions.control', sent: ['read', 'update'], stored: ['read'] }],
  },
  { method: 'PATCH', path: '/v1/roles/rol_custom_1', body: { name: 'Auditor' } },
);
