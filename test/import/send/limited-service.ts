import { parseRetryAfter, ServiceError } from '../../../src/client/service-error.ts';
import { Pace } from '../../../src/import/send/pace.ts';
import type { Clock } from '../../../src/util/host.ts';
import { createRateLimiter, type LimitRule } from '../../helpers/rate-limits.js';

export interface SimulationOptions {
  limit: LimitRule;
  /** Number of requests to send. */
  requests: number;
  concurrency?: number;
  /** Requests in flight that the service accepts. */
  maxInFlight?: number;
  random: () => number;
}

export interface SimulationResult {
  /** Milliseconds until the last request was accepted; undefined if the pace gave up. */
  elapsed: number | undefined;
  rejected: number;
  /** The shortest times between a rejection and the next request, in milliseconds. */
  waits: number[];
  /** Requests in flight at most, at the end. */
  concurrency: number;
}

const START_MS = 1_795_341_612_345;
const CONCURRENCY = 4;
/** Milliseconds from sending a request to its response; the service counts it in the middle. */
const LATENCY_MS = 40;

/** A clock whose time is a variable. */
function createVariableClock(startMs: number): Clock & { time: number } {
  const clock = {
    time: startMs,
    now: () => clock.time,
    uptime: () => clock.time - startMs,
    awake: () => clock.time - startMs,
    sleep: () => Promise.reject(new Error('nothing sleeps')),
    after: () => () => {},
  };
  return clock;
}

function requestedWait(headers: Record<string, string>, nowMs: number): number | undefined {
  return parseRetryAfter(headers['retry-after'], nowMs);
}

/** Returns how long a loop takes that sends one request after the other and waits as long as rejections ask, in milliseconds. */
export function timeOfLoop({ limit, requests }: Pick<SimulationOptions, 'limit' | 'requests'>): number {
  const count = createRateLimiter(limit);
  let now = START_MS;
  for (let left = requests; left > 0; ) {
    const { isOver, headers } = count(now + LATENCY_MS / 2);
    now += LATENCY_MS;
    if (isOver) now += requestedWait(headers, now) ?? Number.NaN;
    else left--;
  }
  return now - START_MS;
}

/** Sends requests to a service with a limit in simulated time, as the pace allows. */
export function simulate({
  limit,
  requests,
  concurrency = CONCURRENCY,
  maxInFlight = Number.POSITIVE_INFINITY,
  random,
}: SimulationOptions): SimulationResult {
  const count = createRateLimiter(limit);
  const clock = createVariableClock(START_MS);
  const pace = new Pace({ clock, random, retries: 4, concurrency });
  const events: { at: number; run: () => void }[] = [];
  const schedule = (at: number, run: () => void) => {
    events.push({ at, run });
    events.sort((a, b) => a.at - b.at);
  };
  let inFlight = 0;
  let left = requests;
  let rejected = 0;
  let finishedAt: number | undefined = clock.time;
  let rejectedAt: number | undefined;
  const waits: number[] = [];
  let gaveUp = false;

  const respond = (sentAtMs: number, isOver: boolean, headers: Record<string, string>) => {
    inFlight--;
    if (!isOver) {
      finishedAt = clock.time;
      return pace.accepted();
    }
    rejected++;
    left++;
    rejectedAt = clock.time;
    const retryAfterMs = requestedWait(headers, clock.time);
    const details = { isAmbiguous: false, isTransient: true, status: 429, retryAfterMs };
    if (pace.limited(new ServiceError('rate-limited', 6, 'limited', details), sentAtMs) !== undefined) gaveUp = true;
  };
  const sendAllowed = (): number => {
    while (left > 0 && inFlight < pace.concurrency) {
      const pause = pace.pause();
      if (pause !== undefined) return pause.untilMs;
      if (rejectedAt !== undefined) waits.push(clock.time - rejectedAt);
      rejectedAt = undefined;
      const sentAtMs = clock.time;
      inFlight++;
      left--;
      schedule(sentAtMs + LATENCY_MS / 2, () => {
        const counted = count(clock.time);
        const isOver = counted.isOver || inFlight > maxInFlight;
        schedule(clock.time + LATENCY_MS / 2, () => respond(sentAtMs, isOver, counted.headers));
      });
    }
    return Number.POSITIVE_INFINITY;
  };
  while (!gaveUp) {
    const opensAt = sendAllowed();
    const next = Math.min(events[0]?.at ?? Number.POSITIVE_INFINITY, opensAt);
    if (next === Number.POSITIVE_INFINITY) break;
    clock.time = Math.max(clock.time, next);
    if (events[0] !== undefined && events[0].at <= clock.time) events.shift()?.run();
  }
  if (gaveUp) finishedAt = undefined;
  else if (left > 0) throw new Error('the pace waits forever');
  const elapsed = finishedAt === undefined ? undefined : finishedAt - START_MS;
  return { elapsed, rejected, waits, concurrency: pace.concurrency };
}
