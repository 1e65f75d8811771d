import { isJsonObject, type JsonObject } from '../util/json-object.ts';

/** A custom role as it is kept (interface 2.1, with its obligations). Times are ISO 8601. */
export interface StoredRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: JsonObject;
  readonly obligations: JsonObject;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A membership as it is kept (interface 2.2); its user is not stored but known by id. */
export interface StoredMember {
  readonly id: string;
  readonly userId: string;
  readonly role: string;
  readonly department: string;
  readonly isActive: boolean;
  readonly labelId?: number;
  readonly createdAt: string;
}

export interface SandboxState {
  readonly version: 1;
  readonly roles: readonly StoredRole[];
  readonly members: readonly StoredMember[];
}

/** Whether a parsed file is a state that this version can serve. */
export function isSandboxState(value: unknown): value is SandboxState {
  if (!isJsonObject(value) || value.version !== 1) return false;
  const { roles, members } = value;
  return Array.isArray(roles) && roles.every(isRole) && Array.isArray(members) && members.every(isMember);
}

function isRole(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, name, permissions, obligations, createdAt, updatedAt } = value;
  const texts = [id, name, createdAt, updatedAt];
  return texts.every((text) => typeof text === 'string') && isJsonObject(permissions) && isJsonObject(obligations);
}

function isMember(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, userId, role, department, createdAt, isActive, labelId } = value;
  const texts = [id, userId, role, department, createdAt];
  const labelled = labelId === undefined || typeof labelId === 'number';
  return texts.every((text) => typeof text === 'string') && typeof isActive === 'boolean' && labelled;
}
