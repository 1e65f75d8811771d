import type { ChildProcess } from 'node:child_process';
import { quoteForShell } from '../output/sanitize.ts';
import { EXIT, OrgadmError, UsageError } from '../util/errors.ts';
import { MAX_KEY_BYTES } from '../util/files.ts';
import { type Host, SIGNAL_EXIT } from '../util/host.ts';
import { renderDuration } from '../util/units.ts';

/** Characters that a shell interprets. orgadm does not, and rejects them: a misread command could print another key. */
const SHELL_SYNTAX = /['"\\|&;<>()$`*?~]/;

/**
 * Reads a program with its arguments: words separated by white space, or a JSON array of strings, in which an argument may
 * have any character.
 *
 * @param where the setting, for the error
 * @throws UsageError for an empty command, and for words with a character that a shell interprets
 */
export function parseKeyCommand(text: string, where: string): readonly string[] {
  const words = text.trim().startsWith('[') ? readArray(text, where) : splitWords(text, where);
  if (!words[0]) throw new UsageError(`${where} names no program`, 'Write it as: pass show orgadm');
  return words;
}

function readArray(text: string, where: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (Array.isArray(value) && value.every((word) => typeof word === 'string')) return value;
  throw new UsageError(`${where} is not a JSON array of strings`, 'Write it as: ["pass","show","orgadm"]');
}

function splitWords(text: string, where: string): string[] {
  const [syntax] = SHELL_SYNTAX.exec(text) ?? [];
  if (syntax === undefined) return text.trim().split(/\s+/);
  throw new UsageError(
    `${where}: orgadm runs the program without a shell, so ${syntax} has no meaning`,
    'Write the words as a JSON array: ["pass","show","my key"]. For a pipe, name a shell: ["sh","-c","pass show orgadm | head -n 1"]',
  );
}

/** Longest time in which the program has to print the key, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Runs the program of a profile that prints the API key. No shell is involved, and only its standard output is read. A signal
 * ends the program and orgadm.
 *
 * @returns what it printed
 * @throws OrgadmError (exit 4) if it fails; the error names the command, and never repeats its output
 */
export async function runKeyCommand([program = '', ...args]: readonly string[], host: Host): Promise<string> {
  const { execFile } = await import('node:child_process');
  const options = {
    env: { ...host.env },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_KEY_BYTES,
  } as const;
  return new Promise((resolve, reject) => {
    let child: ChildProcess | undefined;
    // Only a signal from the keyboard reaches the program as well. The first signal may come while the program starts.
    const stopListening = host.onSignal((signal) => {
      child?.kill(signal);
      host.exitNow(SIGNAL_EXIT[signal]);
    });
    child = execFile(program, args, options, (error, stdout) => {
      stopListening();
      if (error === null) resolve(stdout);
      // The error of Node repeats the output, so it is not the cause.
      else reject(keyCommandError([program, ...args], describeProgramFailure(error)));
    });
    // The list of an import may be on the standard input of orgadm.
    child.stdin?.on('error', () => {}).end();
  });
}

function describeProgramFailure({
  code,
  killed,
  signal,
}: {
  code?: unknown;
  killed?: boolean;
  signal?: unknown;
}): string {
  if (code === 'ENOENT') return 'the program was not found';
  if (code === 'EACCES') return 'no permission to run the program';
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'it printed more than a key';
  if (killed) return `it printed no key within ${renderDuration(TIMEOUT_MS)}`;
  return typeof code === 'number' ? `exit code ${code}` : `ended by ${signal}`;
}

/** Returns the error for a program that printed no usable key. Exit code 4. */
export function keyCommandError(command: readonly string[], reason: string): OrgadmError {
  const line = renderKeyCommand(command);
  return new OrgadmError('no-key', EXIT.auth, `key-command ${line}: ${reason}`, {
    hint: `Nothing was sent. Run it yourself to see what it prints: ${line}`,
  });
}

/** Renders the command for people, quoted for a shell. */
export function renderKeyCommand(command: readonly string[]): string {
  return command.map(quoteForShell).join(' ');
}
