import type { OutputStream } from './output.ts';
import type { Progress } from './progress.ts';
import { cleanLine } from './sanitize.ts';
import type { Style } from './style.ts';
import { repairColumns, terminalColumns } from './terminal-columns.ts';

export interface SpinnerOptions {
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  style: Style;
}

/** The spinner's sign, the space after it, and a last column left free: some terminals wrap when it is filled. */
const RESERVED_COLUMNS = 3;

/** A spinner on a terminal. It leaves stdin, signals and the cursor alone. */
export async function createSpinner({ stderr, env, style }: SpinnerOptions): Promise<Progress> {
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
