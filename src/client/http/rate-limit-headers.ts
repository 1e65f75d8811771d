import { headerOf } from './headers.ts';
import type { IncomingHeaders } from './transport.ts';

/** A later reset is ignored, in milliseconds. */
const MAX_RESET_MS = 24 * 3_600_000;
/** An earlier reset is ignored, in milliseconds; between this and the present it counts as now, since clocks differ. */
const MAX_PAST_RESET_MS = 60_000;
/** Resets from this number on are not relative but seconds since the epoch (2001 and later) ... */
const MIN_EPOCH_SECONDS = 1e9;
/** ... and from this on milliseconds since the epoch (1973 and later). */
const MIN_EPOCH_MS = 1e11;

/** A limit as the headers of a response describe it. */
interface Limit {
  /** Requests left until the reset; undefined if the response does not say. */
  remaining?: number | undefined;
  /** Milliseconds until the reset; undefined if the response does not say. */
  resetMs?: number | undefined;
}

/**
 * Returns how long it takes until the limit that rejected a request is reset, according to `RateLimit` (IETF draft),
 * `RateLimit-*` or `X-RateLimit-*`, also with suffixes that name several limits (`X-RateLimit-Reset-Short`).
 * A reset is relative in seconds, or since the epoch in seconds or milliseconds. Of several limits, the one that resets last
 * counts, without those of which requests remain.
 *
 * Ignores values that make no sense: no number, negative, a reset more than 24 h in the future or 60 s in the past.
 *
 * @param nowMs the service's time, in milliseconds since the epoch
 * @returns milliseconds; undefined if the response announces no reset
 */
export function parseLimitReset(headers: IncomingHeaders, nowMs: number): number | undefined {
  const resets = [...fieldLimits(headers, nowMs), ...structuredLimits(headers, nowMs)]
    .filter(({ remaining }) => remaining === undefined || remaining === 0)
    .flatMap(({ resetMs }) => resetMs ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
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

/** A header per field, with an optional suffix that names the limit: `[x-]ratelimit-<remaining|reset>[-<name>]`. */
const FIELD_NAME = /^(?:x-)?ratelimit-(remaining|reset)(?:-([\w-]+))?$/;

function fieldLimits(headers: IncomingHeaders, nowMs: number): Limit[] {
  const byName = new Map<string, Limit>();
  for (const header of Object.keys(headers)) {
    const [, field, name = ''] = FIELD_NAME.exec(header.toLowerCase()) ?? [];
    const text = headerOf(headers, header)?.trim();
    if (field === undefined || text === undefined) continue;
    const limit = byName.get(name) ?? {};
    byName.set(name, limit);
    if (field === 'remaining') limit.remaining = parseDecimal(text);
    else limit.resetMs = parseReset(text, nowMs);
  }
  return [...byName.values()];
}

/** `RateLimit: "default";r=5;t=30`: items with the requests that remain and the seconds until the reset (RFC 9651). */
function structuredLimits(headers: IncomingHeaders, nowMs: number): Limit[] {
  const items = headerOf(headers, 'ratelimit')?.match(/(?:"[^"]*"|[^,"])+/g) ?? [];
  return items.map((item) => {
    const [, ...parameters] = item.match(/(?:"[^"]*"|[^;"])+/g) ?? [];
    const values = new Map(parameters.map((parameter) => splitParameter(parameter)));
    return { remaining: parseDecimal(values.get('r')), resetMs: parseReset(values.get('t'), nowMs) };
  });
}

function splitParameter(text: string): [name: string, value: string | undefined] {
  const [name = '', value] = text.split('=').map((part) => part.trim());
  return [name, value];
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
