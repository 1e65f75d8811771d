import * as z from 'zod/mini';
import { ACTIONS, BUILT_IN_ROLES, MISSING_PERMISSION, RESOURCES } from './fixtures.ts';
import { jsonResponse, type Operation, RequestRejection, validateBody } from './operation.ts';
import type { StoredRole } from './store.ts';

/** The body of a role update (interface 4.1). */
const roleUpdateSchema = z.strictObject({
  name: z.optional(z.string().check(z.minLength(2), z.maxLength(50))),
  permissions: z.optional(z.partialRecord(z.enum(RESOURCES), z.array(z.enum(ACTIONS)))),
  obligations: z.optional(z.record(z.string(), z.boolean())),
});

/** PATCH /v1/roles/{roleId} (interface 4.1). Replaces the permissions and the obligations; nothing is merged. */
export const updateRoleOperation: Operation = (call, { store, clock }) => {
  const { id } = call;
  const change = validateBody(roleUpdateSchema, call.body);
  if (BUILT_IN_ROLES.some((name) => id === `rol_${name}`))
    throw new RequestRejection(400, 'Cannot modify built-in roles');
  findRole(store.read().roles, id);
  const { resource, action } = MISSING_PERMISSION;
  if (change.permissions?.[resource]?.includes(action)) {
    throw new RequestRejection(403, `Cannot grant '${resource}:${action}' permission - you don't have this permission`);
  }
  return () => {
    const current = store.read().roles;
    const role = { ...findRole(current, id), ...change, updatedAt: new Date(clock.now()).toISOString() };
    store.change({ roles: current.map((other) => (other.id === id ? role : other)) });
    const { name, permissions, createdAt, updatedAt } = role;
    // The response does not echo obligations (interface 2.1).
    return jsonResponse(200, { id, name, permissions, isBuiltIn: false, createdAt, updatedAt });
  };
};

function findRole(roles: readonly StoredRole[], id: string): StoredRole {
  const role = roles.find((candidate) => candidate.id === id);
  if (!role) throw new RequestRejection(404, `Role ${id} not found`);
  return role;
}
