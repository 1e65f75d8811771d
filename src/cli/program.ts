import type { Command, CommanderError } from 'commander';
import type { Context } from '../commands/command-context.ts';
import { type CommandEntry, type HelpText, OrgadmCommand } from '../commands/orgadm-command.ts';
import { UsageError } from '../util/errors.ts';
import { VERSION } from '../util/package-version.ts';
import { COMMANDS, NOUNS } from './command-table.ts';
import { addGlobalOptions } from './global-options.ts';
import { CommandHelp, textAfterOptions } from './help-text.ts';

const HELP: HelpText = {
  examples: [
    '# Try it without an account',
    'orgadm people template > members.csv',
    'orgadm people bulk-add members.csv --sandbox',
  ],
  notes: ['Help topics: orgadm help environment | settings | output | exit-codes'],
};

export interface ProgramOptions {
  /** The words after the program's name. */
  words: readonly string[];
  /** The width of help. */
  columns: number;
  /** Receives a part of the page that a user requested instead of running a command: help, or the version. */
  show(text: string): void;
}

/**
 * Creates the command tree with the global options, and with every noun and verb by name and summary. The arguments and
 * options of a command are registered when Commander meets it.
 *
 * @param context returns the context; valid only once an action runs
 */
export function createProgram(options: ProgramOptions, context: () => Context): OrgadmCommand {
  const program = new OrgadmCommand('orgadm');
  program
    .description('Administer an organization: custom roles, people in bulk, trust-portal domains, and findings.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .configureOutput({
      writeOut: options.show,
      writeErr: options.show,
      outputError: () => {},
      getOutHelpWidth: () => options.columns,
      getErrHelpWidth: () => options.columns,
    });
  program.helpText = HELP;
  program.words = options.words;
  prepare(program, options);
  addGlobalOptions(program);
  for (const entry of COMMANDS) addCommand(program, entry, options, context);
  return program;
}

function addCommand(
  program: OrgadmCommand,
  entry: CommandEntry,
  options: ProgramOptions,
  context: () => Context,
): void {
  const [verb = '', noun] = entry.name.split(' ').reverse();
  const command = (noun === undefined ? program : findOrAddNoun(program, noun, options)).command(verb);
  command.summary(entry.summary).description(`${entry.summary}.`);
  prepare(command, options);
  command.entry = entry;
  let loading: Promise<void> | undefined;
  command.load = () => {
    loading ??= entry.load().then((file) => file.default(command, context));
    return loading;
  };
}

/** Makes a command show its page of help, throw the usage errors of orgadm, and load the commands below it. */
function prepare(command: OrgadmCommand, { columns }: ProgramOptions): void {
  command.createHelp = () => new CommandHelp();
  command
    .addHelpText('after', () => `\n${textAfterOptions(command, columns)}`)
    .helpCommand(false)
    .exitOverride((error) => {
      throw isHelp(error) ? error : toUsageError(error, command);
    })
    .hook('preSubcommand', async (_, next) => {
      await command.commands.find((one) => one === next)?.load();
    });
}

/** Whether Commander ends the command line because it has printed help or the version. */
function isHelp({ code, exitCode }: CommanderError): boolean {
  return exitCode === 0 || code === 'commander.help';
}

/** Returns the entry of the command table for a command that has an action. */
export function entryOf(command: Command): CommandEntry {
  const entry = command instanceof OrgadmCommand ? command.entry : undefined;
  if (entry === undefined) throw new Error(`${command.name()} is not in the command table`);
  return entry;
}

function findOrAddNoun(program: OrgadmCommand, name: string, options: ProgramOptions): OrgadmCommand {
  const existing = program.commands.find((command) => command.name() === name);
  if (existing !== undefined) return existing;
  const summary = NOUNS[name] ?? name;
  const noun = program.command(name).summary(summary).description(`${summary}.`);
  prepare(noun, options);
  return noun;
}

/**
 * Converts an error of Commander, which `command` reported. The value of an option that Commander does not know is left out,
 * because it may be a key: `--token=<key>`.
 */
function toUsageError({ code, message }: CommanderError, command: OrgadmCommand): UsageError {
  // `error: unknown option '--nmae=QA'\n(Did you mean --name?)`
  const [, text = '', suggestion] = /^error: (.*?)\.?(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const shown = code === 'commander.unknownOption' ? text.replace(/=.*/s, "'") : text;
  // The shell splits a value with spaces, so its second word becomes an argument.
  const quoting = code === 'commander.excessArguments' ? 'Put a value with spaces in quotes. ' : '';
  return new UsageError(shown, suggestion ?? `${quoting}See ${command.path} --help.`);
}
