/** A rate limit, counted for each route. */
export interface LimitRule {
  readonly requests: number;
  readonly periodMs: number;
  /** Whether a rejection says in `Retry-After` when the next request is accepted. */
  readonly isAnnounced: boolean;
}

/** Parses `100/min`, `30/10s` or `5/s:no-headers`; returns undefined for anything else. */
export function parseLimit(text: string): LimitRule | undefined {
  const [, requests, count = '1', unit, silent] =
    /^([1-9]\d{0,8})\/([1-9]\d{0,3})?(s|min)(:no-headers)?$/.exec(text) ?? [];
  if (requests === undefined) return undefined;
  const periodMs = Number(count) * (unit === 'min' ? 60_000 : 1000);
  return { requests: Number(requests), periodMs, isAnnounced: silent === undefined };
}

/**
 * Creates a function that counts a request of a route at a time in milliseconds. The period slides: it accepts a request
 * if fewer than `requests` were accepted in the period before it.
 *
 * @returns undefined for a request that is accepted, otherwise the headers of its rejection
 */
export function createRequestLimiter({
  requests,
  periodMs,
  isAnnounced,
}: LimitRule): (route: string, now: number) => Record<string, string> | undefined {
  const acceptedAt = new Map<string, number[]>();
  return (route, now) => {
    const recent = (acceptedAt.get(route) ?? []).filter((time) => time > now - periodMs);
    acceptedAt.set(route, recent);
    const [oldest] = recent;
    if (oldest === undefined || recent.length < requests) {
      recent.push(now);
      return undefined;
    }
    const headers: Record<string, string> = {};
    if (isAnnounced) headers['retry-after'] = String(Math.ceil((oldest + periodMs - now) / 1000));
    return headers;
  };
}
