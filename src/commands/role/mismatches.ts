import { parseIdentifier } from '../../client/bulk-response.ts';
import type { Role } from '../../client/response-schemas.ts';
import type { RoleChange } from '../../client/update-role.ts';

/** A value that the service stored differently from what was sent. */
export interface Mismatch {
  /** `id`, `name`, `permissions.<resource>` or `obligations.<key>`. */
  path: string;
  /** `null` if nothing was sent. */
  sent: unknown;
  /** `null` if the service stores nothing. */
  stored: unknown;
}

/**
 * Compares the role in the response with the change that was sent. A field that the response does not have is not a
 * mismatch. Maps are compared as a whole, since a sent map replaces the old one (interface 4.1): an entry that the service
 * kept although it was not sent is a mismatch too. The order of actions does not matter.
 */
export function findMismatches(roleId: string, change: RoleChange, role: Role): Mismatch[] {
  const found: Mismatch[] = [];
  const storedId = parseIdentifier(role.id);
  if (storedId !== undefined && storedId !== roleId) found.push({ path: 'id', sent: roleId, stored: storedId });
  if (change.name !== undefined && role.name != null && role.name !== change.name) {
    found.push({ path: 'name', sent: change.name, stored: role.name });
  }
  if (change.permissions !== undefined && role.permissions != null) {
    found.push(...compareMaps('permissions', change.permissions, role.permissions, haveSameActions));
  }
  if (change.obligations !== undefined && role.obligations != null) {
    found.push(...compareMaps('obligations', change.obligations, role.obligations, isSameFlag));
  }
  return found;
}

/** Returns the fields that were sent and that the response does not have. */
export function fieldsNotReturned(change: RoleChange, role: Role): string[] {
  return (['name', 'permissions', 'obligations'] as const).filter(
    (field) => change[field] !== undefined && role[field] == null,
  );
}

/** Describes a mismatch in one sentence. */
export function describeMismatch({ path, sent, stored }: Mismatch): string {
  return `${path}: ${quote(sent)} was sent, but ${quote(stored)} is stored`;
}

function quote(value: unknown): string {
  return value === null ? 'nothing' : JSON.stringify(value);
}

function compareMaps<Value>(
  name: string,
  sent: Readonly<Record<string, Value>>,
  stored: Readonly<Record<string, unknown>>,
  isSame: (sent: Value | undefined, stored: unknown) => boolean,
): Mismatch[] {
  const found: Mismatch[] = [];
  for (const key of new Set([...Object.keys(sent), ...Object.keys(stored)])) {
    // Own properties only: a resource may be called "constructor".
    const [sentValue, storedValue] = [ownValue(sent, key), ownValue(stored, key)];
    if (isSame(sentValue, storedValue)) continue;
    found.push({ path: `${name}.${key}`, sent: sentValue ?? null, stored: storedValue ?? null });
  }
  return found;
}

function ownValue<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A resource without actions equals a missing one. */
function haveSameActions(sent: readonly string[] = [], stored: unknown): boolean {
  const [wanted, held] = [new Set<unknown>(sent), new Set<unknown>(Array.isArray(stored) ? stored : [])];
  return wanted.size === held.size && [...wanted].every((action) => held.has(action));
}

/** A missing obligation equals false. */
function isSameFlag(sent: boolean | undefined, stored: unknown): boolean {
  return (sent ?? false) === (stored ?? false);
}
