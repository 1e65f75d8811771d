/** A rate limit, counted for each route. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
  /**
   * `window`: all requests of a window that begins with the first of them. `bucket`: a token bucket of this size that
   * refills at this rate.
   */
  readonly kind: 'window' | 'bucket';
  /** How responses announce it. */
  readonly announced: LimitHeaders;
}

/** The state of a limit when a response is sent. Times are in milliseconds. */
interface LimitState {
  readonly rule: LimitRule;
  /** Whether the request exceeded the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Until all requests of the rule are available again. */
  readonly resetMs: number;
  /** Until the next request is accepted. */
  readonly retryMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type RenderHeaders = (state: LimitState) => Record<string, string>;

/** What responses say about a limit, by the name of the form. */
export const LIMIT_HEADERS = {
  'retry-after': ({ isOver, retryMs }): Record<string, string> =>
    isOver ? { 'retry-after': String(Math.max(1, seconds(retryMs))) } : {},
  none: () => ({}),
  ratelimit: ({ rule, remaining, resetMs }) => ({
    'ratelimit-policy': `"default";q=${rule.requests};w=${seconds(rule.periodMs)}`,
    ratelimit: `"default";r=${remaining};t=${seconds(resetMs)}`,
  }),
  'ratelimit-fields': ({ rule, remaining, resetMs }) => ({
    'ratelimit-limit': String(rule.requests),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(seconds(resetMs)),
  }),
  'x-seconds': (state) => xHeaders(state, seconds(state.resetMs)),
  'x-epoch': (state) => xHeaders(state, seconds(state.now + state.resetMs)),
  'x-epoch-ms': (state) => xHeaders(state, Math.ceil(state.now + state.resetMs)),
  'x-suffix': (state) => xHeaders(state, seconds(state.resetMs), '-Short'),
} satisfies Record<string, RenderHeaders>;

type LimitHeaders = keyof typeof LIMIT_HEADERS;

function xHeaders({ rule, remaining }: LimitState, reset: number, suffix = ''): Record<string, string> {
  return {
    [`X-RateLimit-Limit${suffix}`]: String(rule.requests),
    [`X-RateLimit-Remaining${suffix}`]: String(remaining),
    [`X-RateLimit-Reset${suffix}`]: String(reset),
  };
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, min: 60_000 };

/** Parses `100/min`, `30/10s:bucket` or `5/s:window:none`; returns undefined for anything else. */
export function parseLimitRule(text: string): LimitRule | undefined {
  const [, requests, count = '1', unit = '', kind = 'window', announced = 'retry-after'] =
    /^([1-9]\d{0,8})\/([1-9]\d{0,3})?(s|min)(?::(window|bucket))?(?::([a-z-]+))?$/.exec(text) ?? [];
  if (requests === undefined || !Object.hasOwn(LIMIT_HEADERS, announced)) return undefined;
  return {
    requests: Number(requests),
    periodMs: Number(count) * (UNIT_MS[unit] ?? 0),
    kind: kind === 'bucket' ? kind : 'window',
    announced: announced as LimitHeaders,
  };
}

/** The outcome of counting a request: whether it exceeds the limit, and what its response announces. */
interface CountedRequest {
  readonly isOver: boolean;
  readonly headers: Record<string, string>;
}

/** Creates a function that counts a request of a route; `now` in milliseconds since the epoch. */
export function createRateLimiter(rule: LimitRule): (route: string, now: number) => CountedRequest {
  const counters = new Map<string, Counter>();
  return (route, now) => {
    const counter = counters.get(route) ?? (rule.kind === 'window' ? fixedWindow(rule) : tokenBucket(rule));
    counters.set(route, counter);
    const isOver = !counter.acquire(now);
    return { isOver, headers: LIMIT_HEADERS[rule.announced]({ ...counter.state(now), rule, isOver, now }) };
  };
}

interface Counter {
  /** Counts a request. Returns whether it is within the limit. */
  acquire(now: number): boolean;
  state(now: number): Pick<LimitState, 'remaining' | 'resetMs' | 'retryMs'>;
}

function fixedWindow({ requests, periodMs }: LimitRule): Counter {
  let endsAt = Number.NEGATIVE_INFINITY;
  let used = 0;
  return {
    acquire(now) {
      if (now >= endsAt) {
        endsAt = now + periodMs;
        used = 0;
      }
      if (used >= requests) return false;
      used += 1;
      return true;
    },
    state(now) {
      const resetMs = Math.max(0, endsAt - now);
      return { remaining: requests - used, resetMs, retryMs: resetMs };
    },
  };
}

function tokenBucket({ requests, periodMs }: LimitRule): Counter {
  const perMs = requests / periodMs;
  let tokens = requests;
  let countedAt: number | undefined;
  return {
    acquire(now) {
      tokens = Math.min(requests, tokens + perMs * (now - (countedAt ?? now)));
      countedAt = now;
      // Tolerates the rounding of fractions.
      if (tokens < 1 - 1e-9) return false;
      tokens = Math.max(0, tokens - 1);
      return true;
    },
    state: () => ({
      remaining: Math.floor(tokens),
      resetMs: (requests - tokens) / perMs,
      retryMs: Math.max(0, (1 - tokens) / perMs),
    }),
  };
}
