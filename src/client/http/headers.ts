import { UsageError } from '../../util/errors.ts';
import { DURATION_UNITS } from '../../util/units.ts';
import type { Redact } from '../redactor.ts';
import type { IncomingHeaders } from './transport.ts';

/** Throws UsageError, without the key in it, unless the key is a valid header value (interface 5). */
export function checkApiKey(apiKey: string): void {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError(
      apiKey === ''
        ? 'the API key is empty'
        : 'the API key contains a space, a line break or another invalid character',
      'Copy the complete key again, without quotes or spaces around it.',
    );
  }
}

/** Returns the first value of a header. */
export function headerOf(headers: IncomingHeaders, name: string): string | undefined {
  return [headers[name] ?? []].flat()[0];
}

/** Whether a Content-Type is JSON, `application/problem+json` and the like included. */
export function isJsonType(contentType: string | undefined): boolean {
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType ?? '');
}

const REQUEST_ID_HEADERS = ['x-request-id', 'x-correlation-id', 'request-id', 'cf-ray'] as const;

/** Returns the service's identifier of a request, at most 200 characters, with the key masked. */
export function requestIdOf(headers: IncomingHeaders, redact: Redact): string | undefined {
  const id = REQUEST_ID_HEADERS.map((name) => headerOf(headers, name)?.trim()).find(Boolean);
  return id && redact(id).slice(0, 200);
}

/** A Date header is rounded down to seconds: a clock that differs by less is the same, in milliseconds. */
const SAME_CLOCK_MS = 2_000;

/**
 * Returns the time by the service's own clock, to which dates in other headers refer, if the response shows that it differs
 * from ours; else `nowMs`. Both are milliseconds since the epoch.
 */
export function serviceTime(headers: IncomingHeaders, nowMs: number): number {
  const time = Date.parse(headerOf(headers, 'date') ?? '');
  return Number.isNaN(time) || Math.abs(nowMs - time) < SAME_CLOCK_MS ? nowMs : time;
}

/** Receives the trace of a client. All text is untrusted: sanitize it before it reaches a terminal. */
export interface Trace {
  /** One line for each request, for --verbose. */
  request(line: string): void;
  /** Headers and the start of bodies, for --debug; secrets are masked. */
  detail?(line: string): void;
}

/** Traces the lines that `render` returns. It is called only if they are traced, because a body can be large. */
export function traceDetail(trace: Trace | undefined, render: () => readonly string[]): void {
  if (trace?.detail === undefined) return;
  for (const line of render()) trace.detail(line);
}

/** Upper bound on the part of a body that a trace shows, in characters. */
const BODY_TRACE_LIMIT = 4_096;

const MASK = '***';
const SECRET_HEADERS = /^(x-api-key|authorization|proxy-authorization|cookie|set-cookie)$/i;

/** Renders headers for a trace, with secret values masked. `prefix` is `>` for a request, `<` for a response. */
export function renderTraceHeaders(prefix: string, headers: IncomingHeaders, redact: Redact): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => `${prefix} ${name}: ${SECRET_HEADERS.test(name) ? MASK : redact(one)}`),
  );
}

/** Returns the headers of a response, with the key masked in case the service echoes it. */
export function redactHeaders(headers: IncomingHeaders, redact: Redact): IncomingHeaders {
  const clean = (value: IncomingHeaders[string]) => (Array.isArray(value) ? value.map(redact) : value && redact(value));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]));
}

/** Renders the start of a body for a trace. The key is masked before the body is cut. */
export function renderTraceBody(prefix: string, text: string, redact: Redact): string[] {
  if (text === '') return [];
  const clean = redact(text);
  const rest = clean.length - BODY_TRACE_LIMIT;
  return [`${prefix} ${clean.slice(0, BODY_TRACE_LIMIT)}${rest > 0 ? ` [${rest} more characters]` : ''}`];
}

/** What a response says about the rate limit that applies next. */
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
/** Relative resets above this number are milliseconds, others are seconds. */
const MAX_RELATIVE_SECONDS = 3_600;
/** Resets from this number on are seconds since the epoch (2001 and later) ... */
const MIN_EPOCH_SECONDS = 1e9;
/** ... and from this on milliseconds since the epoch (1973 and later). */
const MIN_EPOCH_MS = 1e11;
/** Larger numbers of requests are ignored. */
const MAX_REQUESTS = 1e9;

/**
 * Parses what a response says about rate limits: `RateLimit` (IETF draft, all its revisions), `RateLimit-*`,
 * `X-RateLimit-*` and `X-Rate-Limit-*`, with suffixes that name several limits (`X-RateLimit-Remaining-Short`). A reset is
 * relative (seconds, milliseconds, or `6m0s`), or since the epoch (seconds or milliseconds).
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
const FIELD_NAME = /^(?:x-)?rate-?limit-(limit|remaining|reset)(?:-(after|ms))?(?:-([\w-]+))?$/;

function fieldLimits(headers: IncomingHeaders, nowMs: number): LimitFields[] {
  const byPolicy = new Map<string, LimitFields>();
  for (const name of Object.keys(headers)) {
    const [, field, unit, policy = ''] = FIELD_NAME.exec(name.toLowerCase()) ?? [];
    const text = headerOf(headers, name)?.trim();
    if (field === undefined || text === undefined) continue;
    const fields = byPolicy.get(policy) ?? { policy };
    byPolicy.set(policy, fields);
    // An early revision of the draft appends policies to the limit: 10, 10;w=1, 50;w=60.
    if (field === 'limit') fields.limit = parseRequestCount(/^[^,;]*/.exec(text)?.[0].trim());
    else if (field === 'remaining') fields.remaining = parseRequestCount(text);
    // If both are sent, the relative one does not depend on a clock.
    else if (unit !== undefined) fields.resetMs = parseReset(unit === 'ms' ? `${text}ms` : text, nowMs);
    else fields.resetMs ??= parseReset(text, nowMs);
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
  const number = parseDecimal(text);
  const ms = number === undefined ? parseRelativeDuration(text ?? '') : resetOfNumber(number, nowMs);
  return ms <= MAX_RESET_MS && ms >= -MAX_PAST_RESET_MS ? Math.max(0, Math.ceil(ms)) : undefined;
}

function resetOfNumber(value: number, nowMs: number): number {
  if (value >= MIN_EPOCH_MS) return value - nowMs;
  if (value >= MIN_EPOCH_SECONDS) return value * 1000 - nowMs;
  return value > MAX_RELATIVE_SECONDS ? value : value * 1000;
}

/** Parses `1s`, `6m0s` or `20ms`; returns milliseconds, NaN for anything else. */
function parseRelativeDuration(text: string): number {
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h))+$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, value, unit = '']) => sum + Number(value) * (DURATION_UNITS[unit] ?? 0), 0);
}

/** Requests do not wait for a reset later than this; the service may still reject them. Milliseconds. */
const MAX_ANNOUNCED_WAIT_MS = 10 * 60_000;
/** Resets are rounded to seconds: times that differ by less are the same, in milliseconds. */
const ROUNDING_MS = 1_500;
/** Added to a reset, so that the request arrives after it: milliseconds. */
const RESET_MARGIN_MS = 50;
/** Waits that have to end with nothing remaining again, until the headers are ignored. */
const MAX_USELESS_WAITS = 2;

/** The last report of the limit, with the time of its reset in milliseconds since the epoch. */
interface Report extends RateLimit {
  remaining: number;
  resetMs: number;
  resetAt: number;
}

/**
 * The limit that the headers of responses announce. A window is used up until its reset; a token bucket, recognized by a
 * reset that moves away with every request, gets the next token sooner.
 */
export class AnnouncedLimit {
  #last: Report | undefined;
  /** The first report of the window. */
  #first: Report | undefined;
  /** Tokens per millisecond, if the limit is a token bucket. */
  #refill: number | undefined;
  #uselessWaits = 0;

  /** Applies the headers of a response. */
  update(announced: RateLimit): void {
    const { policy, limit, remaining, resetMs, seenAt: now } = announced;
    if (remaining === undefined || resetMs === undefined) return;
    const report: Report = { ...announced, remaining, resetMs, resetAt: now + resetMs };
    const last = this.#last;
    const first = this.#first;
    if (last !== undefined && last.remaining === 0 && now >= last.resetAt)
      this.#uselessWaits = remaining === 0 && limit !== 1 ? this.#uselessWaits + 1 : 0;
    if (last === undefined || first === undefined || last.policy !== policy) {
      this.#first = report;
      this.#last = report;
      this.#refill = undefined;
      return;
    }
    if (
      limit !== undefined &&
      (this.#refill !== undefined || (remaining <= last.remaining && isRefilling(first, report)))
    ) {
      if (remaining < limit && resetMs > 0) this.#refill = (limit - remaining) / resetMs;
      this.#last = report;
      return;
    }
    const isSameWindow = now < last.resetAt && Math.abs(report.resetAt - last.resetAt) <= ROUNDING_MS;
    if (isSameWindow) {
      // Responses may arrive in another order than they were sent.
      report.remaining = Math.min(remaining, last.remaining);
      report.resetAt = Math.min(report.resetAt, last.resetAt);
    }
    if (!isSameWindow && (now >= first.resetAt || remaining >= first.remaining)) this.#first = report;
    this.#last = report;
  }

  /** A rejected request shows that the limit is real. */
  confirm(): void {
    this.#uselessWaits = 0;
  }

  /**
   * Returns when the next request may be sent, in milliseconds since the epoch: now or earlier if at once, infinity if a
   * response has to arrive first; undefined if nothing is announced.
   */
  opensAt(now: number, inFlight: number): number | undefined {
    const last = this.#last;
    if (last === undefined || this.#uselessWaits >= MAX_USELESS_WAITS) return undefined;
    const { remaining, resetAt, limit, seenAt } = last;
    // Requests in flight may not be counted yet.
    if (this.#refill !== undefined) return seenAt + Math.max(0, (1 + inFlight - remaining) / this.#refill);
    if (now >= resetAt + RESET_MARGIN_MS) {
      // After a wait, a single request shows whether the limit has been reset.
      const available = remaining === 0 ? 1 : (limit ?? Math.max(1, this.#first?.remaining ?? 1));
      return inFlight < available ? now : Number.POSITIVE_INFINITY;
    }
    if (remaining > inFlight || resetAt - now > MAX_ANNOUNCED_WAIT_MS) return now;
    return remaining > 0 && inFlight > 0 ? Number.POSITIVE_INFINITY : resetAt + RESET_MARGIN_MS;
  }

  /** Returns when a rejected request may be sent again, in milliseconds since the epoch; undefined if nothing is announced. */
  retryAt(now: number): number | undefined {
    const last = this.#last;
    if (last === undefined || last.resetAt - now > MAX_ANNOUNCED_WAIT_MS) return undefined;
    if (this.#refill !== undefined) return Math.max(now, last.seenAt + (1 - last.remaining) / this.#refill);
    return last.remaining === 0 ? last.resetAt + RESET_MARGIN_MS : undefined;
  }
}

/** Whether the reset moved away while requests were used up, as that of a bucket which takes longer to be full again. */
function isRefilling(first: Report, report: Report): boolean {
  return (
    report.seenAt < first.resetAt + ROUNDING_MS &&
    report.remaining < first.remaining &&
    report.resetMs >= first.resetMs + 1_000
  );
}
