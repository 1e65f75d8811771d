import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';
import { parseIdentifier } from './bulk-response.ts';

/*
 * The rules by which a successful response counts as success: a service may respond with 200 and say that it failed in words that
 * orgadm does not know. Each rule says what the response must be; anything else does not pass.
 */

/** Whether a response is a role (interface 2.1): an object with an id or a name. */
export function isRole(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return parseIdentifier(value.id) !== undefined || (typeof value.name === 'string' && value.name !== '');
}

/**
 * Whether a response says next to its content that it failed: `success` is not true, there is an `error` or `errors`, or
 * `statusCode` or `status` is that of an HTTP error.
 */
export function saysFailure({ success = true, error, errors, ...codes }: JsonObject): boolean {
  const isErrorStatus = [codes.status, codes.statusCode].some((code) => typeof code === 'number' && code >= 400);
  return success !== true || !isBlank(error) || !isBlank(errors) || isErrorStatus;
}

/** Whether a value says nothing: null, false, or empty. */
function isBlank(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : !value;
}

/** The part of a domain's status that decides whether it is ready (interface 2.4). */
interface DomainReadiness {
  readonly verified: boolean;
  readonly misconfigured?: unknown;
}

export type MisconfiguredState = 'yes' | 'no' | 'unknown';

/**
 * Reads `misconfigured`, whose shape is not fixed (interface 2.4): a boolean, or an object with a boolean of that name.
 * Anything else is unknown, also null (the provider was unreachable), and an object that says that the check failed.
 *
 * @returns undefined if the response does not have the field
 */
export function misconfiguredState({ misconfigured: value }: DomainReadiness): MisconfiguredState | undefined {
  if (value === undefined) return undefined;
  if (isJsonObject(value) && saysFailure(value)) return 'unknown';
  const inner = isJsonObject(value) ? value.misconfigured : value;
  if (typeof inner !== 'boolean') return 'unknown';
  return inner ? 'yes' : 'no';
}

/** Whether a domain is ready: it is verified, and `misconfigured` is absent or understood as no. */
export function isReadyDomain(status: DomainReadiness): boolean {
  const misconfigured = misconfiguredState(status);
  return status.verified && (misconfigured === undefined || misconfigured === 'no');
}
