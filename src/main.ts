import { homedir } from 'node:os';
import { CommanderError } from 'commander';
import { helpColumns, printHelp } from './cli/help-text.ts';
import { decideFormat, openOutput } from './cli/output-format.ts';
import { createProgram, entryOf } from './cli/program.ts';
import type { Context } from './commands/command-context.ts';
import type { GlobalFlags } from './config/settings.ts';
import type { Output } from './output/output.ts';
import { describeFsError, EXIT, OrgadmError, systemErrorCode, UsageError } from './util/errors.ts';
import { type Host, SIGNAL_EXIT, type Signal, systemClock } from './util/host.ts';

/**
 * Runs one command line: parses it, runs the command, reports errors, and closes what was opened.
 *
 * @param words the words after the program's name
 * @returns the exit code (see EXIT)
 */
export async function main(words: readonly string[], host: Host): Promise<number> {
  if (isInCi(host)) hideTerminal(host);
  const format = decideFormat(words, host.env);
  let page = '';
  let output: Output | undefined;
  let context: Context | undefined;
  let exitCode: number = EXIT.ok;
  const reported = new Set<string>();
  const currentOutput = async () => {
    output ??= await openOutput(format, program.opts(), host);
    return output;
  };
  const program = createProgram(
    {
      words,
      columns: helpColumns(host),
      show: (text) => {
        page += text;
      },
    },
    () => {
      if (context === undefined) throw new Error('the context is created when an action runs');
      return context;
    },
  );
  program.hook('preAction', async (_, command) => {
    const { createContext } = await import('./cli/context.ts');
    context = await createContext(host, program.opts<GlobalFlags>(), format, entryOf(command));
    output = context.output;
  });
  const report = async (error: unknown) => {
    // Commander has printed help or the version.
    if (error instanceof CommanderError) return EXIT.ok;
    const { debug = false } = program.opts<GlobalFlags>();
    return reportError(error, await currentOutput(), debug, reported);
  };
  const releaseIdle = host.onIdle(() => report(endedEarly()));

  host.onCrash(endAfterCrash(report, () => context?.beforeExit(), host));
  try {
    checkPlatform(host.platform);
    await program.parseAsync(words, { from: 'user' });
    exitCode = context?.exitCode ?? EXIT.ok;
  } catch (error) {
    exitCode = await report(error);
  }
  for (const finish of [
    async () => {
      if (page !== '') await printHelp(page, await currentOutput());
    },
    () => context?.close(),
    async () => (await currentOutput()).flush(),
  ]) {
    try {
      await finish();
    } catch (error) {
      const code = await report(error);
      if (exitCode === EXIT.ok) exitCode = code;
    }
  }
  releaseIdle();
  return exitCode;
}

/** Whether the variable CI says that no person is there. */
function isInCi({ env: { CI = '' } }: Host): boolean {
  return !['', '0', 'false'].includes(CI.toLowerCase());
}

/** Runs as without a terminal. A prompt needs standard error to be one, so standard input is left alone, and unopened. */
function hideTerminal({ stdout, stderr }: Host): void {
  for (const stream of [stdout, stderr]) Object.defineProperty(stream, 'isTTY', { value: false });
}

/** Returns the error for a process that ends before `main` does, because nothing that it waits for can still happen. */
function endedEarly(): OrgadmError {
  return new OrgadmError('internal', EXIT.failure, 'orgadm stopped before the command was finished', {
    hint: 'This is a bug in orgadm. Check the result before you run the command again.',
  });
}

/**
 * Returns the last resort for an exception that nothing catches: it reports the error like all others, says how to continue, and
 * ends the process, whose state is unknown.
 */
function endAfterCrash(report: (error: unknown) => Promise<number>, beforeExit: () => void, { exitNow }: Host) {
  let hasCrashed = false;
  return async (error: unknown) => {
    // Reporting the first one has failed, or another part of the program has.
    if (hasCrashed) return;
    hasCrashed = true;
    try {
      await report(error);
      beforeExit();
    } finally {
      exitNow(EXIT.failure);
    }
  };
}

/**
 * Reports an error on standard error and returns its exit code.
 *
 * @param reported messages reported so far: a failed stream reports its error at every write and when it is closed
 */
function reportError(cause: unknown, output: Output, debug: boolean, reported: Set<string>): number {
  const known = knownError(cause, debug);
  if (!reported.has(known.message)) output.error(known, { debug });
  reported.add(known.message);
  return known.exitCode;
}

/** Converts any other error into one of orgadm. */
function knownError(cause: unknown, debug: boolean): OrgadmError {
  if (cause instanceof OrgadmError) return cause;
  // The process, or the machine, has no free file descriptors.
  if (/^E[MN]FILE$/.test(systemErrorCode(cause) ?? '')) {
    return new OrgadmError('file', EXIT.failure, describeFsError(cause), { cause });
  }
  return new OrgadmError('internal', EXIT.failure, `unexpected error: ${describeCause(cause)}`, {
    hint: debug ? undefined : 'This is a bug in orgadm. Run the command again with --debug for details.',
    cause,
  });
}

/** @throws UsageError on a system where orgadm cannot keep its promises about keys and journals */
function checkPlatform(platform: NodeJS.Platform): void {
  if (platform === 'linux' || platform === 'darwin') return;
  throw new UsageError(
    `orgadm runs on Linux and macOS, not on ${platform}`,
    'It relies on file permissions to protect the API key, and on file locks to import nobody twice. On Windows, use WSL.',
  );
}

function describeCause(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const SHOW_CURSOR = '\x1b[?25h';

/** Runs the tool as a process: with its arguments, streams and environment; sets its exit code. */
export async function run(process: NodeJS.Process): Promise<void> {
  // A process that ends before `main` does must not look like a success.
  process.exitCode = EXIT.failure;
  process.exitCode = await main(process.argv.slice(2), hostOf(process));
}

function hostOf(process: NodeJS.Process): Host {
  return {
    // Opened on first use: few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    home: homeDirectory(),
    platform: process.platform,
    uid: process.getuid?.(),
    clock: systemClock,
    random: Math.random,
    onSignal(listener) {
      const signals = Object.keys(SIGNAL_EXIT) as Signal[];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    onCrash: (listener) => void process.on('uncaughtException', listener),
    onIdle(listener) {
      process.once('beforeExit', listener);
      return () => process.off('beforeExit', listener);
    },
    // Node writes to stderr synchronously on POSIX systems.
    exitNow(code) {
      // A question hides the cursor.
      if (process.stderr.isTTY && process.env.TERM !== 'dumb') process.stderr.write(SHOW_CURSOR);
      return process.exit(code);
    },
  };
}

/** Returns '' without HOME and an entry in the user database, as in a container with an arbitrary user id. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
