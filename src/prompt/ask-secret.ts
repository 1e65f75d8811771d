import { StringDecoder } from 'node:string_decoder';
import { OrgadmError, UsageError } from '../errors.ts';
import { type Host, SIGNAL_EXIT, type Signal } from '../host.ts';
import { SecretLine } from './secret-line.ts';

/** Whether there is someone who can be asked: both what is typed and what is shown must be a terminal. */
export function canAsk({ stdin, stderr }: Host): boolean {
  return Boolean(stdin.isTTY && stderr.isTTY && stdin.setRawMode);
}

/**
 * Asks for a secret on the terminal; nothing of it is shown, not even its length. The terminal is given back as it was
 * in every case.
 *
 * @param question shown on standard error; must be safe for a terminal
 * @returns what was typed, without white space around it; may be empty
 * @throws UsageError without a terminal (see `canAsk`) and for Ctrl-D, OrgadmError with the signal's exit code for
 *   Ctrl-C and for a signal
 */
export async function askSecret(question: string, host: Host): Promise<string> {
  const { stdin, stderr } = host;
  if (!canAsk(host)) throw new UsageError('there is no terminal to ask on');
  stdin.setRawMode?.(true);
  try {
    stderr.write(question);
    return (await readLine(host)).trim();
  } finally {
    stdin.setRawMode?.(false);
    stderr.write('\n');
  }
}

function readLine({ stdin, onSignal }: Host): Promise<string> {
  const line = new SecretLine();
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      releaseSignals();
      stdin.pause();
      stdin.off('data', onData).off('end', onEnd).off('error', onEnd);
      finish();
    };
    const interrupt = (signal: Signal) =>
      settle(() => reject(new OrgadmError('interrupted', SIGNAL_EXIT[signal], 'interrupted; nothing was stored')));
    const onEnd = () => settle(() => reject(new UsageError('no key was entered; nothing was stored')));
    const onData = (chunk: Buffer | string) => {
      const state = line.type(typeof chunk === 'string' ? chunk : decoder.write(chunk));
      if (state === 'done') settle(() => resolve(line.text));
      if (state === 'interrupted') interrupt('SIGINT');
      if (state === 'ended') onEnd();
    };
    const releaseSignals = onSignal(interrupt);
    stdin.on('data', onData).on('end', onEnd).on('error', onEnd);
  });
}
