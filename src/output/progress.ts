import type { Clock } from '../util/clock.ts';
import type { OutputStream } from './output.ts';
import { cleanLine } from './sanitize.ts';
import { createSpinner } from './spinner.ts';
import { plainStyle, type Style } from './style.ts';

/** The one line that tells how far a long command is. */
export interface Progress {
  /** Shows a text, which may be untrusted; brings the line up when it is not there. It is made only where it is shown. */
  update(text: () => string): void;
  /** Takes the line off the terminal until its next frame. */
  clear(): void;
  /** Takes the line away. Synchronous, and harmless when called again. */
  stop(): void;
}

export interface ProgressOptions {
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  quiet: boolean;
  /** Where there is no terminal to animate: write a plain line now and then. */
  verbose: boolean;
  clock: Clock;
  /** The style of stderr; without it the line has no colour. */
  style?: Style;
}

const PLAIN_INTERVAL_MS = 10_000;

/**
 * A spinner on a terminal; elsewhere nothing, or under `verbose` a plain line at most every 10 seconds. Nothing appears
 * before the first `update`, and nothing ever under `quiet`.
 */
export async function createProgress({
  stderr,
  env,
  quiet,
  verbose,
  clock,
  style = plainStyle,
}: ProgressOptions): Promise<Progress> {
  if (quiet) return silent;
  if (stderr.isTTY && env.TERM !== 'dumb') return createSpinner({ stderr, env, style });
  return verbose ? plainLines(stderr, clock) : silent;
}

const silent: Progress = { update() {}, clear() {}, stop() {} };

function plainLines(stderr: OutputStream, clock: Clock): Progress {
  let last = Number.NEGATIVE_INFINITY;
  return {
    ...silent,
    update(text) {
      if (clock.now() - last < PLAIN_INTERVAL_MS) return;
      last = clock.now();
      stderr.write(`${cleanLine(text())}\n`);
    },
  };
}
