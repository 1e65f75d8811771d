/** A limit of requests, which responses beyond it announce with `Retry-After`. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
  /** Whether each counted request expires a period after it was made. Otherwise, they expire together. */
  readonly slides?: boolean;
}

/**
 * Creates a function that counts a request.
 *
 * @returns how long to wait until the next one, in milliseconds; undefined if this one is within the limit
 */
export function createRateLimiter({
  requests,
  periodMs,
  slides = false,
}: LimitRule): (nowMs: number) => number | undefined {
  let counted: number[] = [];
  return (nowMs) => {
    const [oldest = nowMs] = counted;
    if (slides) counted = counted.filter((time) => nowMs < time + periodMs);
    else if (nowMs >= oldest + periodMs) counted = [];
    if (counted.length < requests) {
      counted.push(nowMs);
      return undefined;
    }
    return (counted[0] ?? nowMs) + periodMs - nowMs;
  };
}
