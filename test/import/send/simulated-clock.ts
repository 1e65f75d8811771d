import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../src/util/host.ts';
import { sleepBy } from '../../helpers/test-clock.ts';

interface Timer {
  due: number;
  readonly order: number;
  /** Duration in milliseconds; undefined for a sleep. */
  readonly deadline: number | undefined;
  readonly run: () => void;
}

/** A clock that stops while real work is in progress, and then jumps to the next timer. */
export interface SimulatedClock extends Clock {
  /** Lets the machine sleep: its clock and its uptime go on, and nothing else happens, because a request is still on its way. */
  fallAsleep(ms: number): void;
  /** Number of pending calls of `after` with this many milliseconds. */
  pending(ms: number): number;
  /** Lets time pass until `done`. `isQuiet` returns whether all work in progress waits for a timer. */
  drive<T>(done: Promise<T>, isQuiet: () => boolean): Promise<T>;
  /** Lets time pass until there are no timers. */
  drain(isQuiet: () => boolean): Promise<void>;
}

/** Turns of the event loop without a change before time moves: the sockets of this process need some. */
const QUIET_TURNS = 4;

export function createSimulatedClock(startMs = 1_767_225_600_000): SimulatedClock {
  let now = startMs;
  let asleep = 0;
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
    uptime: () => now - startMs,
    awake: () => now - startMs - asleep,
    fallAsleep(ms) {
      now += ms;
      asleep += ms;
      for (const timer of timers) timer.due += ms;
    },
    after: (ms, run) => add(ms, run, ms),
    sleep: (ms, signal) => sleepBy(add, ms, signal),
    pending: (ms) => [...timers].filter(({ deadline }) => deadline === ms).length,
    async drive(done, isQuiet) {
      let over = false;
      const result = done.finally(() => {
        over = true;
      });
      result.catch(() => {});
      await driveUntil(() => over, isQuiet);
      return result;
    },
    drain: (isQuiet) => driveUntil(() => timers.size === 0 && isQuiet(), isQuiet),
  };
}
