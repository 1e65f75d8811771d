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

/**
 * Names a member and its value as the settings `wire.findings.ignore` and `wire.domain.ignore` do: `authType=api-key`. A
 * member whose value is ignored may have another one, such as `hasMore`, so the name alone is not enough.
 */
export function memberSetting(path: string, value: unknown): string {
  // A text of one asterisk stands for any value in a setting.
  const text = typeof value === 'string' && value !== ANY_VALUE ? value : JSON.stringify(value);
  return `${path}=${text}`;
}

/** In a setting, the value of a member that may have any. */
const ANY_VALUE = '*';

/** Whether a setting names a member with this value, or with `*` for any. */
export function isIgnored(path: string, value: unknown, ignored: readonly string[]): boolean {
  return ignored.includes(`${path}=${ANY_VALUE}`) || ignored.includes(memberSetting(path, value));
}

/**
 * Whether a successful status says that the response may not be the entire result: Accepted, which means that it may not be
 * ready, and Partial Content. The interface names no status of a success (4).
 */
export function isIncompleteStatus(status: number): boolean {
  return status === 202 || status === 206;
}

/** The part of a domain's status that decides whether it is ready (interface 2.4). */
interface DomainReadiness {
  readonly verified: boolean;
  readonly misconfigured?: unknown;
}

export type MisconfiguredState = 'yes' | 'no' | 'unknown';

/**
 * Reads `misconfigured`, whose shape is not fixed (interface 2.4): a boolean, or an object with a boolean of that name.
 * Anything else is unknown, also null (the provider was unreachable).
 *
 * @returns undefined if the response does not have the field
 */
export function misconfiguredState({ misconfigured: value }: DomainReadiness): MisconfiguredState | undefined {
  if (value === undefined) return undefined;
  const inner = isJsonObject(value) ? value.misconfigured : value;
  if (typeof inner !== 'boolean') return 'unknown';
  return inner ? 'yes' : 'no';
}

/** Whether a domain is ready: it is verified, and `misconfigured` is absent or understood as no. */
export function isReadyDomain(status: DomainReadiness): boolean {
  const misconfigured = misconfiguredState(status);
  return status.verified && (misconfigured === undefined || misconfigured === 'no');
}
