import { repeatedKey } from '../util/json/repeated-key.ts';
import { doubtfulResponse, incompleteResponse, isIncompleteStatus } from './gates.ts';
import type { Role } from './response-schemas.ts';
import type { ServiceClient } from './service-client.ts';

/** Changes of a role (interface 4.1); absent fields are not sent. */
export interface RoleChange {
  name?: string;
  permissions?: Record<string, string[]>;
  obligations?: Record<string, boolean>;
}

/** Returns the path of a role update, which a dry run also shows. */
export function roleUpdatePath(roleId: string): readonly string[] {
  return ['v1', 'roles', roleId];
}

const DONE = 'the role may have been updated';

/**
 * Updates a custom role (interface 4.1). The request is retried, because repeating it sets the same values.
 *
 * @returns the updated role; undefined if the response is empty or null
 * @throws ServiceError, also for a response that is not a role, that has a key twice, or whose status says that it may be
 *   incomplete: the update may have been made
 */
export async function updateRole(client: ServiceClient, roleId: string, change: RoleChange): Promise<Role | undefined> {
  const [response, { updatedRoleSchema, parseResponse }] = await Promise.all([
    client.request({ method: 'PATCH', path: roleUpdatePath(roleId), body: change, retry: 'safe' }),
    import('./response-schemas.ts'),
  ]);
  if (isIncompleteStatus(response.status)) throw incompleteResponse(response, DONE);
  if (/^\s*(null\s*)?$/.test(response.text)) return undefined;
  const role = parseResponse(response, updatedRoleSchema, {
    mismatch: 'does not contain the role',
    doneMessage: DONE,
  });
  const key = repeatedKey(response.text);
  if (key === undefined) return role;
  // Nobody can say which of its values the service stored.
  throw doubtfulResponse(response, `the response has the key "${key}" twice`, DONE);
}
