import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';
import { parseIdentifier } from './bulk-response.ts';
import { type ServiceError, serviceFailure } from './http/service-error.ts';
import type { IncomingHeaders } from './http/transport.ts';

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
 * Whether a successful status says that the response may not be the entire result: Accepted, which means that it may not be
 * ready, and Partial Content. The interface names no status of a success (4).
 */
export function isIncompleteStatus(status: number): boolean {
  return status === 202 || status === 206;
}

/**
 * Returns the error of a response with such a status.
 *
 * @param done for a write: a clause that says what may have happened
 */
export function incompleteResponse(
  { status, requestId }: { status: number; requestId: string | undefined },
  done?: string,
): ServiceError {
  const message = `the response (${status}) may be incomplete`;
  return serviceFailure('invalid-response', done === undefined ? message : `${done}, but ${message}`, {
    processed: 'maybe',
    hint: done === undefined ? 'Try again later.' : 'Check the current state before you try again.',
    status,
    requestId,
  });
}

/** Matches the warnings of a cache about an old response. */
const STALE = /^11[0-2]\b/;

/**
 * Says which header shows that a cache returned an old response (RFC 9111): it is not the present state, although orgadm asked
 * for it. Undefined if none does.
 */
export function staleness({ age, warning }: IncomingHeaders): string | undefined {
  const [seconds = ''] = [age ?? []].flat();
  const stale = [warning ?? []].flat().find((text) => STALE.test(text.trim()));
  if (stale !== undefined) return `a cache returned an old response (the header warning is ${stale})`;
  return Number(seconds) > 0 ? `a cache returned an old response (the header age is ${seconds})` : undefined;
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
