import { EventEmitter, once } from 'node:events';
import type { Clock } from '../../src/util/host.ts';

/** A clock that the test moves, with sleepers that the test wakes. */
export interface ManualClock extends Clock {
  /** Moves the time forward. */
  advance(ms: number): void;
  /** Resolves when `count` sleepers wait. */
  sleeping(count: number): Promise<void>;
  wakeAll(): void;
}

export function createManualClock(startMs: number): ManualClock {
  const events = new EventEmitter();
  let now = startMs;
  let sleepers: (() => void)[] = [];
  return {
    now: () => now,
    uptime: () => now - startMs,
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
