import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface OnTerminal {
  code: number;
  /** All that the terminal showed, echo included. */
  shown: string;
  /** Whether the terminal echoes: before, while it is asked, after. */
  echo: { before: boolean; asked: boolean | null; after: boolean };
}

export interface PseudoTerminalOptions {
  /** The prompt after which `typed` is typed; none by default. */
  prompt?: string;
  typed?: readonly string[];
  /** The environment, next to the path. */
  env: Readonly<Record<string, string>>;
}

const PTY_RUN = fileURLToPath(new URL('./pty-run.py', import.meta.url));
const MAX_BYTES = 1024 ** 3;

/**
 * Runs a command on a pseudo-terminal without a size, such as that of `script` in a CI job, and returns its bytes. To see a
 * screen, use `openTerminal`.
 */
export async function runOnPseudoTerminal(
  command: readonly string[],
  { prompt = '', typed, env }: PseudoTerminalOptions,
): Promise<OnTerminal> {
  const args = [PTY_RUN, prompt, JSON.stringify(typed ?? ''), ...command];
  const { stdout } = await promisify(execFile)('python3', args, {
    env: { PATH: process.env.PATH ?? '', ...env },
    maxBuffer: MAX_BYTES,
  });
  return JSON.parse(stdout) as OnTerminal;
}
