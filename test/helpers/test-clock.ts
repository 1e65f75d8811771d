import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/util/host.ts';

/** A clock whose time passes only when the test advances it. */
export interface TestClock extends Clock {
  /** Advances the time, and runs the timers on the way in their order. */
  advance(ms: number): Promise<void>;
  /** Resolves as soon as something waits at least `minMs` milliseconds from now. */
  untilWaiting(minMs?: number): Promise<void>;
  /** Milliseconds left of everything that waits, shortest first. */
  waiting(): number[];
  /** Length of each sleep asked for so far, in milliseconds. */
  readonly sleeps: readonly number[];
}

/** 2026-01-01T00:00:00Z. */
const START_MS = 1_767_225_600_000;

/** A clock that moves only by `advance`. */
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

interface Timer {
  due: number;
  run: () => void;
}

function build(startMs: number, auto: boolean): TestClock {
  let now = startMs;
  const timers = new Set<Timer>();
  const sleeps: number[] = [];
  const watchers = new Set<() => void>();

  const after = (ms: number, run: () => void) => {
    const timer = { due: now + Math.max(0, ms), run };
    timers.add(timer);
    for (const check of watchers) check();
    return () => void timers.delete(timer);
  };
  const waiting = () => [...timers].map(({ due }) => due - now).sort((a, b) => a - b);

  return {
    now: () => now,
    uptime: () => now - startMs,
    awake: () => now - startMs,
    after,
    async sleep(ms, signal) {
      sleeps.push(ms);
      if (signal?.aborted) return;
      if (!auto) return sleepBy(after, ms, signal);
      now += Math.max(0, ms);
      await setImmediate();
    },
    async advance(ms) {
      const target = now + ms;
      for (let next = earliest(timers, target); next; next = earliest(timers, target)) {
        now = Math.max(now, next.due);
        timers.delete(next);
        next.run();
        await setImmediate();
      }
      // A sleep may have advanced it further.
      now = Math.max(now, target);
      await setImmediate();
    },
    untilWaiting: (minMs = 0) =>
      new Promise((resolve) => {
        const check = () => {
          if (!waiting().some((left) => left >= minMs)) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      }),
    waiting,
    sleeps,
  };
}

function earliest(timers: ReadonlySet<Timer>, latest: number): Timer | undefined {
  let found: Timer | undefined;
  for (const timer of timers) if (timer.due <= latest && (!found || timer.due < found.due)) found = timer;
  return found;
}

/** Sleeps by means of the timers of a clock. Resolves early if the signal is aborted. */
export function sleepBy(after: Clock['after'], ms: number, signal?: AbortSignal): Promise<void> {
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
