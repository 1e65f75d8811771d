import { uptime } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Signals that shut a run down gracefully, with the exit code that shells expect for each. */
export const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type Signal = keyof typeof SIGNAL_EXIT;

/** The parts of the process that the tool uses. Tests replace them by memory streams. */
export interface Host {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  /** The user's home directory, for the default paths of configuration and state. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** The user's id, to check who owns a file; undefined on systems without user ids. */
  readonly uid: number | undefined;
  readonly clock: Clock;
  /** Returns a uniform number in [0, 1), for the jitter of backoffs. */
  readonly random: () => number;
  /** Calls `listener` for each of the signals above instead of ending the process; the returned function removes it. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Calls `listener` for each exception that nothing catches, instead of ending the process with its stack. */
  onCrash(listener: (error: unknown) => void): void;
  /** Calls `listener` once the process has nothing left to wait for, and would end; the returned function removes it. */
  onIdle(listener: () => void): () => void;
  /** Ends the process at once, with requests in flight. Everything written to stderr before is flushed. */
  exitNow(code: number): never;
}

/** Whether stdin and stderr are a terminal that can prompt the user. */
export function hasTerminal({ stdin, stderr }: Host): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY && stdin.setRawMode);
}

/**
 * Calls `stop` at the first signal; a second one ends the process at once.
 *
 * @returns a function that stops listening
 */
export function stopOnSignal(host: Host, stop: (signal: Signal) => void): () => void {
  let isStopping = false;
  return host.onSignal((signal) => {
    if (isStopping) host.exitNow(SIGNAL_EXIT[signal]);
    isStopping = true;
    stop(signal);
  });
}

/** A source of time. Injected, so that tests need not wait for lifetimes and backoffs. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** How long the machine has been up, in milliseconds: the same for all processes, and not affected by a corrected clock. */
  uptime(): number;
  /** The same without the time in which the machine slept; undefined where Node.js has no such clock. */
  awake(): number | undefined;
  /** Resolves after `ms` milliseconds, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` once after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** Returns the milliseconds of the machine's monotonic clock, which is the same for all processes. */
function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** Time of the system clock at the origin of `monotonicMs`, in milliseconds since the epoch. */
const ORIGIN = Date.now() - monotonicMs();

/** The longest delay of a timer, in milliseconds: Node.js runs one with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The system clock as it was at start, advanced monotonically: changing the system time affects no wait. */
export const systemClock: Clock = {
  now: () => Math.round(ORIGIN + monotonicMs()),
  uptime: () => Math.round(uptime() * 1000),
  // On macOS, the monotonic clock of Node.js goes on while the machine sleeps.
  awake: () => (process.platform === 'linux' ? Math.round(monotonicMs()) : undefined),
  async sleep(ms, signal) {
    for (let leftMs = ms; !signal?.aborted; leftMs -= MAX_TIMER_MS) {
      await delay(Math.min(leftMs, MAX_TIMER_MS), undefined, { signal }).catch(() => {});
      if (leftMs <= MAX_TIMER_MS) return;
    }
  },
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
