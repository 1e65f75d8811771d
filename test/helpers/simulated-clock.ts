import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../src/util/clock.ts';

interface Timer {
  readonly due: number;
  readonly order: number;
  /** Milliseconds it was set for; undefined for a sleep. */
  readonly deadline: number | undefined;
  readonly run: () => void;
}

/** A clock that stands still while anything real goes on, and then jumps to the next thing that is waited for. */
export interface SimulatedClock extends Clock {
  /** Calls of `after` with this many milliseconds that are neither over nor cancelled. */
  pending(ms: number): number;
  /** Lets time pass until `done`. `isQuiet` tells whether everything that goes on is waiting for time. */
  drive<T>(done: Promise<T>, isQuiet: () => boolean): Promise<T>;
  /** Lets time pass until nothing is waited for. */
  drain(isQuiet: () => boolean): Promise<void>;
}

/** Turns of the event loop without a change before time moves: sockets of this process need some to talk. */
const QUIET_TURNS = 4;

export function createSimulatedClock(startMs = 1_767_225_600_000): SimulatedClock {
  let now = startMs;
  let order = 0;
  const timers = new Set<Timer>();

  const add = (ms: number, run: () => void, deadline?: number) => {
    const timer: Timer = { due: now + Math.max(0, ms), order: order++, deadline, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };

  const fireNext = () => {
    let next: Timer | undefined;
    for (const timer of timers) {
      if (next === undefined || timer.due < next.due || (timer.due === next.due && timer.order < next.order))
        next = timer;
    }
    if (next === undefined) return;
    timers.delete(next);
    now = Math.max(now, next.due);
    next.run();
  };

  const driveUntil = async (isDone: () => boolean, isQuiet: () => boolean) => {
    for (let quiet = 0; !isDone(); ) {
      await turn();
      quiet = isQuiet() ? quiet + 1 : 0;
      if (quiet < QUIET_TURNS || isDone()) continue;
      fireNext();
      quiet = 0;
    }
  };

  return {
    now: () => now,
    after: (ms, run) => add(ms, run, ms),
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const cancel = add(ms, () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        });
        const stop = () => {
          cancel();
          resolve();
        };
        signal?.addEventListener('abort', stop, { once: true });
      }),
    pending: (ms) => [...timers].filter(({ deadline }) => deadline === ms).length,
    async drive(done, isQuiet) {
      let over = false;
      const settled = done.finally(() => {
        over = true;
      });
      settled.catch(() => {});
      await driveUntil(() => over, isQuiet);
      return settled;
    },
    drain: (isQuiet) => driveUntil(() => timers.size === 0 && isQuiet(), isQuiet),
  };
}
