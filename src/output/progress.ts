import type { Clock } from '../util/host.ts';
import type { OutputStream } from './output.ts';
import { cleanLine } from './sanitize.ts';
import { createPaint, isAnimated, type StyleOptions } from './style.ts';
import { cutToWidth } from './text-width.ts';
import { type SizedStream, terminalColumns } from './wrap.ts';

/** The progress of a long command: a line on a terminal, elsewhere a log. */
export interface Progress {
  /**
   * Shows the line with this text, which is untrusted, or logs it if it is time to. To be called at least every
   * second or so. The functions are called only if their text is shown.
   *
   * @param log the text for the log; default that of the line, with commas
   */
  update(text: () => string, log?: () => string): void;
  /** Clears the line until its next frame. */
  clear(): void;
  /** Removes the line. Synchronous and idempotent. */
  stop(): void;
}

export interface ProgressOptions {
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  quiet: boolean;
  /** `false` disables the animation; otherwise it depends on environment and stream. */
  color?: boolean | undefined;
  clock: Clock;
}

/** Between two frames of a countdown, in milliseconds. */
const FRAME_MS = 1_000;

/** Shows a countdown now and every second. Returns a function that ends it and leaves the line as it is. */
export function showCountdown(progress: Progress, clock: Clock, text: () => string): () => void {
  let cancel = () => {};
  const show = () => {
    progress.update(text);
    cancel = clock.after(FRAME_MS, show);
  };
  show();
  return () => cancel();
}

const LOG_INTERVAL_MS = 30_000;

/**
 * Creates a spinner if a line may be animated; elsewhere a log of plain lines, one every 30 seconds, so that short
 * commands log nothing. With `quiet` nothing is shown.
 */
export async function createProgress({ stderr, env, quiet, color, clock }: ProgressOptions): Promise<Progress> {
  if (quiet) return silent;
  const target = { color, env, stream: stderr };
  return isAnimated(target) ? createSpinner(target) : createLog(stderr, clock);
}

const silent: Progress = { update() {}, clear() {}, stop() {} };

function createLog(stderr: OutputStream, clock: Clock): Progress {
  let last = clock.now();
  return {
    ...silent,
    update(text, log = () => text().replaceAll(' · ', ', ')) {
      if (clock.now() - last < LOG_INTERVAL_MS) return;
      last = clock.now();
      stderr.write(`${cleanLine(log())}\n`);
    },
  };
}

interface SpinnerTarget extends StyleOptions {
  stream: OutputStream;
}

/** The spinner, a space, and the last column, at which some terminals wrap. */
const RESERVED_COLUMNS = 3;

/** Creates a spinner that leaves stdin, signals and the cursor alone. */
async function createSpinner(target: SpinnerTarget): Promise<Progress> {
  const { stream, env } = target;
  const paint = await createPaint(target);
  const { default: ora, spinners } = await import('ora');
  // The console of Linux cannot show the dots.
  const { frames, interval } = env.TERM === 'linux' ? spinners.line : spinners.dots;
  // With 0 columns, ora would clear lines in an endless loop.
  repairColumns(stream);
  const spinner = ora({
    stream,
    isEnabled: true,
    discardStdin: false,
    // A process that is killed could not show it again.
    hideCursor: false,
    color: false,
    spinner: { frames: frames.map((frame) => paint('accent', frame)), interval },
  });
  return {
    update(text) {
      spinner.text = cutToWidth(
        cleanLine(text()),
        Math.max(1, (terminalColumns(stream) ?? Number.POSITIVE_INFINITY) - RESERVED_COLUMNS),
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

/** Makes a terminal report at least 1 column, also after a resize: ora divides by them. */
function repairColumns(stream: SizedStream): void {
  let reported = stream.columns;
  Object.defineProperty(stream, 'columns', {
    configurable: true,
    enumerable: true,
    get: () => terminalColumns({ isTTY: true, columns: reported ?? 0 }),
    // Node assigns the new size when the terminal is resized.
    set: (columns: number | undefined) => {
      reported = columns;
    },
  });
}
