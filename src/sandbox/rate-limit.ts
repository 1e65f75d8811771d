/** A rate limit, counted for each route. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
}

/** Parses `100/min`, `30/10s` or `5/s`; returns undefined for anything else. */
export function parseLimit(text: string): LimitRule | undefined {
  const [, requests, count = '1', unit] = /^([1-9]\d{0,8})\/([1-9]\d{0,3})?(s|min)$/.exec(text) ?? [];
  if (requests === undefined) return undefined;
  const periodMs = Number(count) * (unit === 'min' ? 60_000 : 1000);
  return { requests: Number(requests), periodMs };
}

/**
 * Creates a function that counts a request of a route at a time in milliseconds. The period slides: it accepts a request
 * if fewer than `requests` were accepted in the period before it.
 *
 * @returns undefined for a request that is accepted, otherwise the seconds until the next one is accepted, rounded up
 */
export function createRequestLimiter({
  requests,
  periodMs,
}: LimitRule): (route: string, now: number) => number | undefined {
  const acceptedAt = new Map<string, number[]>();
  return (route, now) => {
    const recent = (acceptedAt.get(route) ?? []).filter((time) => time > now - periodMs);
    acceptedAt.set(route, recent);
    const [oldest] = recent;
    if (oldest === undefined || recent.length < requests) {
      recent.push(now);
      return undefined;
    }
    return Math.ceil((oldest + periodMs - now) / 1000);
  };
}
