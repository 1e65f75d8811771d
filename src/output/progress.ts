import type { Clock } from '../util/host.ts';
import type { OutputStream } from './output.ts';
import { cleanLine } from './sanitize.ts';
import {
  createPaint,
  DEFAULT_COLUMNS,
  isAnimated,
  type SizedStream,
  type StyleOptions,
  terminalColumns,
} from './style.ts';
import { cutToWidth, displayWidth } from './table.ts';

/** The progress of a long command: a line on a terminal, elsewhere a log. */
export interface Progress {
  /**
   * Shows the line with this text, which is untrusted, or logs it if it is time to. To be called at least every
   * second or so. The functions are called only if their text is shown.
   *
   * @param text returns the text of a line that has `columns`; infinitely many in the log
   * @param log the text for the log; default that of the line, with commas
   */
  update(text: (columns: number) => string, log?: () => string): void;
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

/** The spinner, a space, and the last column, at which some terminals wrap. */
const RESERVED_COLUMNS = 3;

const SEPARATOR = ' · ';
/** A narrower line has no bar. */
const MIN_BAR_LINE = DEFAULT_COLUMNS - RESERVED_COLUMNS;
const BAR_COLUMNS = 20;

/** Joins the parts of a line, the most important first. Leaves out the last ones if the line is too short for them. */
export function joinFitting(parts: readonly string[], columns: number): string {
  const [first = '', ...others] = parts;
  let line = first;
  for (const part of others) {
    const longer = `${line}${SEPARATOR}${part}`;
    if (displayWidth(longer) > columns) break;
    line = longer;
  }
  return line;
}

/**
 * Renders a bar of 20 columns in front of a text: `━━━━━━━━━╸──────────  2,500 of 4,988`. Returns undefined if the bar and
 * the text do not fit the line, or if the terminal has fewer than 80 columns.
 *
 * @param share from 0 to 1
 */
export function withBar(share: number, text: string, columns: number): string | undefined {
  const done = Math.floor(share * BAR_COLUMNS);
  const heavy = done === 0 || done === BAR_COLUMNS ? '━'.repeat(done) : `${'━'.repeat(done - 1)}╸`;
  const line = `${heavy.padEnd(BAR_COLUMNS, '─')}  ${text}`;
  return columns >= MIN_BAR_LINE && displayWidth(line) <= columns ? line : undefined;
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
    update(text, log = () => text(Number.POSITIVE_INFINITY).replaceAll(SEPARATOR, ', ')) {
      if (clock.now() - last < LOG_INTERVAL_MS) return;
      last = clock.now();
      stderr.write(`${cleanLine(log())}\n`);
    },
  };
}

interface SpinnerTarget extends StyleOptions {
  stream: OutputStream;
}

const [CLEAR_LINE, LINE_ABOVE] = ['\r\x1b[2K', '\x1b[1A'];

/** Creates a spinner that leaves stdin, signals and the cursor alone. */
async function createSpinner(target: SpinnerTarget): Promise<Progress> {
  const { stream, env } = target;
  const paint = await createPaint(target);
  const { default: ora, spinners } = await import('ora');
  // It cannot show the dots, and not every font of it has the heavy lines of a bar.
  const isLinuxConsole = env.TERM === 'linux';
  const { frames, interval } = isLinuxConsole ? spinners.line : spinners.dots;
  // With 0 columns, ora would clear lines in an endless loop.
  repairColumns(stream);
  // While ora spins, it draws its line again after every other write.
  const write = stream.write.bind(stream);
  let textOf: (columns: number) => string = () => '';
  /** Columns of the line on the screen; 0 without one. */
  let shown = 0;

  const columns = () => terminalColumns(stream) ?? DEFAULT_COLUMNS;

  /** Clears the rows in which a terminal that became narrower has continued the line; ora clears the last one. */
  function clearContinued(): void {
    // The event of a new size comes later than the terminal changes.
    (stream as { _refreshSize?(): void })._refreshSize?.();
    const rows = Math.ceil(shown / columns());
    shown = 0;
    if (rows > 1) write((LINE_ABOVE + CLEAR_LINE).repeat(rows - 1));
  }

  function line(): string {
    const room = Math.max(1, columns() - RESERVED_COLUMNS);
    const text = cutToWidth(cleanLine(textOf(room)), room);
    shown = RESERVED_COLUMNS - 1 + displayWidth(text);
    return isLinuxConsole ? text.replace(/[━╸]/g, '=') : text;
  }

  const spinner = ora({
    stream,
    isEnabled: true,
    discardStdin: false,
    // A process that is killed could not show it again.
    hideCursor: false,
    color: false,
    spinner: { frames: frames.map((frame) => paint('accent', frame)), interval },
    // Called for each frame, between clearing the line and drawing it.
    prefixText: () => {
      clearContinued();
      spinner.text = line();
      return '';
    },
  });
  return {
    update(text) {
      textOf = text;
      if (!spinner.isSpinning) spinner.start();
    },
    clear() {
      if (!spinner.isSpinning) return;
      spinner.clear();
      clearContinued();
    },
    stop() {
      if (!spinner.isSpinning) return;
      spinner.stop();
      clearContinued();
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
