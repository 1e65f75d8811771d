import { homedir } from 'node:os';
import { type Command, CommanderError } from 'commander';
import { bootstrapOutput, createCommandOutput, plainOutput } from './cli/command-output.ts';
import { createContext } from './cli/context.ts';
import {
  addCommands,
  createProgram,
  ignoresOutputFormat,
  isAboutCommands,
  toleratesBrokenConfig,
} from './cli/program.ts';
import type { Context } from './commands/command-context.ts';
import { checkOptionValues, checkPositionals, missingValue, readCommandLine } from './commands/command-line.ts';
import type { GlobalFlags } from './config/global-flags.ts';
import type { Output } from './output/output.ts';
import { terminalColumns } from './output/terminal-columns.ts';
import { systemClock } from './util/clock.ts';
import { EXIT, OrgadmError, UsageError } from './util/errors.ts';
import { type Host, SIGNAL_EXIT, type Signal } from './util/host.ts';

/** Columns of help where the terminal is as wide: longer lines are hard to read. */
const HELP_WIDTH = 100;

/**
 * Runs one command line: parses it, runs the command, tells errors, closes what was opened.
 *
 * @param argv the words after the program's name
 * @returns the exit code (see EXIT)
 */
export async function main(argv: readonly string[], host: Host): Promise<number> {
  const program = createProgram();
  // The options of the command are not known yet, the global ones are.
  const early = readCommandLine(program, argv);
  let output = await bootstrapOutput(early, host);
  let context: Context | undefined;
  let exitCode: number = EXIT.ok;
  let help = '';
  const reported = new Set<string>();
  const debug = early.options.some(({ flag }) => flag === '--debug');
  try {
    await addCommands(program, argv, () => {
      if (context === undefined) throw new Error('the context is made when an action runs');
      return context;
    });
    captureText(program, host, (text) => {
      help += text;
    });
    program.hook('preAction', async (_, command) => {
      const flags = program.opts<GlobalFlags>();
      output = await (ignoresOutputFormat(command)
        ? plainOutput(flags, host)
        : createCommandOutput(flags, host, toleratesBrokenConfig(command)));
      context = createContext(host, flags, output);
      if (!isAboutCommands(command)) checkPositionals(command);
    });
    program.hook('postAction', () => {
      exitCode = context?.exitCode ?? EXIT.ok;
    });
    checkOptionValues(readCommandLine(program, argv));
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
  } catch (error) {
    exitCode = reportError(error, output, debug, reported);
  }
  for (const finish of [() => output.write(help), () => context?.close(), () => output.flush()]) {
    try {
      await finish();
    } catch (error) {
      const code = reportError(error, output, debug, reported);
      if (exitCode === EXIT.ok) exitCode = code;
    }
  }
  return exitCode;
}

/** Commander writes help and the version itself, and throws the rest: its texts go our way, nothing ends the process. */
function captureText(program: Command, { stdout }: Host, write: (text: string) => void): void {
  const quiet = { writeErr: () => {}, outputError: () => {} };
  const getOutHelpWidth = () => Math.min(terminalColumns(stdout) ?? HELP_WIDTH, HELP_WIDTH);
  const visit = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: write, getOutHelpWidth, ...quiet });
    command.commands.forEach(visit);
  };
  visit(program);
}

/** Tells an error on standard error, once, and gives its exit code. `told` holds the messages that were told before. */
function reportError(error: unknown, output: Output, debug: boolean, reported: Set<string>): number {
  const cause = error instanceof CommanderError ? usageError(error) : error;
  if (cause === undefined) return EXIT.ok;
  const known =
    cause instanceof OrgadmError
      ? cause
      : new OrgadmError('internal', EXIT.failure, `unexpected error: ${messageOf(cause)}`, {
          hint: debug ? undefined : 'This is a defect of orgadm. Run it again with --debug for details.',
          cause,
        });
  // A stream that fails does so at every write, and again when it is closed.
  if (!reported.has(known.message)) output.error(known, { debug });
  reported.add(known.message);
  return known.exitCode;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Commander's own errors in our words; undefined where it only showed help or the version. */
function usageError(error: CommanderError): UsageError | undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === 'commander.help')
    return new UsageError('a command is missing', 'Add --help to see which there are.');
  const [, flag] = /^error: option '(?:-\w, )?(--[\w-]+) .* argument missing$/.exec(error.message) ?? [];
  if (flag !== undefined) return missingValue(flag);
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = suggestion?.replace(/^\((.*)\)$/, '$1') ?? 'Add --help to see what the command takes.';
  return new UsageError(message, hint);
}

/** A run that is over by then has no heap worth keeping small, in milliseconds. */
const LONG_RUN_MS = 200;

/** Runs the tool as a process: takes its words, streams and environment from there, and sets its exit code. */
export async function run(process: NodeJS.Process): Promise<void> {
  setTimeout(async () => (await import('./util/heap-limit.ts')).limitHeap(), LONG_RUN_MS).unref();
  process.exitCode = await main(process.argv.slice(2), hostOf(process));
}

function hostOf(process: NodeJS.Process): Host {
  return {
    // Opened when it is first asked for: few commands read it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    home: homeDirectory(),
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
    // Node writes to stderr synchronously on POSIX systems.
    exitNow: (code) => process.exit(code),
  };
}

/** Empty where there is no HOME and the system does not know the user, as in a container with an arbitrary user id. */
function homeDirectory(): string {
  try {
    return homedir();
  } catch {
    return '';
  }
}
