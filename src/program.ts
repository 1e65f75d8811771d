import { Command } from 'commander';
import { COMMANDS, type CommandEntry, NOUNS } from './command-table.ts';
import type { Context } from './context.ts';
import { addGlobalOptions } from './global-options.ts';
import { HELP_LAYOUT } from './help/format-help.ts';
import { VERSION } from './version.ts';

const FIRST_STEPS = `
Try it without an account:
  $ orgadm people template > members.csv
  $ orgadm people bulk-add members.csv --sandbox

More help:
  orgadm help <command>
  orgadm help options | output | environment | exit-codes
`;

/**
 * Builds the command tree for one command line: the root with its global options, every noun and verb by name, and the
 * typed command in full.
 *
 * @param argv the words after the program's name
 * @param context gives the context; valid only once an action runs
 */
export async function buildProgram(argv: readonly string[], context: () => Context): Promise<Command> {
  const program = new Command('orgadm');
  program
    .description('Administer an organization: custom roles, people in bulk, trust-portal domains, findings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .configureHelp(HELP_LAYOUT)
    .addHelpText('after', FIRST_STEPS);
  addGlobalOptions(program);

  const typed = findTyped(operands(argv, program), argv);
  for (const entry of COMMANDS) {
    const parent = entry.noun === undefined ? program : nounOf(program, entry.noun);
    if (typed.includes(entry)) (await entry.load())(parent, context);
    else parent.command(entry.verb, { hidden: entry.isHidden ?? false });
    parent.commands.at(-1)?.summary(entry.summary);
  }
  return program;
}

/** Whether a command prints text for people or shells: it needs no settings, and no output format. */
export function isPlain(command: Command): boolean {
  return COMMANDS.some((entry) => entry.isPlain && entry.noun === undefined && entry.verb === command.name());
}

function nounOf(program: Command, name: string): Command {
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
function findTyped(words: readonly string[], argv: readonly string[]): CommandEntry[] {
  const [first = '', second] = words;
  const single = COMMANDS.find((entry) => entry.noun === undefined && entry.verb === first);
  if (single !== undefined) return [single, ...(single.aboutCommands ? findTyped(words.slice(1), argv) : [])];
  const ofNoun = COMMANDS.filter((entry) => entry.noun !== undefined && entry.noun === first);
  // A word right behind the noun is meant for a verb, even where there is none of that name.
  const isAlone = second === undefined || argv[argv.indexOf(first) + 1] !== second;
  const typed =
    ofNoun.find((entry) => entry.verb === second) ?? (isAlone ? ofNoun.find((entry) => entry.isDefault) : undefined);
  return typed === undefined ? [] : [typed];
}

/** The words that are neither options nor values of global options. */
function operands(argv: readonly string[], program: Command): string[] {
  const found: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (!word.startsWith('-')) found.push(word);
    else if (program.options.some((option) => option.required && (option.long === word || option.short === word))) i++;
  }
  return found;
}
