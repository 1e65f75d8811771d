import { createInterface } from 'node:readline';
import { OrgadmError, UsageError } from '../util/errors.ts';
import { type Host, SIGNAL_EXIT, type Signal } from '../util/host.ts';

/** Whether stdin and stderr are a terminal, so that the user can be prompted. */
export function canPrompt({ stdin, stderr }: Host): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY && stdin.setRawMode);
}

/**
 * Prompts for a secret on the terminal, without echo. The mode of the terminal is always restored.
 *
 * @param question shown on standard error; must be safe for a terminal
 * @returns the input without surrounding white space; may be empty
 * @throws UsageError without a terminal (see `canPrompt`) and for Ctrl-D, OrgadmError with the signal's exit code for
 *   Ctrl-C and for a signal
 */
export async function promptSecret(question: string, host: Host): Promise<string> {
  if (!canPrompt(host)) throw new UsageError('cannot prompt without a terminal');
  const { stdin, stderr } = host;
  const { promise, resolve, reject } = settlers<string>();
  const onEnd = () => reject(new UsageError('no key was entered; nothing was stored'));
  const interrupt = (signal: Signal) =>
    reject(new OrgadmError('interrupted', SIGNAL_EXIT[signal], 'interrupted; nothing was stored'));
  // Listens before readline, which would accept partial input when the terminal is closed.
  stdin.once('end', onEnd);
  const releaseSignals = host.onSignal(interrupt);
  // Without an output, readline does not echo.
  const lines = createInterface({ input: stdin, terminal: true, historySize: 0 });
  lines.on('line', resolve).on('close', onEnd).on('error', onEnd);
  lines.on('SIGINT', () => interrupt('SIGINT'));
  try {
    stderr.write(question);
    return (await promise).trim();
  } finally {
    releaseSignals();
    stdin.off('end', onEnd);
    lines.close();
    stderr.write('\n');
  }
}

function settlers<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: Error) => void = () => {};
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}
