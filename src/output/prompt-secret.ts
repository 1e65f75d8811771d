import { createInterface } from 'node:readline';
import { OrgadmError, UsageError } from '../util/errors.ts';
import { type Host, hasTerminal, SIGNAL_EXIT, type Signal } from '../util/host.ts';
import { Keyboard } from './keyboard.ts';
import { cleanLine } from './sanitize.ts';
import { DEFAULT_COLUMNS, terminalColumns, wrapText } from './wrap.ts';

/**
 * Prompts for an API key on the terminal, without echo. The mode of the terminal is always restored. The prompts of our library
 * draw what is typed, and end at an Escape that arrives apart from the rest of an arrow key.
 *
 * @param question shown on standard error; may contain untrusted text
 * @returns the input without surrounding white space; may be empty
 * @throws UsageError without a terminal (see `hasTerminal`) and for Ctrl-D, OrgadmError with the signal's exit code for
 *   Ctrl-C and for a signal
 */
export async function promptSecret(question: string, host: Host): Promise<string> {
  if (!hasTerminal(host)) throw new UsageError('cannot prompt without a terminal');
  const { stdin, stderr } = host;
  let end: (error: Error) => void = () => {};
  const onEnd = () => end(new UsageError('no key was entered; nothing was stored'));
  const interrupt = (signal: Signal) =>
    end(new OrgadmError('interrupted', SIGNAL_EXIT[signal], 'interrupted; nothing was stored'));
  // Listens before readline, which would accept partial input when the terminal is closed.
  stdin.once('end', onEnd);
  const releaseSignals = host.onSignal(interrupt);
  const show = () =>
    void stderr.write(`${wrapText(cleanLine(question).trimEnd(), terminalColumns(stderr) ?? DEFAULT_COLUMNS)} `);
  const keyboard = new Keyboard(host, { redraw: show });
  // Without an output, readline does not echo.
  const lines = createInterface({ input: keyboard, terminal: true, historySize: 0 });
  try {
    const answer = new Promise<string>((resolve, reject) => {
      end = reject;
      lines.on('line', resolve).on('close', onEnd).on('error', onEnd);
      lines.on('SIGINT', () => interrupt('SIGINT'));
    });
    show();
    return (await answer).trim();
  } finally {
    releaseSignals();
    stdin.off('end', onEnd);
    lines.close();
    keyboard.close();
    stderr.write('\n');
  }
}
