import { isJsonObject, type JsonObject, unknownProperties } from '../../util/json-object.ts';
import { jsonResponse, type Operation, RequestRejection } from '../operation.ts';
import { BUILT_IN_ROLE_IDS, BUILT_IN_ROLES, MISSING_PERMISSION } from '../seed/seed-state.ts';
import type { StoredRole } from '../state.ts';
import { type Variants, writeStatus } from '../variants.ts';

/** PATCH /v1/roles/{roleId} (interface 4.1). Permissions and obligations are replaced whole, not merged. */
export const updateRoleOperation: Operation = (call, { store, variants, clock }) => {
  const id = call.pathParameter;
  const change = parseRoleUpdate(call.body);
  if (BUILT_IN_ROLE_IDS.has(id)) throw new RequestRejection(400, 'Cannot modify built-in roles');
  const { roles } = store.read();
  findRole(roles, id);
  rejectName(change, id, roles);
  rejectGrant(change.permissions);
  return () => {
    const updatedAt = new Date(clock.now()).toISOString();
    store.change((state) => {
      const changed = { ...findRole(state.roles, id), ...change, updatedAt };
      return { ...state, roles: state.roles.map((role) => (role.id === id ? changed : role)) };
    });
    return jsonResponse(writeStatus(variants, 200), roleRow(findRole(store.read().roles, id), variants));
  };
};

function roleRow(role: StoredRole, variants: Variants): object {
  const { id, name, permissions, obligations, createdAt, updatedAt } = role;
  const echoed = variants['echo-obligations'] === 'yes' ? { obligations } : {};
  return { id, name, permissions, ...echoed, isBuiltIn: false, createdAt, updatedAt };
}

function findRole(roles: readonly StoredRole[], id: string): StoredRole {
  const role = roles.find((candidate) => candidate.id === id);
  if (!role) throw new RequestRejection(404, `Role ${id} not found`);
  return role;
}

function rejectName({ name }: RoleUpdateRequest, id: string, roles: readonly StoredRole[]): void {
  if (name === undefined) return;
  const same = (other: string) => other.toLowerCase() === name.toLowerCase();
  if (BUILT_IN_ROLES.some(same)) throw new RequestRejection(400, `Role name '${name}' is reserved`);
  if (roles.some((role) => role.id !== id && same(role.name))) {
    throw new RequestRejection(400, `Role '${name}' already exists`);
  }
}

/** A key can grant only what it holds itself. */
function rejectGrant(permissions: JsonObject | undefined): void {
  const { resource, action } = MISSING_PERMISSION;
  const actions = permissions?.[resource];
  if (Array.isArray(actions) && actions.includes(action)) {
    throw new RequestRejection(403, `Cannot grant '${resource}:${action}' permission - you don't have this permission`);
  }
}

/** What a role update may set (interface 4.1). */
type RoleUpdateRequest = Partial<Pick<StoredRole, 'name' | 'permissions' | 'obligations'>>;

/**
 * Checks the body of a role update.
 * @throws Refusal 400 with one message for each thing that is wrong.
 */
function parseRoleUpdate(body: unknown): RoleUpdateRequest {
  if (!isJsonObject(body)) throw new RequestRejection(400, ['the body must be an object']);
  const { name, permissions, obligations } = body;
  const problems = [
    ...('name' in body ? nameProblems(name) : []),
    ...('permissions' in body ? mapProblems('permissions', permissions, 'an array of strings', isActionList) : []),
    ...('obligations' in body ? mapProblems('obligations', obligations, 'a boolean', isBoolean) : []),
    ...unknownProperties(body, ['name', 'permissions', 'obligations']),
  ];
  if (problems.length > 0) throw new RequestRejection(400, problems);
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(isJsonObject(permissions) ? { permissions } : {}),
    ...(isJsonObject(obligations) ? { obligations } : {}),
  };
}

function nameProblems(name: unknown): string[] {
  if (typeof name !== 'string') return ['name must be a string'];
  if (name.length < 2) return ['name must be longer than or equal to 2 characters'];
  if (name.length > 50) return ['name must be shorter than or equal to 50 characters'];
  if (/^[A-Za-z][A-Za-z0-9 -]*$/.test(name)) return [];
  return ['name must start with a letter and hold only letters, digits, spaces and hyphens'];
}

function mapProblems(field: string, map: unknown, kind: string, isKind: (value: unknown) => boolean): string[] {
  if (!isJsonObject(map)) return [`${field} must be an object`];
  return Object.entries(map)
    .filter(([, value]) => !isKind(value))
    .map(([key]) => `${field}.${key} must be ${kind}`);
}

function isActionList(value: unknown): boolean {
  return Array.isArray(value) && value.every((action) => typeof action === 'string');
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}
