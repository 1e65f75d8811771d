import type { Clock } from '../util/clock.ts';
import type { RequestRate } from './faults.ts';

/**
 * Counts the requests of each route in windows that begin with the first of them. The returned function counts one,
 * and gives the whole seconds to wait if it is too many, else undefined.
 */
export function createRateLimit(rate: RequestRate | undefined, clock: Clock): (route: string) => number | undefined {
  const windows = new Map<string, { endsAt: number; used: number }>();
  return (route) => {
    if (!rate) return undefined;
    const now = clock.now();
    let current = windows.get(route);
    if (!current || now >= current.endsAt) {
      current = { endsAt: now + rate.windowMs, used: 0 };
      windows.set(route, current);
    }
    current.used += 1;
    return current.used > rate.requests ? Math.max(1, Math.ceil((current.endsAt - now) / 1000)) : undefined;
  };
}
