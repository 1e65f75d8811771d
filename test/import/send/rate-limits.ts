/** A limit of requests in windows, each of which begins with its first request. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
  /** How responses announce it. */
  readonly announced: LimitHeaders;
}

/** The state of a window after a request. */
interface LimitState {
  readonly rule: LimitRule;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Whether the request exceeded the limit. */
  readonly isOver: boolean;
  readonly remaining: number;
  /** Milliseconds until all requests of the rule are available again. */
  readonly resetMs: number;
}

type RenderHeaders = (state: LimitState) => Record<string, string>;

/** Headers that announce a limit, by the name of the form. */
const LIMIT_HEADERS = {
  'retry-after': ({ isOver, resetMs }): Record<string, string> =>
    isOver ? { 'retry-after': String(Math.max(1, seconds(resetMs))) } : {},
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
  'x-suffix': (state) => xHeaders(state, seconds(state.resetMs), '-short'),
} satisfies Record<string, RenderHeaders>;

export type LimitHeaders = keyof typeof LIMIT_HEADERS;

function xHeaders({ rule, remaining }: LimitState, reset: number, suffix = ''): Record<string, string> {
  return {
    [`x-ratelimit-limit${suffix}`]: String(rule.requests),
    [`x-ratelimit-remaining${suffix}`]: String(remaining),
    [`x-ratelimit-reset${suffix}`]: String(reset),
  };
}

const seconds = (ms: number) => Math.ceil(ms / 1000);

/**
 * Creates a function that counts a request; `now` in milliseconds since the epoch. It returns whether the request exceeds
 * the limit, and the headers that announce the limit.
 */
export function createRateLimiter(
  rule: LimitRule,
): (now: number) => { isOver: boolean; headers: Record<string, string> } {
  let endsAt = Number.NEGATIVE_INFINITY;
  let remaining = rule.requests;
  return (now) => {
    if (now >= endsAt) {
      endsAt = now + rule.periodMs;
      remaining = rule.requests;
    }
    const isOver = remaining === 0;
    if (!isOver) remaining -= 1;
    return { isOver, headers: LIMIT_HEADERS[rule.announced]({ rule, now, isOver, remaining, resetMs: endsAt - now }) };
  };
}
