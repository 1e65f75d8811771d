import { createInterface } from 'node:readline';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { type Host, hasTerminal, SIGNAL_EXIT, type Signal } from '../util/host.ts';
import { cleanLine } from './sanitize.ts';
import { DEFAULT_COLUMNS, terminalColumns, wrapText } from './wrap.ts';

/**
 * Prompts for a secret on the terminal, without echo. The mode of the terminal is always restored.
 *
 * @param question shown on standard error; may contain untrusted text
 * @returns the input without surrounding white space; may be empty
 * @throws UsageError without a terminal (see `hasTerminal`) and for Ctrl-D, OrgadmError with the signal's exit code for
 *   Ctrl-C and for a signal
 */
export async function promptSecret(question: string, host: Host): Promise<string> {
  return (
    await promptLine(question, host, { isSecret: true, undone: 'nothing was stored', missing: 'no key was entered' })
  ).trim();
}

/**
 * Prompts for a line of text on the terminal.
 *
 * @param question shown on standard error; may contain untrusted text
 * @param consequence.undone what did not happen, for the message on an interrupt: `nothing was stored`
 * @param consequence.missing what is wrong when the input ends: `no base URL was entered`
 * @returns the input without surrounding white space; may be empty
 * @throws as `promptSecret` does
 */
export async function promptText(
  question: string,
  host: Host,
  consequence: Pick<LinePrompt, 'undone' | 'missing'>,
): Promise<string> {
  return (await promptLine(question, host, { isSecret: false, ...consequence })).trim();
}

interface LinePrompt {
  /** Whether nothing of what is typed is shown. */
  isSecret: boolean;
  /** The consequence for the message on an interrupt and at the end of the input: nothing was sent. */
  undone: string;
  /** The error when the input ends. */
  missing: string;
}

/** Prompts for a line on the terminal. Throws as `promptSecret` does. */
async function promptLine(question: string, host: Host, { isSecret, undone, missing }: LinePrompt): Promise<string> {
  if (!hasTerminal(host)) throw new UsageError('cannot prompt without a terminal');
  const { stdin, stderr } = host;
  const prompt = `${wrapText(cleanLine(question).trimEnd(), terminalColumns(stderr) ?? DEFAULT_COLUMNS)} `;
  const { promise, resolve, reject } = createDeferred<string>();
  const onEnd = () => reject(new UsageError(`${missing}; ${undone}`));
  const interrupt = (signal: Signal) =>
    reject(new OrgadmError('interrupted', SIGNAL_EXIT[signal], `interrupted; ${undone}`));
  // Listens before readline, which would accept partial input when the terminal is closed.
  stdin.once('end', onEnd);
  const releaseSignals = host.onSignal(interrupt);
  // Without an output, readline does not echo.
  const lines = createInterface({
    input: stdin,
    ...(isSecret ? {} : { output: stderr }),
    terminal: true,
    historySize: 0,
  });
  lines.on('line', resolve).on('close', onEnd).on('error', onEnd);
  lines.on('SIGINT', () => interrupt('SIGINT'));
  try {
    if (isSecret) stderr.write(prompt);
    else {
      lines.setPrompt(prompt);
      lines.prompt();
    }
    return await promise;
  } catch (error) {
    // The cursor is still behind the question.
    if (!isSecret) stderr.write('\n');
    throw error;
  } finally {
    releaseSignals();
    stdin.off('end', onEnd);
    lines.close();
    if (isSecret) stderr.write('\n');
  }
}

function createDeferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}

const NOT_CONFIRMED = 'not confirmed';

/**
 * Asks on the terminal whether to make a change. Only `y` and `yes` confirm it.
 *
 * @param question a sentence; may contain untrusted text
 * @param undone what did not happen, for the error: `nothing was sent`
 * @throws OrgadmError (exit code 2) for any other reply, and as `promptSecret` does
 */
export async function confirmChange(question: string, undone: string, host: Host): Promise<void> {
  const reply = await promptText(`${question} [y/N] `, host, { undone, missing: NOT_CONFIRMED });
  if (!/^y(es)?$/i.test(reply)) throw new OrgadmError('canceled', EXIT.usage, `${NOT_CONFIRMED}; ${undone}`);
}
