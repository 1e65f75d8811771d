import { Argument, type Command } from 'commander';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { renderGlobalOptions } from './help-layout.ts';

const HELP = `
Examples:
  $ orgadm help people bulk-add
  $ orgadm help exit-codes
`;

/** Registers `help` under the program. */
export function registerHelp(program: Command, context: () => Context): void {
  const names = new Argument('[words...]', 'the words of a command, or a topic');
  names.argChoices = Object.keys(TOPICS);
  program
    .command('help')
    .description('Print the help of a command, or on a topic.')
    .addArgument(names)
    .addHelpText('after', HELP)
    .action((names: string[]) => runHelp(names, program, context()));
}

/** Prints the help that the words ask for. Throws UsageError, with the nearest name, for words that name nothing. */
export async function runHelp(names: readonly string[], program: Command, { output }: Context): Promise<void> {
  const [first = ''] = names;
  if (names.length === 1 && Object.hasOwn(TOPICS, first)) {
    return output.write(TOPICS[first]?.(program) ?? '');
  }
  (await findCommand(program, names)).outputHelp();
}

async function findCommand(program: Command, names: readonly string[]): Promise<Command> {
  let command = program;
  for (const word of names) {
    const names = command.commands.map((sub) => sub.name());
    const next = command.commands.find((sub) => sub.name() === word);
    if (next === undefined) throw await unknown(word, command === program ? [...names, ...Object.keys(TOPICS)] : names);
    command = next;
  }
  return command;
}

async function unknown(word: string, known: readonly string[]): Promise<UsageError> {
  const { suggest } = await import('../../util/suggest.ts');
  const near = suggest(word, known);
  return new UsageError(
    `no help on "${word}"`,
    near === undefined ? 'orgadm --help lists the commands.' : `Did you mean ${near}?`,
  );
}

const OUTPUT = `Standard output is data; standard error is talk: progress, notes, hints,
warnings and errors.

Formats (-o, --output):
  table   for people; piped, it is plain text that is neither cut nor coloured
  json    one JSON document or nothing, with every field that the service gave
  ndjson  one JSON value a line: a list of any size in constant memory
  csv     for spreadsheets; a cell that would run as a formula gets a ' before it

An error under json and ndjson is one line of JSON on standard error:
  {"error":{"code","message","hint","status","requestId"}}

Filters:
  --jq <filter>     gives the JSON document to jq 1.8 and prints what it makes of
                    it. It means -o json; with -o ndjson each line is a document
                    of its own, and the results stand one a line.
  -r, --raw-output  prints texts without quotes.
  What is no jq is refused before anything is sent (exit 2); a filter that fails
  on the answer exits 1. It sees the document as a whole: for a report of a
  million rows take -o ndjson.

Schemas:
  orgadm schema <command> prints the JSON Schema of a command's JSON output.

Examples:
  $ orgadm findings list --task tsk_0001 --jq '.[] | {id, severity}' --sandbox
  $ orgadm findings list --scope people -o ndjson --jq '.id' -r --sandbox
  $ orgadm domain status pending.example.com --jq .ready --sandbox
`;

const ENVIRONMENT = `A flag beats the environment, which beats the profile; a profile named by
--profile ranks as a flag. Nothing is read from the current directory that is
not named.

The service and its key:
  ORGADM_API_KEY       the API key (else --key-file, or orgadm auth login)
  ORGADM_BASE_URL      the service, as --base-url
  ORGADM_PROFILE       the profile, as --profile
  HTTP_PROXY, HTTPS_PROXY, NO_PROXY   proxies, also in lower case
  NODE_EXTRA_CA_CERTS  a PEM file whose certificates to trust

How the tool works:
  ORGADM_OUTPUT        the output format, as --output
  ORGADM_TIMEOUT       as --timeout
  ORGADM_RETRIES       as --retries
  NO_COLOR             no colour
  FORCE_COLOR          colour also where there is no terminal

Places:
  ORGADM_CONFIG_DIR    profiles and keys (default: ~/.config/orgadm)
  ORGADM_STATE_DIR     journals, the sandbox (default: ~/.local/state/orgadm)
  XDG_CONFIG_HOME and XDG_STATE_HOME come before these defaults; relative paths in
  them and in XDG_CACHE_HOME are ignored, as the XDG specification says.
  XDG_CACHE_HOME       Node's compiled code of the tool, from Node 22 on (default:
                       ~/.cache; NODE_DISABLE_COMPILE_CACHE=1 keeps none)
`;

const EXIT_CODES = `  0  done, all of it
  1  the service refused, or answered something that cannot be understood
  2  wrong usage or invalid input; nothing was sent
  3  completed, but not all of it as asked: rows not added, of unknown outcome or
     possibly doubled; a role stored otherwise than it was sent
  4  no key, or the key was rejected or lacks permission
  5  not found
  6  the service cannot be reached, or kept failing or limiting after retries
  7  the domain is not ready
  130, 143, 129  interrupted by SIGINT, SIGTERM, SIGHUP
`;

/** The topics of `orgadm help <topic>`, by name. */
const TOPICS: Readonly<Record<string, (program: Command) => string>> = {
  options: renderGlobalOptions,
  output: () => OUTPUT,
  environment: () => ENVIRONMENT,
  'exit-codes': () => EXIT_CODES,
};
