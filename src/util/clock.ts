/** A source of time. Injected, so that tests need not wait for quiet periods and backoffs. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Returns monotonic milliseconds. `performance.now` returns the same, but takes 3 ms to load. */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Time of the system clock at the origin of `uptime`, in milliseconds since the epoch. */
const ORIGIN = Date.now() - uptime();

/** The system clock as it was at start, advanced monotonically: changing the system time affects no wait. */
export const systemClock: Clock = {
  now: () => Math.round(ORIGIN + uptime()),
  sleep(ms, signal) {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done, { once: true });
    });
  },
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
