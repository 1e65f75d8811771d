import { headerOf, serviceTime } from './headers.ts';
import type { IncomingHeaders } from './transport.ts';

/** The rate limit that a response announces. */
export interface RateLimit {
  /** Distinguishes several limits of one service: the policy's name, or the suffix of the header names; else empty. */
  readonly policy: string;
  /** Requests allowed per window; undefined if the response does not say. */
  readonly limit: number | undefined;
  /** Requests left until the reset; undefined if the response does not say. */
  readonly remaining: number | undefined;
  /** Milliseconds until the reset; undefined if the response does not say. */
  readonly resetMs: number | undefined;
  /** When the response arrived, in milliseconds since the epoch. */
  readonly seenAt: number;
}

/** A later reset is ignored, in milliseconds. */
const MAX_RESET_MS = 24 * 3_600_000;
/** An earlier reset is ignored, in milliseconds; between this and the present it counts as now, since clocks differ. */
const MAX_PAST_RESET_MS = 60_000;
/** Resets from this number on are not relative but seconds since the epoch (2001 and later) ... */
const MIN_EPOCH_SECONDS = 1e9;
/** ... and from this on milliseconds since the epoch (1973 and later). */
const MIN_EPOCH_MS = 1e11;
/** Larger numbers of requests are ignored. */
const MAX_REQUESTS = 1e9;

/**
 * Parses what a response says about rate limits: `RateLimit` (IETF draft, all its revisions), `RateLimit-*` and
 * `X-RateLimit-*`, with suffixes that name several limits (`X-RateLimit-Remaining-Short`). A reset is relative in seconds, or
 * since the epoch in seconds or milliseconds.
 *
 * Ignores values that make no sense: no number, negative, over 1e9 requests, more remaining than the limit, a reset more
 * than 24 h in the future or 60 s in the past.
 *
 * @param nowMs milliseconds since the epoch
 * @returns the limit with the fewest requests remaining, of these the one that resets last; undefined if there is none
 */
export function parseRateLimit(headers: IncomingHeaders, nowMs: number): RateLimit | undefined {
  const serviceMs = serviceTime(headers, nowMs);
  const limits = [...fieldLimits(headers, serviceMs), ...structuredLimits(headers, serviceMs)]
    .map(({ policy, limit, remaining, resetMs }) => {
      const isPossible = remaining === undefined || limit === undefined || remaining <= limit;
      return {
        policy,
        limit: limit || undefined,
        remaining: isPossible ? remaining : undefined,
        resetMs,
        seenAt: nowMs,
      };
    })
    .filter(({ remaining, resetMs }) => remaining !== undefined || resetMs !== undefined);
  const left = ({ remaining = Number.MAX_VALUE }: RateLimit) => remaining;
  return limits.sort((a, b) => left(a) - left(b) || (b.resetMs ?? 0) - (a.resetMs ?? 0))[0];
}

const HTTP_DATE =
  /^(?:[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4}|[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2}) \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header: seconds, or an HTTP date compared with `nowMs` (milliseconds since the epoch).
 *
 * @returns milliseconds to wait, 0 for a date in the past; undefined for anything else
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const seconds = parseDecimal(text);
  if (seconds !== undefined) return Math.ceil(seconds * 1_000);
  if (!HTTP_DATE.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function parseDecimal(text: string | undefined): number | undefined {
  return /^\d{1,15}(\.\d{1,9})?$/.test(text ?? '') ? Number(text) : undefined;
}

/** A limit as its fields say, which may contradict each other. */
interface LimitFields {
  policy: string;
  limit?: number | undefined;
  remaining?: number | undefined;
  resetMs?: number | undefined;
}

/** A header per field: `[x-]ratelimit-<limit|remaining|reset>[-<policy>]`. */
const FIELD_NAME = /^(?:x-)?ratelimit-(limit|remaining|reset)(?:-([\w-]+))?$/;

function fieldLimits(headers: IncomingHeaders, nowMs: number): LimitFields[] {
  const byPolicy = new Map<string, LimitFields>();
  for (const name of Object.keys(headers)) {
    const [, field, policy = ''] = FIELD_NAME.exec(name.toLowerCase()) ?? [];
    const text = headerOf(headers, name)?.trim();
    if (field === undefined || text === undefined) continue;
    const fields = byPolicy.get(policy) ?? { policy };
    byPolicy.set(policy, fields);
    // An early revision of the draft appends policies to the limit: 10, 10;w=1, 50;w=60.
    if (field === 'limit') fields.limit = parseRequestCount(/^[^,;]*/.exec(text)?.[0].trim());
    else if (field === 'remaining') fields.remaining = parseRequestCount(text);
    else fields.resetMs = parseReset(text, nowMs);
  }
  return [...byPolicy.values()];
}

/** `RateLimit: "a";r=5;t=30`, in an early revision `limit=100, remaining=5, reset=30`; `RateLimit-Policy: "a";q=100;w=60`. */
function structuredLimits(headers: IncomingHeaders, nowMs: number): LimitFields[] {
  const policies = parseList(headerOf(headers, 'ratelimit-policy'));
  const quotas = new Map(policies.map(({ name, parameters }) => [name, parameters.get('q') ?? name]));
  const limitFields = (policy: string, limit?: string, remaining?: string, reset?: string): LimitFields => ({
    policy,
    limit: parseRequestCount(limit) ?? parseRequestCount(quotas.get(policy) ?? [...quotas.values()][0]),
    remaining: parseRequestCount(remaining),
    resetMs: parseReset(reset, nowMs),
  });
  const items = parseList(headerOf(headers, 'ratelimit'));
  const early = new Map(items.map(({ name, value }) => [name, value]));
  return early.has('remaining') || early.has('reset')
    ? [limitFields('', early.get('limit'), early.get('remaining'), early.get('reset'))]
    : items.map(({ name, parameters }) => limitFields(name, undefined, parameters.get('r'), parameters.get('t')));
}

interface ListItem {
  name: string;
  /** Of `name=value`. */
  value: string | undefined;
  parameters: Map<string, string | undefined>;
}

/** Parses a list of structured fields (RFC 9651): items with parameters, or dictionary members. */
function parseList(text: string | undefined): ListItem[] {
  return (text?.match(/(?:"[^"]*"|[^,"])+/g) ?? []).map((item) => {
    const [head = '', ...parameters] = (item.match(/(?:"[^"]*"|[^;"])+/g) ?? []).map((part) => {
      const [, name = '', value] = /^\s*("[^"]*"|[^=]*)\s*(?:=\s*(.*?)\s*)?$/.exec(part) ?? [];
      return [name.trim().replace(/^"(.*)"$/, '$1'), value] as const;
    });
    return { name: head[0], value: head[1], parameters: new Map(parameters) };
  });
}

function parseRequestCount(text: string | undefined): number | undefined {
  const count = Math.floor(parseDecimal(text) ?? Number.NaN);
  return count <= MAX_REQUESTS ? count : undefined;
}

/** Returns milliseconds until a reset; 0 for one that has just passed, undefined for what makes no sense. */
function parseReset(text: string | undefined, nowMs: number): number | undefined {
  const ms = resetOfNumber(parseDecimal(text) ?? Number.NaN, nowMs);
  return ms <= MAX_RESET_MS && ms >= -MAX_PAST_RESET_MS ? Math.max(0, Math.ceil(ms)) : undefined;
}

function resetOfNumber(value: number, nowMs: number): number {
  if (value >= MIN_EPOCH_MS) return value - nowMs;
  if (value >= MIN_EPOCH_SECONDS) return value * 1000 - nowMs;
  return value * 1000;
}
