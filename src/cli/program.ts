import { Command, type CommanderError } from 'commander';
import type { Context } from '../commands/command-context.ts';
import { setHelpText } from '../commands/define-command.ts';
import { VERSION } from '../util/package-version.ts';
import { checkValues, loadCommand, setLoader } from './command-line.ts';
import { COMMANDS, type CommandEntry, NOUNS } from './command-table.ts';
import { addGlobalOptions } from './global-options.ts';
import { HELP_LAYOUT } from './help-layout.ts';
import { toUsageError } from './usage-errors.ts';

const HELP = `
Examples:
  # Try it without an account
  $ orgadm people template > members.csv
  $ orgadm people bulk-add members.csv --sandbox

Help topics:
  orgadm help options | import | output | environment
  orgadm help exit-codes | errors
`;

export interface ProgramOptions {
  /** The words after the program's name, for the checks that Commander does not make. */
  argv: readonly string[];
  /** Receives help, for `helpText`, and the version, which Commander writes itself. */
  write(text: string): void;
}

const entries = new WeakMap<Command, CommandEntry>();

/**
 * Creates the command tree with the global options, and with every noun and verb by name and summary. The arguments and
 * options of a command are registered when Commander meets it.
 *
 * @param context returns the context; valid only once an action runs
 */
export function createProgram(options: ProgramOptions, context: () => Context): Command {
  const program = new Command('orgadm');
  program
    .description('Administer an organization: custom roles, people in bulk, trust-portal domains, and findings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureHelp(HELP_LAYOUT)
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: options.write,
      // A noun alone prints its help there.
      writeErr: options.write,
      outputError: () => {},
    });
  prepare(program, options);
  setHelpText(program, HELP);
  addGlobalOptions(program);
  for (const entry of COMMANDS) {
    const parent = entry.noun === undefined ? program : findOrAddNoun(program, entry.noun, options);
    addCommand(parent, entry, options, context);
  }
  return program;
}

function addCommand(parent: Command, entry: CommandEntry, options: ProgramOptions, context: () => Context): void {
  const command = parent.command(entry.verb, { hidden: entry.isHidden ?? false });
  command.summary(entry.summary).description(`${entry.summary}.`);
  prepare(command, options);
  entries.set(command, entry);
  setLoader(command, async () => (await entry.load())(command, context));
}

/** Makes a command throw the usage errors of orgadm, and load the commands below it. */
function prepare(command: Command, { argv }: ProgramOptions): void {
  command
    .helpCommand(false)
    .exitOverride((error) => {
      throw isHelp(error) ? error : toUsageError(error, argv, command);
    })
    .hook('preSubcommand', async (_, sub) => {
      await loadCommand(sub);
      if (sub.commands.length === 0 && !entries.get(sub)?.isUnchecked) checkValues(argv, sub);
    });
}

/** Whether Commander ends the command line because it has printed help or the version. */
function isHelp({ code, exitCode }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help';
}

/** Returns the entry of the command table for a command that has an action. */
export function entryOf(command: Command): CommandEntry {
  const entry = entries.get(command);
  if (entry === undefined) throw new Error(`${command.name()} is not in the command table`);
  return entry;
}

function findOrAddNoun(program: Command, name: string, options: ProgramOptions): Command {
  const existing = program.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  const summary = NOUNS[name] ?? name;
  const noun = program.command(name).summary(summary).description(`${summary}.`);
  prepare(noun, options);
  return noun;
}
