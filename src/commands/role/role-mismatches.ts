import { isDeepStrictEqual } from 'node:util';
import { parseIdentifier } from '../../client/bulk-response.ts';
import type { Role } from '../../client/response-schemas.ts';
import type { RoleChange } from '../../client/update-role.ts';
import type { Mismatch } from './role-output.ts';

/**
 * Compares the role in the response with the change that was sent. A field that the response does not have is not a
 * mismatch. Maps are compared in full, since a sent map replaces the old one (interface 4.1): an entry that the service
 * kept although it was not sent is a mismatch too. The order of actions does not matter.
 */
export function findMismatches(roleId: string, change: RoleChange, role: Role): Mismatch[] {
  const scalars = [
    { path: 'id', sent: roleId, stored: parseIdentifier(role.id) },
    { path: 'name', sent: change.name, stored: role.name },
  ];
  return [
    ...scalars.filter(({ sent, stored }) => sent !== undefined && stored != null && sent !== stored),
    ...compareMaps('permissions', change.permissions, role.permissions, haveSameActions),
    ...compareMaps('obligations', change.obligations, role.obligations, isSameFlag),
  ];
}

function compareMaps(
  name: string,
  sent: object | undefined,
  stored: object | null | undefined,
  isSame: (sent: unknown, stored: unknown) => boolean,
): Mismatch[] {
  if (sent === undefined || stored == null) return [];
  // As maps, because a resource may be called "constructor".
  const [sentValues, storedValues] = [new Map(Object.entries(sent)), new Map(Object.entries(stored))];
  const keys = new Set([...sentValues.keys(), ...storedValues.keys()]);
  return [...keys]
    .filter((key) => !isSame(sentValues.get(key), storedValues.get(key)))
    .map((key) => ({
      path: `${name}.${key}`,
      sent: sentValues.get(key) ?? null,
      stored: storedValues.get(key) ?? null,
    }));
}

/** A resource without actions equals a missing one. The order does not matter. */
function haveSameActions(sent: unknown, stored: unknown): boolean {
  const [wanted, held] = [sent, stored].map((actions) => new Set<unknown>(Array.isArray(actions) ? actions : []));
  return isDeepStrictEqual(wanted, held);
}

/** A missing obligation equals false. */
function isSameFlag(sent: unknown, stored: unknown): boolean {
  return (sent ?? false) === (stored ?? false);
}
