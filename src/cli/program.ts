import { Command } from 'commander';
import type { Context } from '../commands/command-context.ts';
import { type Positional, readCommandLine } from '../commands/command-line.ts';
import { HELP_LAYOUT } from '../commands/help/help-layout.ts';
import { VERSION } from '../util/version.ts';
import { COMMANDS, type CommandEntry, NOUNS } from './command-table.ts';
import { addGlobalOptions } from './global-options.ts';

const FIRST_STEPS = `
Try it without an account:
  $ orgadm people template > members.csv
  $ orgadm people bulk-add members.csv --sandbox

More help:
  orgadm help <command>
  orgadm help options | output | environment | exit-codes
`;

/** Creates the root of the command tree, with the global options and without any command. */
export function createProgram(): Command {
  const program = new Command('orgadm');
  program
    .description('Administer an organization: custom roles, people in bulk, trust-portal domains, findings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp(HELP_LAYOUT)
    .addHelpText('after', FIRST_STEPS);
  addGlobalOptions(program);
  return program;
}

/**
 * Adds every noun and verb to the root by name, and the command that a command line names in full.
 *
 * @param argv the words after the program's name
 * @param context returns the context; valid only once an action runs
 */
export async function addCommands(program: Command, argv: readonly string[], context: () => Context): Promise<void> {
  const typed = resolveCommand(readCommandLine(program, argv).positionals);
  for (const entry of COMMANDS) {
    const parent = entry.noun === undefined ? program : findOrAddNoun(program, entry.noun);
    if (typed.includes(entry)) (await entry.load())(parent, context);
    else parent.command(entry.verb, { hidden: entry.isHidden ?? false });
    parent.commands.at(-1)?.summary(entry.summary);
  }
}

/** Whether a command prints text for people or shells: it needs no settings, and no output format. */
export function ignoresOutputFormat(command: Command): boolean {
  return COMMANDS.some((entry) => entry.ignoresOutputFormat && isEntryOf(entry, command));
}

/** Whether a command runs also if the configuration file cannot be read. */
export function toleratesBrokenConfig(command: Command): boolean {
  return COMMANDS.some((entry) => entry.toleratesBrokenConfig && isEntryOf(entry, command));
}

/** Whether the arguments of a command are words of another command line, any of which may be empty. */
export function isAboutCommands(command: Command): boolean {
  return COMMANDS.some((entry) => entry.takesCommandName && isEntryOf(entry, command));
}

function isEntryOf(entry: CommandEntry, command: Command): boolean {
  return entry.noun === undefined && command.parent?.parent === null && entry.verb === command.name();
}

function findOrAddNoun(program: Command, name: string): Command {
  const there = program.commands.find((command) => command.name() === name);
  if (there !== undefined) return there;
  const about = NOUNS[name] ?? name;
  return program
    .command(name)
    .helpCommand(false)
    .summary(about)
    .description(`${about.charAt(0).toUpperCase()}${about.slice(1)}.`);
}

/** The command that the words name, and the one that it is about: `help people bulk-add` shows the help of that one. */
function resolveCommand(positionals: readonly Positional[]): CommandEntry[] {
  const [first, second] = positionals;
  if (first === undefined) return [];
  const single = COMMANDS.find((entry) => entry.noun === undefined && entry.verb === first.word);
  if (single !== undefined) return [single, ...(single.takesCommandName ? resolveCommand(positionals.slice(1)) : [])];
  const ofNoun = COMMANDS.filter((entry) => entry.noun !== undefined && entry.noun === first.word);
  // A word right behind the noun is meant for a verb, even where there is none of that name.
  const isAlone = second?.at !== first.at + 1;
  const typed =
    ofNoun.find((entry) => entry.verb === second?.word) ??
    (isAlone ? ofNoun.find((entry) => entry.isDefault) : undefined);
  return typed === undefined ? [] : [typed];
}
