import { headerOf } from './headers.ts';
import type { IncomingHeaders } from './transport.ts';

/** A later reset is ignored, in milliseconds. */
const MAX_RESET_MS = 24 * 3_600_000;
/** Resets from this number on are not relative but seconds since the epoch (2001 and later). */
const MIN_EPOCH_SECONDS = 1e9;

/**
 * Returns how long it takes until the limit that rejected a request is reset, according to `RateLimit` (IETF draft),
 * `RateLimit-*` or `X-RateLimit-*`. A reset is in seconds, relative or since the epoch. Of several limits, the one that resets
 * last counts, without those of which requests remain.
 *
 * Ignores what is no number, and a reset more than 24 h in the future. One in the past counts as now, since clocks differ.
 *
 * @param nowMs in milliseconds since the epoch
 * @returns milliseconds; undefined if the response announces no reset
 */
export function parseLimitReset(headers: IncomingHeaders, nowMs: number): number | undefined {
  const fields = ['ratelimit', 'x-ratelimit'].map((prefix) => ({
    remaining: headerOf(headers, `${prefix}-remaining`),
    reset: headerOf(headers, `${prefix}-reset`),
  }));
  // `"default";r=5;t=30`: the requests that remain, and the seconds until the reset.
  const policies = (headerOf(headers, 'ratelimit') ?? '').split(',').map((policy) => ({
    remaining: /;\s*r=(\d+)/.exec(policy)?.[1],
    reset: /;\s*t=(\d+)/.exec(policy)?.[1],
  }));
  const resets = [...fields, ...policies]
    .filter(({ remaining }) => !(Number(remaining) > 0))
    .flatMap(({ reset }) => parseReset(reset, nowMs) ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Returns the milliseconds until a reset, 0 or more; undefined for what makes no sense. */
function parseReset(text: string | undefined, nowMs: number): number | undefined {
  const seconds = parseSeconds(text);
  if (seconds === undefined) return undefined;
  const ms = seconds >= MIN_EPOCH_SECONDS ? Math.max(0, seconds * 1_000 - nowMs) : seconds * 1_000;
  return ms <= MAX_RESET_MS ? ms : undefined;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header: seconds, or an HTTP date compared with `nowMs` (milliseconds since the epoch).
 *
 * @returns milliseconds to wait, 0 for a date in the past; undefined for anything else
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? '';
  const seconds = parseSeconds(text);
  if (seconds !== undefined) return seconds * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function parseSeconds(text: string | undefined): number | undefined {
  return /^\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : undefined;
}
