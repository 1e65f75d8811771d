import type { Readable, Writable } from 'node:stream';
import type { Clock } from './clock.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The signals that end a run in good order, with the exit code a shell expects of each. */
export const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type Signal = keyof typeof SIGNAL_EXIT;

/** What the process gives to the tool. `bin` makes it of the real process, a test of memory streams. */
export interface Host {
  readonly stdin: Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Environment;
  /** The user's home directory, for the default places of configuration and state. */
  readonly home: string;
  /** The user's number, to tell whose a file is; undefined on systems that have none. */
  readonly uid: number | undefined;
  readonly clock: Clock;
  /** Uniform in [0, 1): the jitter of back-offs. */
  readonly random: () => number;
  /** Calls `listener` on each of the signals above instead of dying of it; the returned function gives the default back. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /** Ends the process at once, with requests in flight. What was written to stderr before is flushed. */
  exitNow(code: number): never;
}
