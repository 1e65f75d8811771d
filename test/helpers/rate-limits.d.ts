/** A limit of requests. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
  /** Whether each counted request expires a period after it was made. Otherwise, they expire together. */
  readonly slides?: boolean;
  /** How responses announce it. */
  readonly announced: LimitHeaders;
}

/** `throttler`: `X-RateLimit-*` in every response, and `Retry-After` in rejections. */
export type LimitHeaders = 'none' | 'retry-after' | 'throttler';

/**
 * Creates a function that counts a request; `now` in milliseconds since the epoch. It returns whether the request exceeds
 * the limit, and the headers that announce the limit.
 */
export function createRateLimiter(
  rule: LimitRule,
): (now: number) => { isOver: boolean; headers: Record<string, string> };
