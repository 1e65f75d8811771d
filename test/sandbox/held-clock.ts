import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../src/util/clock.ts';

/** A clock that stands still, and whose sleepers wake when the test says so. */
export interface ManualClock extends Clock {
  /** Sets the time forward. */
  advance(ms: number): void;
  /** Resolves when so many are asleep. */
  sleeping(count: number): Promise<void>;
  wakeAll(): void;
}

export function createManualClock(startMs: number): ManualClock {
  const events = new EventEmitter();
  let now = startMs;
  let sleepers: (() => void)[] = [];
  return {
    now: () => now,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        sleepers.push(resolve);
        signal?.addEventListener('abort', () => resolve(), { once: true });
        events.emit('asleep');
      }),
    after: () => () => {},
    advance: (ms) => {
      now += ms;
    },
    sleeping: async (count) => {
      while (sleepers.length < count) await once(events, 'asleep');
    },
    wakeAll: () => {
      for (const wake of sleepers) wake();
      sleepers = [];
    },
  };
}
