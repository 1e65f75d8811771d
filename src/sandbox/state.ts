import * as z from 'zod/mini';

/** A custom role (interface 2.1, with its obligations). Times are ISO 8601. */
const storedRole = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.record(z.string(), z.array(z.string())),
  obligations: z.record(z.string(), z.boolean()),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type StoredRole = z.infer<typeof storedRole>;

/** A membership (interface 2.2). Its user is not stored, but derived from the id. */
const storedMember = z.object({
  id: z.string(),
  userId: z.string(),
  role: z.string(),
  department: z.string(),
  isActive: z.boolean(),
  labelId: z.optional(z.number()),
  createdAt: z.string(),
});
export type StoredMember = z.infer<typeof storedMember>;

export const sandboxStateSchema = z.object({
  version: z.literal(1),
  roles: z.array(storedRole),
  members: z.array(storedMember),
});
export type SandboxState = z.infer<typeof sandboxStateSchema>;
