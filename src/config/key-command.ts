import { isAbsolute } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { quoteForShell } from '../output/sanitize.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from '../util/errors.ts';
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
 * @throws UsageError for an empty command, a program whose path is relative, and words with a character that a shell interprets
 */
export function parseKeyCommand(text: string, where: string): readonly string[] {
  const words = text.trim().startsWith('[') ? readArray(text, where) : splitWords(text, where);
  const [program] = words;
  if (!program) throw new UsageError(`${where} names no program`, 'Write it as: pass show orgadm');
  // The current directory may be that of a repository of somebody else.
  if (program.includes('/') && !isAbsolute(program)) {
    throw new UsageError(
      `${where}: the program ${program} depends on the current directory`,
      'Use an absolute path, or only the name of a program in PATH.',
    );
  }
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

/**
 * Runs the program of a profile that prints the API key. No shell is involved, and only its standard output is read. A signal
 * ends the program and orgadm.
 *
 * @param timeoutMs the longest time that the program may take, in milliseconds: dialogs wait for a person
 * @returns what it printed until it ended. A process that it leaves behind does not count, even if it keeps the output open.
 * @throws OrgadmError (exit 4) if it fails; the error names the command, and never repeats its output
 */
export async function runKeyCommand(
  [program = '', ...args]: readonly string[],
  timeoutMs: number,
  host: Host,
): Promise<string> {
  const { spawn } = await import('node:child_process');
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(keyCommandError([program, ...args], reason));
    // The timeout of spawn would keep the process alive after a program that does not start.
    const disarm = host.clock.after(timeoutMs, () => child.kill('SIGKILL'));
    const stop = () => {
      stopListening();
      disarm();
    };
    // Only a signal from the keyboard reaches the program as well. It may come as soon as the program runs, before spawn returns.
    const stopListening = host.onSignal((signal) => {
      child.kill(signal);
      host.exitNow(SIGNAL_EXIT[signal]);
    });
    // The list of an import may be on the standard input of orgadm.
    const child = spawn(program, args, {
      env: { ...host.env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const printed: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      printed.push(chunk);
      if (Buffer.concat(printed).length <= MAX_KEY_BYTES) return;
      fail('it printed more than a key');
      child.kill('SIGKILL');
    });
    child.on('error', (error) => {
      stop();
      fail(describeStartFailure(error));
    });
    child.on('exit', async (code, signal) => {
      stop();
      // What the program printed is in the pipe: the first turn may have started before.
      for (let turn = 0; turn < 2; turn += 1) await nextTurn();
      child.stdout.destroy();
      if (code === 0) resolve(Buffer.concat(printed).toString());
      else if (child.killed) fail(`it printed no key within ${renderDuration(timeoutMs)}`);
      else fail(code === null ? `ended by ${signal}` : `exit code ${code}`);
    });
  });
}

function describeStartFailure(error: Error): string {
  const code = systemErrorCode(error);
  if (code === 'ENOENT') return 'the program was not found';
  return code === 'EACCES' ? 'no permission to run the program' : describeFsError(error);
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
