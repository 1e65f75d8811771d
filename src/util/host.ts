import type { Readable, Writable } from 'node:stream';
import type { Clock } from './clock.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The signals that end a run in an orderly way, with the exit code a shell expects for each. */
export const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type Signal = keyof typeof SIGNAL_EXIT;

/** What the tool uses of its process. Tests replace it by memory streams. */
export interface Host {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  /** The user's home directory, for the default paths of configuration and state. */
  readonly home: string;
  /** The user's id, to check who owns a file; undefined on systems without user ids. */
  readonly uid: number | undefined;
  readonly clock: Clock;
  /** Returns a uniform number in [0, 1), for the jitter of back-offs. */
  readonly random: () => number;
  /** Calls `listener` for each of the signals above instead of ending the process; the returned function stops that. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Ends the process at once, with requests in flight. Everything written to stderr before is flushed. */
  exitNow(code: number): never;
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
