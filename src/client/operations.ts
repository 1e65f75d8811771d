import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';
import type { Moment } from '../util/moment.ts';
import { parseBody, unusableResponse } from './parse-body.ts';
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

/** A finding; its fields are not fixed (interface 2.5). */
export type Finding = JsonObject;

/** The response of a list of findings. */
export interface FindingsResponse extends Pick<ServiceResponse, 'status' | 'headers' | 'text'> {
  /** All of it, the list included. */
  readonly body: unknown;
  readonly findings: readonly Finding[];
  /** The keys that lead to the list; none if it is the response. */
  readonly listPath: readonly string[];
}

/**
 * Requests findings (interface 4.4). The response may be an array of them, or an object that has it under `data` or `findings`, or
 * as its only array that is not empty.
 *
 * @param selector the query parameter and its value; undefined sends none
 * @throws ServiceError, also for a response without such an array
 */
export async function listFindings(
  client: ServiceClient,
  selector: { name: string; value: string } | undefined,
): Promise<FindingsResponse> {
  const query = selector === undefined ? {} : { [selector.name]: selector.value };
  const response = await client.request({ method: 'GET', path: ['v1', 'findings'], query, isRepeatable: true });
  const { status, headers, text } = response;
  const mismatch = 'does not contain a list of findings';
  const body = parseBody(response, { mismatch });
  const arrays = arraysIn(body);
  const filled = arrays.filter(({ elements }) => elements.length > 0);
  const list =
    arrays.find(({ path }) => USUAL_PATHS.includes(path.join('.'))) ??
    (filled.length > 1 ? undefined : (filled[0] ?? arrays[0]));
  if (list === undefined) {
    const names = filled.map(({ path }) => path.join('.')).join(', ');
    const reason = names === '' ? 'it has no array' : `it has several arrays: ${names}`;
    throw unusableResponse(response, { mismatch }, reason);
  }
  if (!list.elements.every(isJsonObject))
    throw unusableResponse(response, { mismatch }, 'an element of the list is not an object');
  return { status, headers, text, body, findings: list.elements, listPath: list.path };
}

/** Where a list is whatever else a response has. */
const USUAL_PATHS = ['', 'data', 'findings', 'data.findings'];

interface FoundArray {
  readonly path: readonly string[];
  readonly elements: readonly unknown[];
}

/** Returns the arrays in a value, without those in other arrays. */
function arraysIn(value: unknown, path: readonly string[] = []): FoundArray[] {
  if (Array.isArray(value)) return [{ path, elements: value }];
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => arraysIn(inner, [...path, key]));
}
