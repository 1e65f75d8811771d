import { Command } from 'commander';
import type { Context } from '../commands/command-context.ts';
import { setHelpText } from '../commands/help-text.ts';
import { VERSION } from '../util/version.ts';
import { setLoader } from './command-line.ts';
import { COMMANDS, type CommandEntry, NOUNS } from './command-table.ts';
import { addGlobalOptions } from './global-options.ts';
import { HELP_LAYOUT } from './help-layout.ts';

const HELP = `
Examples:
  # Try it without an account
  $ orgadm people template > members.csv
  $ orgadm people bulk-add members.csv --sandbox

Help topics:
  orgadm help options | output | environment
  orgadm help exit-codes | errors
`;

export interface ProgramText {
  /** Receives help and the version, which Commander writes itself. */
  write(text: string): void;
  /** Columns of the help. */
  columns: number;
}

const entries = new WeakMap<Command, CommandEntry>();

/**
 * Creates the command tree with the global options, and with every noun and verb by name and summary. The arguments and
 * options of a command are registered when `readCommandLine` meets it.
 *
 * @param context returns the context; valid only once an action runs
 */
export function createProgram(text: ProgramText, context: () => Context): Command {
  const program = new Command('orgadm');
  program
    .description('Administer an organization: custom roles, people in bulk, trust-portal domains, findings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp(HELP_LAYOUT)
    .exitOverride()
    .configureOutput({
      writeOut: text.write,
      getOutHelpWidth: () => text.columns,
      writeErr: () => {},
      outputError: () => {},
    });
  setHelpText(program, HELP);
  addGlobalOptions(program);
  for (const entry of COMMANDS) {
    const parent = entry.noun === undefined ? program : findOrAddNoun(program, entry.noun);
    const command = parent.command(entry.verb, { hidden: entry.isHidden ?? false });
    command.summary(entry.summary).description(`${entry.summary}.`);
    entries.set(command, entry);
    setLoader(command, async () => (await entry.load())(command, context));
  }
  return program;
}

/** Whether a command prints text for people or shells: it needs no settings, and no output format. */
export function ignoresOutputFormat(command: Command): boolean {
  return entries.get(command)?.ignoresOutputFormat ?? false;
}

/** Whether a command runs also if the configuration file cannot be read. */
export function toleratesBrokenConfig(command: Command): boolean {
  return entries.get(command)?.toleratesBrokenConfig ?? false;
}

function findOrAddNoun(program: Command, name: string): Command {
  const existing = program.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  const summary = NOUNS[name] ?? name;
  return program.command(name).helpCommand(false).summary(summary).description(`${summary}.`);
}
