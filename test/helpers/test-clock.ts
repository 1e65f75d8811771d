import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/util/host.ts';

/**
 * The clock of all tests but those of real processes. Time passes when the test advances it, or when a test drives it: then it
 * stops while real work is in progress, and jumps to the next timer.
 */
export interface TestClock extends Clock {
  /** Advances the time, and runs the timers on the way in their order. */
  advance(ms: number): Promise<void>;
  /** Milliseconds left of everything that waits, shortest first. */
  waiting(): number[];
  /** Length of each sleep asked for so far, in milliseconds. */
  readonly sleeps: readonly number[];
  /** Lets time pass until `done`. `isQuiet` returns whether all work in progress waits for a timer. */
  drive<T>(done: Promise<T>, isQuiet: () => boolean): Promise<T>;
  /** Lets time pass until there are no timers. */
  drain(isQuiet: () => boolean): Promise<void>;
  /** Number of pending calls of `after` with this many milliseconds. */
  pending(ms: number): number;
  /** Lets the machine sleep: its clock and its uptime go on, and nothing else happens, because a request is still on its way. */
  fallAsleep(ms: number): void;
}

interface Timer {
  due: number;
  /** Duration in milliseconds; undefined for a sleep. */
  readonly deadline: number | undefined;
  readonly run: () => void;
}

/** 2026-01-01T00:00:00Z. */
const START_MS = 1_767_225_600_000;
/** Turns of the event loop without a change before a driven clock moves: the sockets of this process need some. */
const QUIET_TURNS = 4;

/** A clock that moves only by `advance`, `drive`, and `drain`. */
export function createTestClock(startMs = START_MS): TestClock {
  return build(startMs, false);
}

/**
 * A clock on which every sleep ends immediately and advances the time. Timers of `after` still wait for `advance`:
 * otherwise a deadline would end before the real connection that it guards.
 */
export function createAutoClock(startMs = START_MS): TestClock {
  return build(startMs, true);
}

function build(startMs: number, auto: boolean): TestClock {
  let now = startMs;
  let asleepMs = 0;
  const timers = new Set<Timer>();
  const sleeps: number[] = [];

  const add = (ms: number, run: () => void, deadline?: number) => {
    const timer = { due: now + Math.max(0, ms), deadline, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  /** Runs the next timer up to this time. Returns whether there was one. */
  const runNext = (latest: number) => {
    const next = earliest(timers, latest);
    if (next === undefined) return false;
    timers.delete(next);
    now = Math.max(now, next.due);
    next.run();
    return true;
  };
  const driveUntil = async (isDone: () => boolean, isQuiet: () => boolean) => {
    for (let quiet = 0; !isDone(); ) {
      await turn();
      quiet = isQuiet() ? quiet + 1 : 0;
      if (quiet < QUIET_TURNS || isDone()) continue;
      runNext(Number.POSITIVE_INFINITY);
      quiet = 0;
    }
  };
  const waiting = () => [...timers].map(({ due }) => due - now).sort((a, b) => a - b);

  return {
    now: () => now,
    uptime: () => now - startMs,
    awake: () => now - startMs - asleepMs,
    after: (ms, run) => add(ms, run, ms),
    async sleep(ms, signal) {
      sleeps.push(ms);
      if (signal?.aborted) return;
      if (!auto) return sleepBy(add, ms, signal);
      now += Math.max(0, ms);
      await turn();
    },
    async advance(ms) {
      const target = now + ms;
      while (runNext(target)) await turn();
      // A sleep may have advanced it further.
      now = Math.max(now, target);
      await turn();
    },
    waiting,
    sleeps,
    async drive(done, isQuiet) {
      let isDone = false;
      const result = done.finally(() => {
        isDone = true;
      });
      result.catch(() => {});
      await driveUntil(() => isDone, isQuiet);
      return result;
    },
    drain: (isQuiet) => driveUntil(() => timers.size === 0 && isQuiet(), isQuiet),
    pending: (ms) => [...timers].filter(({ deadline }) => deadline === ms).length,
    fallAsleep(ms) {
      now += ms;
      asleepMs += ms;
      for (const timer of timers) timer.due += ms;
    },
  };
}

/** Returns the next timer up to this time; of several that are due at once, the one that was added first. */
function earliest(timers: ReadonlySet<Timer>, latest: number): Timer | undefined {
  let found: Timer | undefined;
  for (const timer of timers) if (timer.due <= latest && (!found || timer.due < found.due)) found = timer;
  return found;
}

/** Sleeps by means of the timers of a clock. Resolves early if the signal is aborted. */
function sleepBy(after: Clock['after'], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = after(ms, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    const stop = () => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
