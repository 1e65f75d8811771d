import { isJsonObject, type JsonObject } from '../util/json/json-object.ts';
import { parseIdentifier } from './bulk-response.ts';
import type { IncomingHeaders } from './headers.ts';

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

/** Matches the warning of a cache about an old response in a list of warnings. */
const STALE = /(?:^|,)\s*11[0-3]\b/;

/**
 * Matches the names of headers in which caches say where a response comes from (RFC 9211, and those that came before it):
 * `cache-status`, `x-cache`, `x-litespeed-cache`, `fly-cache-status`.
 */
const CACHE_HEADER = /(?:^|-)cache(?:-status)?$/;

/** Matches what they say if they have not asked the service (`TCP_HIT`). In `fwd=stale` and `TCP_REFRESH_HIT`, they have. */
const FROM_CACHE = /(?<![=a-z]|refresh_)(?:hit|stale|updating)\b/i;

/**
 * Says which header shows that a cache returned an old response (RFC 9111): it is not the current state, although orgadm asked
 * for it. Undefined if none does.
 */
export function staleness(headers: IncomingHeaders): string | undefined {
  const valuesOf = (name: string) => [headers[name] ?? []].flat();
  const hasAge = valuesOf('age').length > 0;
  const cacheHeaders = Object.keys(headers).filter((name) => CACHE_HEADER.test(name));
  const signs = [
    ['warning', (value: string) => STALE.test(value)],
    // Each cache on the way may add an age. One of 0 is that of a response that the cache has just received.
    ['age', (value: string) => value.split(',').some((seconds) => !(Number(seconds) <= 0))],
    ...(hasAge ? [] : cacheHeaders.map((name) => [name, (value: string) => FROM_CACHE.test(value)] as const)),
  ] as const;
  for (const [name, isSign] of signs) {
    const value = valuesOf(name).find(isSign);
    if (value !== undefined) return `a cache returned an old response (the header ${name} is ${value})`;
  }
  return undefined;
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
