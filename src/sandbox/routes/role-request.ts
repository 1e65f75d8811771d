import { isJsonObject, unknownProperties } from '../../util/json-object.ts';
import { RequestRejection } from '../sandbox-response.ts';
import type { StoredRole } from '../state.ts';

/** What a role update may set (interface 4.1). */
export type RoleUpdateRequest = Partial<Pick<StoredRole, 'name' | 'permissions' | 'obligations'>>;

/**
 * Checks the body of a role update.
 * @throws Refusal 400 with one message for each thing that is wrong.
 */
export function parseRoleUpdate(body: unknown): RoleUpdateRequest {
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
