import { Command, type CommanderError, Option } from 'commander';
import type { Context } from '../commands/command-context.ts';
import { setHelpText } from '../commands/define-command.ts';
import { OUTPUT_FORMATS } from '../output/output.ts';
import { UsageError } from '../util/errors.ts';
import { VERSION } from '../util/package-version.ts';
import { notAllowedError } from '../util/suggest.ts';
import { seeHelp, setLoader } from './command-line.ts';
import { COMMANDS, type CommandEntry, NOUNS } from './command-table.ts';
import { HELP_LAYOUT, renderUsage } from './help-layout.ts';

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

/** The options that every command accepts, by subject. */
const OPTION_GROUPS: Readonly<Record<string, readonly Option[]>> = {
  'Service options:': [
    new Option('--profile <name>', 'profile whose service, key and settings to use (ORGADM_PROFILE; default: default)'),
    new Option('--base-url <url>', 'address of the service, with its path prefix (ORGADM_BASE_URL)'),
    new Option(
      '--key-file <path>',
      'read the API key from a file, - for standard input (else ORGADM_API_KEY, else auth login)',
    ),
    new Option(
      '--timeout <duration>',
      'longest wait for a response, and then for each part of it (ORGADM_TIMEOUT; default: 30s)',
    ),
    new Option('--retries <n>', 'further attempts after the first (ORGADM_RETRIES; default: 4)'),
    new Option('--ca-cert <file>', 'additional certificates to trust, as a PEM file'),
    new Option('--allow-http', 'allow plain http beyond loopback: the key is sent unencrypted'),
  ],
  'Sandbox options:': [
    new Option('--sandbox', 'use the embedded sandbox: no account, no configuration').conflicts([
      'baseUrl',
      'keyFile',
      'caCert',
      'allowHttp',
    ]),
    new Option('--fault <faults>', 'inject faults: reset=0.1,limit=100/min,… (all: sandbox serve --help)'),
  ],
  'Output options:': [
    new Option('-o, --output <format>', 'output format (ORGADM_OUTPUT; default: table)').choices(OUTPUT_FORMATS),
    new Option('--json', 'same as -o json').implies({ output: 'json' }),
    new Option('--jq <filter>', 'filter the JSON output with a jq expression; implies -o json').implies({
      output: 'json',
    }),
    new Option('-r, --raw-output', 'with --jq: strings without quotes'),
    new Option('--raw-csv', 'csv without the quote that keeps spreadsheets from running a cell as a formula'),
    new Option('-q, --quiet', 'no progress, notes or hints on standard error'),
    new Option('-v, --verbose', 'one line per request on standard error'),
    new Option('--debug', 'headers and bodies on standard error, without secrets; stack traces'),
    new Option('--no-color', 'no color, no animation (NO_COLOR)'),
    new Option('--no-input', 'never prompt: fail and name the option to pass instead (ORGADM_NO_INPUT)'),
  ],
};

/** Adds the options that every command accepts to the program. */
function addGlobalOptions(program: Command): void {
  for (const [group, options] of Object.entries(OPTION_GROUPS)) {
    for (const option of options) program.addOption(option.helpGroup(group));
  }
}

/** Converts an error of Commander; undefined if it only showed help or the version. */
export function toUsageError({ exitCode, code, message }: CommanderError, command: Command): UsageError | undefined {
  if (exitCode === 0) return undefined;
  const text = message.replace(/^error: /, '');
  return invalidChoice(text) ?? conflict(text) ?? withHint(text, code, command);
}

/** `option '--scope <scope>' argument 'x' is invalid. Allowed choices are a, b.`, and the same for an argument. */
function invalidChoice(text: string): UsageError | undefined {
  const ofOption = /^option '(?:-\w, )?(--[\w-]+) .*' argument '(.*)' is invalid\. Allowed choices are (.*)\.$/s;
  const ofArgument = /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s;
  const [, flag, optionValue, choices] = ofOption.exec(text) ?? [];
  const [, argumentValue, argument, argumentChoices] = ofArgument.exec(text) ?? [];
  const name = flag ?? (argument === undefined ? undefined : `<${argument}>`);
  const value = optionValue ?? argumentValue;
  const allowed = (choices ?? argumentChoices)?.split(', ');
  if (name === undefined || value === undefined || allowed === undefined) return undefined;
  return notAllowedError(value, name, allowed);
}

/** `option '-a, --all' cannot be used with option '--task <id>'`. */
function conflict(text: string): UsageError | undefined {
  const [, first, second] = /^option '(.*)' cannot be used with option '(.*)'$/.exec(text) ?? [];
  if (first === undefined || second === undefined) return undefined;
  const long = (flags: string) => /--[\w-]+/.exec(flags)?.[0] ?? flags;
  return new UsageError(`${long(first)} cannot be used with ${long(second)}`);
}

/** Commander puts a suggestion on a line of its own, in parentheses. Otherwise, the hint is the usage or where the options are. */
function withHint(text: string, code: string, command: Command): UsageError {
  const [message = '', suggestion] = text.split('\n');
  if (suggestion !== undefined) return new UsageError(message, suggestion.replace(/^\((.*)\)$/, '$1'));
  const isAboutArguments = code === 'commander.missingArgument' || code === 'commander.excessArguments';
  return new UsageError(message, isAboutArguments ? `Usage: ${renderUsage(command)}` : seeHelp(command));
}
