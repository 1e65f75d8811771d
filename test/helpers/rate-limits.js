/* Also runs in the benchmark, without a compiler: the types are in rate-limits.d.ts. */

const seconds = (ms) => Math.ceil(ms / 1000);

const xHeaders = ({ rule, remaining }, reset) => ({
  'x-ratelimit-limit': String(rule.requests),
  'x-ratelimit-remaining': String(remaining),
  'x-ratelimit-reset': String(reset),
});

const retryAfter = (isOver, ms) => (isOver ? { 'retry-after': String(Math.max(1, seconds(ms))) } : {});

/** Headers that announce a limit, by the name of the form. */
const LIMIT_HEADERS = {
  none: () => ({}),
  'retry-after': ({ isOver, nextMs }) => retryAfter(isOver, nextMs),
  throttler: (state) => ({ ...xHeaders(state, seconds(state.resetMs)), ...retryAfter(state.isOver, state.nextMs) }),
};

/** Counts requests that expire together, a period after the first of them. */
function createWindow({ requests, periodMs }) {
  let endsAt = Number.NEGATIVE_INFINITY;
  let remaining = requests;
  return (now) => {
    if (now >= endsAt) {
      endsAt = now + periodMs;
      remaining = requests;
    }
    const isOver = remaining === 0;
    if (!isOver) remaining -= 1;
    return { isOver, remaining, nextMs: endsAt - now, resetMs: endsAt - now };
  };
}

/**
 * Counts requests that expire one by one, each a period after it was made. As in the throttler of NestJS, the reset is when
 * the first of them expires, and then a period later, although more of them expire every moment.
 */
function createSlidingCounter({ requests, periodMs }) {
  let counted = [];
  let resetsAt = Number.NEGATIVE_INFINITY;
  return (now) => {
    counted = counted.filter((time) => now < time + periodMs);
    if (now >= resetsAt) resetsAt = now + periodMs;
    const isOver = counted.length >= requests;
    if (!isOver) counted.push(now);
    const [oldest = now] = counted;
    return { isOver, remaining: requests - counted.length, nextMs: oldest + periodMs - now, resetMs: resetsAt - now };
  };
}

export function createRateLimiter(rule) {
  const count = rule.slides ? createSlidingCounter(rule) : createWindow(rule);
  return (now) => {
    const state = count(now);
    return { isOver: state.isOver, headers: LIMIT_HEADERS[rule.announced]({ ...state, rule, now }) };
  };
}
