import type { JsonObject } from '../../util/json-object.ts';
import type { Operation } from '../operation.ts';
import { jsonAnswer, Refusal } from '../sandbox-response.ts';
import { BUILT_IN_ROLE_IDS, BUILT_IN_ROLES, LACKING } from '../seed/seed-state.ts';
import type { StoredRole } from '../state.ts';
import { type Variants, writeStatus } from '../variants.ts';
import { type RoleChange, readRoleChange } from './role-request.ts';

/** PATCH /v1/roles/{roleId} (interface 4.1). Permissions and obligations are replaced whole, not merged. */
export const updateRole: Operation = (call, { store, variants, clock }) => {
  const id = call.pathParameter;
  const change = readRoleChange(call.body);
  if (BUILT_IN_ROLE_IDS.has(id)) throw new Refusal(400, 'Cannot modify built-in roles');
  const { roles } = store.read();
  findRole(roles, id);
  refuseName(change, id, roles);
  refuseGrant(change.permissions);
  return () => {
    const updatedAt = new Date(clock.now()).toISOString();
    store.change((state) => {
      const changed = { ...findRole(state.roles, id), ...change, updatedAt };
      return { ...state, roles: state.roles.map((role) => (role.id === id ? changed : role)) };
    });
    return jsonAnswer(writeStatus(variants, 200), roleRow(findRole(store.read().roles, id), variants));
  };
};

function roleRow(role: StoredRole, variants: Variants): object {
  const { id, name, permissions, obligations, createdAt, updatedAt } = role;
  const echoed = variants['echo-obligations'] === 'yes' ? { obligations } : {};
  return { id, name, permissions, ...echoed, isBuiltIn: false, createdAt, updatedAt };
}

function findRole(roles: readonly StoredRole[], id: string): StoredRole {
  const role = roles.find((candidate) => candidate.id === id);
  if (!role) throw new Refusal(404, `Role ${id} not found`);
  return role;
}

function refuseName({ name }: RoleChange, id: string, roles: readonly StoredRole[]): void {
  if (name === undefined) return;
  const same = (other: string) => other.toLowerCase() === name.toLowerCase();
  if (BUILT_IN_ROLES.some(same)) throw new Refusal(400, `Role name '${name}' is reserved`);
  if (roles.some((role) => role.id !== id && same(role.name))) {
    throw new Refusal(400, `Role '${name}' already exists`);
  }
}

/** A key can grant only what it holds itself. */
function refuseGrant(permissions: JsonObject | undefined): void {
  const { resource, action } = LACKING;
  const actions = permissions?.[resource];
  if (Array.isArray(actions) && actions.includes(action)) {
    throw new Refusal(403, `Cannot grant '${resource}:${action}' permission - you don't have this permission`);
  }
}
