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
 * Ignores what is no number, and a reset more than 24 h in the future. One in the past counts as now.
 *
 * @param nowMs the time of the service, in milliseconds since the epoch
 * @returns milliseconds; undefined if the response announces no reset
 */
export function parseLimitReset(headers: IncomingHeaders, nowMs: number): number | undefined {
  const fields = ['ratelimit', 'x-ratelimit'].map((prefix) => ({
    remaining: headerOf(headers, `${prefix}-remaining`),
    reset: headerOf(headers, `${prefix}-reset`),
  }));
  const draft = headerOf(headers, 'ratelimit') ?? '';
  // `"default";r=5;t=30`: the requests that remain, and the seconds until the reset.
  const policies = draft.split(',').map((policy) => ({
    remaining: /;\s*r=([\d.]+)/.exec(policy)?.[1],
    reset: /;\s*t=([\d.]+)/.exec(policy)?.[1],
  }));
  // `limit=100, remaining=5, reset=30`, as earlier versions of the draft have it.
  const earlier = {
    remaining: /\bremaining=([\d.]+)/.exec(draft)?.[1],
    reset: /\breset=([\d.]+)/.exec(draft)?.[1],
  };
  const resets = [...fields, ...policies, earlier]
    .filter(({ remaining }) => !(Number(remaining) > 0))
    .flatMap(({ reset }) => parseReset(reset, nowMs) ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets);
}

/** Returns the milliseconds until a reset, 0 or more; undefined for what makes no sense. */
function parseReset(text: string | undefined, nowMs: number): number | undefined {
  const ms = parseSeconds(text);
  if (ms === undefined) return undefined;
  const leftMs = ms >= MIN_EPOCH_SECONDS * 1_000 ? Math.max(0, ms - nowMs) : ms;
  return leftMs <= MAX_RESET_MS ? leftMs : undefined;
}

/**
 * Parses a Retry-After header: seconds, perhaps with a fraction, or an HTTP date.
 *
 * @param nowMs what a date is relative to, in milliseconds since the epoch
 * @returns milliseconds to wait, 0 for a date in the past; undefined for anything else
 */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const date = parseHttpDate(value);
  return parseSeconds(value) ?? (date === undefined ? undefined : Math.max(0, date - nowMs));
}

/**
 * Returns the time of the service according to the Date header, in milliseconds since the epoch. The times in a response are
 * relative to it, whatever the clock of this machine says.
 */
export function timeOfService(headers: IncomingHeaders): number | undefined {
  return parseHttpDate(headerOf(headers, 'date'));
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function parseHttpDate(text = ''): number | undefined {
  const ms = HTTP_DATE.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Returns milliseconds, rounded up; undefined for a text that is not a number of seconds. */
function parseSeconds(text = ''): number | undefined {
  return /^\d{1,15}(\.\d*)?$/.test(text.trim()) ? Math.ceil(Number(text) * 1_000) : undefined;
}
