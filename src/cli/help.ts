import { Argument } from 'commander';
import type { Context } from '../commands/command-context.ts';
import type { HelpBlock, HelpText, OrgadmCommand } from '../commands/orgadm-command.ts';
import { SETTING_NAMES, type SettingName, settingOf } from '../config/settings.ts';
import { ERROR_CODES, UsageError } from '../util/errors.ts';
import { helpColumns, printHelp, renderBlocks } from './help-text.ts';

const HELP: HelpText = {
  examples: ['orgadm help people bulk-add', 'orgadm help exit-codes'],
};

/** Registers `help`. */
export default function registerHelp(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  const words = new Argument('[words...]', 'a command or a topic');
  words.argChoices = Object.keys(TOPICS);
  command.addArgument(words).action((names: string[]) => runHelp(names, command, context()));
}

/** Prints the help of a command, or a topic. Throws UsageError for anything else. */
async function runHelp(
  words: readonly string[],
  { parent: program }: OrgadmCommand,
  { output, host }: Context,
): Promise<void> {
  if (program === null) return;
  const named = await findCommand(program, words);
  if (named !== undefined) return named.outputHelp();
  const name = words.join(' ');
  const topic = Object.hasOwn(TOPICS, name) ? TOPICS[name] : undefined;
  if (topic !== undefined) return printHelp(renderBlocks(topic, helpColumns(host)), output);
  throw new UsageError(
    `unknown command or topic "${name}"`,
    `Run orgadm --help for the commands. The topics are ${Object.keys(TOPICS).join(', ')}.`,
  );
}

/**
 * Returns the command that these words name, with its arguments and options: `people`, `bulk-add`.
 *
 * @param from the command that the first word is below
 * @returns undefined if a word names no command
 */
export async function findCommand(from: OrgadmCommand, words: readonly string[]): Promise<OrgadmCommand | undefined> {
  let command: OrgadmCommand | undefined = from;
  for (const word of words) command = command?.commands.find((sub) => sub.name() === word);
  await command?.load();
  return command;
}

const OUTPUT: readonly HelpBlock[] = [
  'Data goes to standard output, in the format that -o or --output names. ' +
    'Progress, notes, hints, warnings, and errors go to standard error.',
  {
    heading: 'Formats',
    items: {
      table: 'for people; when piped, plain text that is never truncated or colored',
      json: 'one JSON document or nothing, with every field that the service sent',
      ndjson: 'one JSON value per line: a list of any size in constant memory',
      csv: "for spreadsheets; orgadm puts a ' before cells that would run as a formula",
    },
  },
  'With json and ndjson, an error is one line of JSON on standard error:',
  { lines: ['{"error":{"code","message","hint","status","requestId"}}'] },
  {
    heading: 'Filters',
    items: {
      '--jq <filter>':
        'filters the JSON document with jq 1.8. It implies -o json. ' +
        'With -o ndjson, it filters each line, and prints each result on one line.',
      '-r, --raw-output': 'prints strings without quotes.',
    },
  },
  'If the filter is invalid, orgadm exits 2 and sends nothing. If it fails on the response, orgadm exits 1. ' +
    'The filter holds the entire document in memory, so use -o ndjson for large reports.',
  {
    heading: 'Examples',
    lines: [
      "$ orgadm findings list --task tsk_0001 --jq '.[] | {id, severity}' --sandbox",
      "$ orgadm findings list --scope people -o ndjson --jq '.id' -r --sandbox",
      "$ orgadm domain status pending.example.com --jq '.[].state' --sandbox",
    ],
  },
  { heading: 'Error codes', items: ERROR_CODES },
];

const ENVIRONMENT: readonly HelpBlock[] = [
  'orgadm checks these places in order and uses the first value it finds: ' +
    'an option, the profile that --profile names, the environment, and the profile that ORGADM_PROFILE names, ' +
    'otherwise "default".',
  'orgadm sends the key of a profile only to the base URL of that profile, and never chooses between two keys: ' +
    'it exits 2 if ORGADM_API_KEY is set and the base URL belongs to a profile that also has a key. ' +
    '--key-file comes before any other key. orgadm reads files in the current directory only if you name them. ' +
    'Any other variable whose name begins with ORGADM_ is an error.',
  {
    heading: 'Service and key',
    items: {
      ORGADM_API_KEY: 'the API key',
      ORGADM_BASE_URL: 'the address of the service (--base-url)',
      ORGADM_PROFILE: 'the profile (--profile)',
      HTTPS_PROXY: 'the proxy; also HTTP_PROXY and NO_PROXY, and in lower case',
      NODE_EXTRA_CA_CERTS: 'PEM file with additional certificates to trust',
    },
  },
  {
    heading: 'Behavior',
    items: {
      ORGADM_OUTPUT: 'the output format (--output)',
      ORGADM_TIMEOUT: 'the timeout (--timeout)',
      ORGADM_RETRIES: 'the number of retries (--retries)',
      ORGADM_NO_INPUT: 'true: never prompt (--no-input)',
      NO_COLOR: 'no color, no animation, prompts without cursor movements (--no-color)',
      FORCE_COLOR: 'color even without a terminal',
      CI: 'true: as without a terminal, so orgadm never prompts and needs no --yes',
    },
  },
  {
    heading: 'Files',
    items: {
      ORGADM_CONFIG_DIR: 'profiles and keys (default: ~/.config/orgadm)',
      ORGADM_STATE_DIR: 'journals, the sandbox (default: ~/.local/state/orgadm)',
    },
  },
  'XDG_CONFIG_HOME and XDG_STATE_HOME replace ~/.config and ~/.local/state. ' +
    'orgadm ignores relative paths in the XDG variables, as their specification requires.',
];

const SETTINGS_TOPIC: readonly HelpBlock[] = [
  'orgadm config set stores these in a profile. If the profile has a base-url, they hold only for that service. ' +
    'orgadm config list shows the value of each, and where it comes from.',
  { items: describeSettings((name) => !name.startsWith('wire.')) },
  {
    heading: 'How your service names things',
    items: describeSettings((name) => name.startsWith('wire.')),
  },
];

function describeSettings(isListed: (name: SettingName) => boolean): Record<string, string> {
  return Object.fromEntries(
    SETTING_NAMES.filter(isListed).map((name) => {
      const { description, default: standard } = settingOf(name);
      const note = standard === undefined || typeof standard === 'object' ? '' : ` (default: ${standard})`;
      return [name, `${description}${note}`];
    }),
  );
}

const EXIT_CODES: readonly HelpBlock[] = [
  {
    items: {
      0: 'success',
      1:
        'the service rejected the request or sent an unusable response; a local failure (disk, output) after ' +
        'sending began',
      2: 'invalid usage or input; nothing was sent',
      3:
        'partly completed: rows were not added, have an unknown outcome, or may have been added twice; or ' +
        'the service stored something other than what orgadm sent',
      4: 'API key missing, rejected, or without permission',
      5: 'not found',
      6: 'the service is unreachable, or still failing or rate limiting after retries',
      7: 'a check did not pass: a domain is not ready (--wait, --exit-status), or findings remain (--exit-status)',
      129: 'interrupted by SIGHUP',
      130: 'interrupted by SIGINT',
      143: 'interrupted by SIGTERM',
    },
  },
];

/** The topics of `orgadm help <topic>`, by name. */
export const TOPICS: Readonly<Record<string, readonly HelpBlock[]>> = {
  environment: ENVIRONMENT,
  settings: SETTINGS_TOPIC,
  output: OUTPUT,
  'exit-codes': EXIT_CODES,
};
