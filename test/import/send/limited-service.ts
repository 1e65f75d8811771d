import { parseRateLimit } from '../../../src/client/http/rate-limit-headers.ts';
import { type Permit, RatePacer } from '../../../src/import/send/rate-pacer.ts';
import { createRateLimiter, parseLimitRule } from '../../../src/sandbox/rate-limit.ts';

export interface SimulationOptions {
  /** The limit, as in `--fault limit=`. */
  rule: string;
  requests: number;
  concurrency?: number;
  /** Milliseconds from sending a request to its response; the service counts it in the middle. */
  latency?: () => number;
  random: () => number;
}

export interface SimulationResult {
  /** Milliseconds until the last request was accepted. */
  elapsed: number;
  rejected: number;
  /** The least time that any client needs, in milliseconds, without latency. */
  ideal: number;
}

const START_MS = 1_795_341_612_345;

/** Sends requests as a pacer allows to a simulated service with a limit, in simulated time. */
export function simulate({
  rule,
  requests,
  concurrency = 4,
  latency = () => 40,
  random,
}: SimulationOptions): SimulationResult {
  const parsed = parseLimitRule(rule);
  if (parsed === undefined) throw new Error(`not a limit: ${rule}`);
  const limiter = createRateLimiter(parsed);
  const pacer = new RatePacer(random);
  const events: { at: number; run: () => void }[] = [];
  const schedule = (at: number, run: () => void) => {
    events.push({ at, run });
    events.sort((a, b) => a.at - b.at);
  };
  let now = START_MS;
  let idle = concurrency;
  let left = requests;
  let rejected = 0;
  let finishedAt = now;

  const respond = (permit: Permit, counted: ReturnType<typeof limiter>) => {
    idle++;
    const headers = Object.fromEntries(
      Object.entries(counted.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const limit = parseRateLimit(headers, now);
    const retryAfter = headers['retry-after'];
    if (counted.isOver) {
      rejected++;
      left++;
      pacer.rejected(permit, now, limit, retryAfter === undefined ? undefined : Number(retryAfter) * 1000);
    } else {
      finishedAt = now;
      pacer.accepted(permit, limit);
    }
  };
  const sendAllowed = () => {
    while (idle > 0 && left > 0) {
      const opensAt = pacer.opensAt(now);
      if (opensAt > now) return opensAt;
      const permit = pacer.send(now);
      const delay = latency();
      idle--;
      left--;
      schedule(now + delay / 2, () => {
        const counted = limiter('', now);
        schedule(now + delay / 2, () => respond(permit, counted));
      });
    }
    return Number.POSITIVE_INFINITY;
  };
  for (let turns = 0; turns < 20_000; turns++) {
    const opensAt = sendAllowed();
    const next = Math.min(events[0]?.at ?? Number.POSITIVE_INFINITY, opensAt);
    if (next === Number.POSITIVE_INFINITY) break;
    now = Math.max(now, next);
    if (events[0] !== undefined && events[0].at <= now) events.shift()?.run();
  }
  if (left > 0) throw new Error('the pacer waits for ever');
  const { requests: count, periodMs, kind } = parsed;
  const ideal =
    kind === 'window'
      ? (Math.ceil(requests / count) - 1) * periodMs
      : (Math.max(0, requests - count) * periodMs) / count;
  return { elapsed: finishedAt - START_MS, rejected, ideal };
}
