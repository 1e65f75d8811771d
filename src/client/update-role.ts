import { parseResponse } from './parse-response.ts';
import type { Role } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/** What a role update may change; what is absent is not sent (interface 4.1). */
export interface RoleChange {
  name?: string;
  permissions?: Record<string, string[]>;
  obligations?: Record<string, boolean>;
}

/** Where the change goes: also shown by a dry run. */
export function roleUpdatePath(roleId: string): readonly string[] {
  return ['v1', 'roles', roleId];
}

/**
 * Updates a custom role (interface 4.1). A lost answer is tried again: the same request sets the same values.
 *
 * @returns the role as the service now holds it; undefined where it answered success without a body, or with null
 * @throws ServiceError, also for an answer of the wrong shape, which says that the update was accepted
 */
export async function updateRole(client: ServiceClient, roleId: string, change: RoleChange): Promise<Role | undefined> {
  const [response, { roleSchema }] = await Promise.all([
    client.request({ method: 'PATCH', path: roleUpdatePath(roleId), body: change, retry: 'safe' }),
    import('./response-schemas.ts'),
  ]);
  if (/^\s*(null\s*)?$/.test(response.text)) return undefined;
  return parseResponse(response, roleSchema, { subject: 'the role', doneMessage: 'The update was accepted.' });
}
