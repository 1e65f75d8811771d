import type { Moment } from '../util/moment.ts';

import type { BulkResponse, DomainStatus, Role } from './responses.ts';
import type { ServiceClient, ServiceResponse } from './service.ts';
import { invalidResponse } from './service-error.ts';

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

const ROLE_DONE = 'the role may have been updated';

/** Statuses of a response that may not be the result: Accepted and Partial Content. */
const INCOMPLETE: ReadonlySet<number> = new Set([202, 206]);

/**
 * Updates a custom role (interface 4.1). The request is repeated, because it sets the same values again.
 *
 * @returns the updated role; undefined if the response is empty or null
 * @throws ServiceError, also for a response that is not a role or may be incomplete: the update may have been made
 */
export async function updateRole(client: ServiceClient, roleId: string, change: RoleChange): Promise<Role | undefined> {
  const [response, { updatedRoleSchema, parseResponse }] = await Promise.all([
    client.request({ method: 'PATCH', path: roleUpdatePath(roleId), body: change, isRepeatable: true }),
    import('./responses.ts'),
  ]);
  if (INCOMPLETE.has(response.status)) {
    const message = `${ROLE_DONE}, but the response (${response.status}) may be incomplete`;
    throw invalidResponse(response, message, 'Check the current state before you try again.');
  }
  if (/^\s*(null\s*)?$/.test(response.text)) return undefined;
  return parseResponse(response, updatedRoleSchema, { mismatch: 'does not contain the role', doneMessage: ROLE_DONE });
}

/**
 * One element of `members` (interface 4.2). JSON omits undefined fields. The label has a different name on some services.
 */
export type WireMember = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Adds people in bulk (interface 4.2), in a single attempt: repeating it could add them twice.
 *
 * @param options.endsAt when the response must be complete; nothing is sent from then on
 * @throws ServiceError; if it is ambiguous, some of them may have been added
 */
export async function addMembers(
  client: ServiceClient,
  members: readonly WireMember[],
  options: { endsAt: Moment },
): Promise<BulkResponse> {
  const request = { method: 'POST', path: ['v1', 'people', 'bulk'], body: { members }, ...options } as const;
  const [response, { bulkResponseSchema, parseResponse }] = await Promise.all([
    client.request(request),
    import('./responses.ts'),
  ]);
  return parseResponse(response, bulkResponseSchema, { mismatch: 'is not an import result' });
}

/** The response about a domain. */
export interface DomainResponse extends Pick<ServiceResponse, 'headers'> {
  readonly status: DomainStatus;
  /** The status of HTTP. */
  readonly httpStatus: number;
}

/**
 * Reads the verification status of a domain (interface 4.3).
 *
 * @param domain in its ASCII form, without scheme and trailing dot
 * @param options.isRepeatable false for a caller that polls
 * @throws ServiceError
 */
export async function getDomainStatus(
  client: ServiceClient,
  domain: string,
  options: { isRepeatable?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<DomainResponse> {
  const path = ['v1', 'trust-portal', 'domain', 'status'];
  const [response, { domainResponseSchema, parseResponse }] = await Promise.all([
    client.request({ method: 'GET', path, query: { domain }, isRepeatable: true, ...options }),
    import('./responses.ts'),
  ]);
  const status = parseResponse(response, domainResponseSchema, { mismatch: 'does not contain the domain status' });
  return { status, httpStatus: response.status, headers: response.headers };
}
