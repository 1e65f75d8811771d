import type { Clock } from '../util/clock.ts';
import type { OutputStream } from './output.ts';
import { cleanLine } from './sanitize.ts';
import { plainStyle, type Style } from './style.ts';
import { repairColumns, terminalColumns } from './terminal-columns.ts';

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

export interface SpinnerOptions {
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  style: Style;
}

/** The spinner's sign, the space after it, and a last column left free: some terminals wrap when it is filled. */
const RESERVED_COLUMNS = 3;

/** A spinner on a terminal. It leaves stdin, signals and the cursor alone. */
async function createSpinner({ stderr, env, style }: SpinnerOptions): Promise<Progress> {
  const [{ default: ora, spinners }, { cutToWidth }] = await Promise.all([import('ora'), import('./text-width.ts')]);
  const { frames, interval } = drawsUnicode(env) ? spinners.dots : spinners.line;
  // With 0 columns, ora would clear lines without end.
  repairColumns(stderr);
  const spinner = ora({
    stream: stderr,
    isEnabled: true,
    discardStdin: false,
    // A process that is killed could not give it back.
    hideCursor: false,
    color: false,
    spinner: { frames: frames.map(style.accent), interval },
  });
  return {
    update(text) {
      spinner.text = cutToWidth(
        cleanLine(text()),
        Math.max(1, (terminalColumns(stderr) ?? Number.POSITIVE_INFINITY) - RESERVED_COLUMNS),
      );
      if (!spinner.isSpinning) spinner.start();
    },
    clear() {
      if (spinner.isSpinning) spinner.clear();
    },
    stop() {
      if (spinner.isSpinning) spinner.stop();
    },
  };
}

/** The Linux console and the old Windows one lack the dots. */
function drawsUnicode(env: SpinnerOptions['env']): boolean {
  if (env.OS === 'Windows_NT') return Boolean(env.WT_SESSION ?? env.TERM_PROGRAM);
  return env.TERM !== 'linux';
}
