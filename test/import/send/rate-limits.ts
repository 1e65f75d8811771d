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

/** The state of a counter after a request. Times are in milliseconds. */
interface Count {
  /** Whether the request exceeded the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Until all requests of the rule are available again. */
  readonly resetMs: number;
  /** Until the next request is accepted. */
  readonly retryMs: number;
}

interface LimitState extends Count {
  readonly rule: LimitRule;
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

/** Parses `100/min`, `30/10s:bucket` or `5/s:window:none`; returns undefined for anything else. */
export function parseLimitRule(text: string): LimitRule | undefined {
  const [, requests, count = '1', unit = '', kind = 'window', announced = 'retry-after'] =
    /^([1-9]\d{0,8})\/([1-9]\d{0,3})?(s|min)(?::(window|bucket))?(?::([a-z-]+))?$/.exec(text) ?? [];
  if (requests === undefined || !Object.hasOwn(LIMIT_HEADERS, announced)) return undefined;
  return {
    requests: Number(requests),
    periodMs: Number(count) * (unit === 'min' ? 60_000 : 1000),
    kind: kind === 'bucket' ? kind : 'window',
    announced: announced as LimitHeaders,
  };
}

/**
 * Creates a function that counts a request of a route; `now` in milliseconds since the epoch. It returns whether the request
 * exceeds the limit, and the headers that announce the limit.
 */
export function createRateLimiter(
  rule: LimitRule,
): (route: string, now: number) => { isOver: boolean; headers: Record<string, string> } {
  const counters = new Map<string, Counter>();
  return (route, now) => {
    const counter = counters.get(route) ?? (rule.kind === 'window' ? fixedWindow(rule) : tokenBucket(rule));
    counters.set(route, counter);
    const count = counter(now);
    return { isOver: count.isOver, headers: LIMIT_HEADERS[rule.announced]({ ...count, rule, now }) };
  };
}

/** Counts a request. */
type Counter = (now: number) => Count;

function fixedWindow({ requests, periodMs }: LimitRule): Counter {
  let endsAt = Number.NEGATIVE_INFINITY;
  let remaining = requests;
  return (now) => {
    if (now >= endsAt) {
      endsAt = now + periodMs;
      remaining = requests;
    }
    const isOver = remaining === 0;
    if (!isOver) remaining -= 1;
    return { isOver, remaining, resetMs: endsAt - now, retryMs: endsAt - now };
  };
}

function tokenBucket({ requests, periodMs }: LimitRule): Counter {
  const perMs = requests / periodMs;
  let tokens = requests;
  let countedAt: number | undefined;
  return (now) => {
    tokens = Math.min(requests, tokens + perMs * (now - (countedAt ?? now)));
    countedAt = now;
    // Tolerates the rounding of fractions.
    const isOver = tokens < 1 - 1e-9;
    if (!isOver) tokens = Math.max(0, tokens - 1);
    const [resetMs, retryMs] = [(requests - tokens) / perMs, Math.max(0, (1 - tokens) / perMs)];
    return { isOver, remaining: Math.floor(tokens), resetMs, retryMs };
  };
}
