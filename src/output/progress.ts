import type { Clock } from '../util/host.ts';
import type { Output, OutputStream } from './output.ts';
import { cleanLine } from './sanitize.ts';
import { DEFAULT_COLUMNS, isAnimated, terminalColumns } from './style.ts';
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
  output: Pick<Output, 'note' | 'secrets'>;
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
export async function createProgress({ stderr, env, quiet, color, clock, output }: ProgressOptions): Promise<Progress> {
  if (quiet) return silent;
  // On a terminal of 0 columns, ora would clear lines in an endless loop.
  const hasLine = isAnimated({ color, env, stream: stderr }) && stderr.columns !== 0;
  return hasLine ? createSpinner(stderr, output) : createLog(output, clock);
}

const silent: Progress = { update() {}, clear() {}, stop() {} };

function createLog(output: ProgressOptions['output'], clock: Clock): Progress {
  let last = clock.now();
  return {
    ...silent,
    update(text, log = () => text(Number.POSITIVE_INFINITY).replaceAll(SEPARATOR, ', ')) {
      if (clock.now() - last < LOG_INTERVAL_MS) return;
      last = clock.now();
      output.note(log());
    },
  };
}

/** Creates a spinner that leaves stdin, signals and the cursor alone. */
async function createSpinner(stream: OutputStream, { secrets }: ProgressOptions['output']): Promise<Progress> {
  const { default: ora } = await import('ora');
  let textOf: (columns: number) => string = () => '';
  const spinner = ora({
    stream,
    isEnabled: true,
    discardStdin: false,
    // A process that is killed could not show it again.
    hideCursor: false,
    // Called for each frame.
    prefixText() {
      const room = Math.max(1, (terminalColumns(stream) ?? DEFAULT_COLUMNS) - RESERVED_COLUMNS);
      spinner.text = cutToWidth(cleanLine(secrets.redact(textOf(room))), room);
      return '';
    },
  });
  return {
    update(text) {
      textOf = text;
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
