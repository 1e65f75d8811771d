/** Time, as the tool sees it. Injected, so that tests need not wait for settle times and back-offs. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Milliseconds since some moment in the past. `performance.now` would tell the same, after 3 ms for loading it. */
function uptime(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** What the machine's clock said at that moment, as far as it was right at the start. */
const ORIGIN = Date.now() - uptime();

/** The machine's own. It never jumps: when somebody sets the time, no wait becomes shorter or longer. */
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
