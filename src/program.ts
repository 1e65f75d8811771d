import { Command, Option } from 'commander';
import type { Context } from './context.ts';
import { VERSION } from './version.ts';

/** Puts one command with its options and examples under `parent`. */
export type Register = (parent: Command, context: () => Context) => void;

export interface CommandEntry {
  readonly noun: string;
  readonly verb: string;
  readonly summary: string;
  /** The verb that the noun alone means. */
  readonly isDefault?: boolean;
  load(): Promise<Register>;
}

/**
 * Every command of the tool. Only the one that was typed is loaded, so that start-up stays small however many there
 * are; the help of the whole needs nothing but this table.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    noun: 'role',
    verb: 'update',
    summary: 'change the name, permissions or obligations of a custom role',
    load: async () => (await import('./commands/role/update.ts')).registerRoleUpdate,
  },
  {
    noun: 'people',
    verb: 'bulk-add',
    summary: 'add the people of a list to the organization, every row accounted for',
    load: async () => (await import('./commands/people/bulk-add.ts')).registerPeopleBulkAdd,
  },
  {
    noun: 'people',
    verb: 'template',
    summary: 'print a member list to start from',
    load: async () => (await import('./commands/people/template.ts')).registerPeopleTemplate,
  },
  {
    noun: 'domain',
    verb: 'status',
    summary: 'tell whether trust-portal domains are verified, and the DNS records they need',
    load: async () => (await import('./commands/domain/status.ts')).registerDomainStatus,
  },
  {
    noun: 'findings',
    verb: 'list',
    summary: 'list the findings of a task, a submission, a form type or a scope',
    load: async () => (await import('./commands/findings/list.ts')).registerFindingsList,
  },
  {
    noun: 'auth',
    verb: 'login',
    summary: 'store the base URL and the API key of a profile',
    load: async () => (await import('./commands/auth/login.ts')).registerAuthLogin,
  },
  {
    noun: 'auth',
    verb: 'status',
    summary: 'tell which service and key a profile uses, and whether the service takes the key',
    load: async () => (await import('./commands/auth/status.ts')).registerAuthStatus,
  },
  {
    noun: 'auth',
    verb: 'logout',
    summary: 'forget the API key of a profile',
    load: async () => (await import('./commands/auth/logout.ts')).registerAuthLogout,
  },
  {
    noun: 'config',
    verb: 'list',
    summary: 'list what the profiles set',
    load: async () => (await import('./commands/config/list.ts')).registerConfigList,
  },
  {
    noun: 'config',
    verb: 'get',
    summary: 'print what a profile sets a setting to',
    load: async () => (await import('./commands/config/get.ts')).registerConfigGet,
  },
  {
    noun: 'config',
    verb: 'set',
    summary: 'set a setting of a profile',
    load: async () => (await import('./commands/config/set.ts')).registerConfigSet,
  },
  {
    noun: 'config',
    verb: 'unset',
    summary: 'take settings out of a profile',
    load: async () => (await import('./commands/config/unset.ts')).registerConfigUnset,
  },
  {
    noun: 'config',
    verb: 'path',
    summary: 'print the path of the file that holds the settings',
    load: async () => (await import('./commands/config/path.ts')).registerConfigPath,
  },
  {
    noun: 'sandbox',
    verb: 'serve',
    summary: 'serve an embedded sandbox on loopback',
    isDefault: true,
    load: async () => (await import('./commands/sandbox/serve.ts')).registerSandboxServe,
  },
  {
    noun: 'sandbox',
    verb: 'reset',
    summary: "forget the sandbox's state",
    load: async () => (await import('./commands/sandbox/reset.ts')).registerSandboxReset,
  },
];

const NOUNS: Readonly<Record<string, string>> = {
  role: 'custom roles',
  people: 'people of the organization',
  domain: 'trust-portal domains',
  findings: 'findings',
  auth: 'the service and the key of a profile',
  config: 'settings of the profiles',
  sandbox: 'an embedded service to try and rehearse with',
};

const EXIT_CODES = `
Exit codes:
  0  done, all of it
  1  the service refused, or answered something that cannot be understood
  2  wrong usage or invalid input; nothing was sent
  3  bulk-add ran to its end, but some rows were not added, or their fate is unknown
  4  no key, or the key is refused or lacks the right
  5  not found
  6  the service cannot be reached, or kept failing or limiting after retries
  7  the domain is not ready
  130, 143, 129  interrupted by SIGINT, SIGTERM, SIGHUP

Environment:
  ORGADM_API_KEY, ORGADM_BASE_URL, ORGADM_PROFILE, ORGADM_OUTPUT, ORGADM_TIMEOUT, ORGADM_RETRIES,
  ORGADM_CONFIG_DIR, ORGADM_STATE_DIR, HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NO_COLOR, FORCE_COLOR
  A flag beats the environment, which beats the profile; a profile named by --profile ranks as a flag.

Try it without an account:
  $ orgadm people template > members.csv
  $ orgadm people bulk-add members.csv --sandbox
`;

/**
 * Builds the command tree for one command line: the root with its global options, every noun and verb by name, and
 * the typed command in full.
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
    .helpCommand(true)
    .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
    .addHelpText('after', EXIT_CODES);
  addGlobalOptions(program);

  const typed = findTyped(argv, program);
  const nouns = new Map<string, Command>();
  for (const entry of COMMANDS) {
    let noun = nouns.get(entry.noun);
    if (noun === undefined) {
      noun = program
        .command(entry.noun)
        .summary(NOUNS[entry.noun] ?? '')
        .description(describeNoun(entry.noun));
      nouns.set(entry.noun, noun);
    }
    if (entry === typed) (await entry.load())(noun, context);
    else noun.command(entry.verb, { isDefault: entry.isDefault ?? false }).description(entry.summary);
  }
  return program;
}

function describeNoun(noun: string): string {
  const text = NOUNS[noun] ?? noun;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function addGlobalOptions(program: Command): void {
  const group = 'Global options:';
  const add = (flags: string, description: string) => new Option(flags, description).helpGroup(group);
  const options = [
    add('--profile <name>', 'the profile whose service, key and settings to use (ORGADM_PROFILE; default: default)'),
    add('--base-url <url>', 'the service, a path prefix kept (ORGADM_BASE_URL)'),
    add('--sandbox', 'use the embedded sandbox: no account, no configuration'),
    add('--fault <faults>', 'make the sandbox difficult: reset=0.1,error500=0.05,limit=100/min,latency=200ms,seed=7'),
    add('--variant <points>', 'how the sandbox answers where services differ: index-base=1,batch-limit=100,…'),
    add(
      '--key-file <path>',
      'read the API key from a file, - for standard input (else ORGADM_API_KEY, else auth login)',
    ),
    add('-o, --output <format>', 'table, json, ndjson or csv (ORGADM_OUTPUT; default: table)'),
    add('--json', 'the same as -o json'),
    add('--raw-csv', 'csv without the quote that keeps spreadsheets from running a cell as a formula'),
    add('-q, --quiet', 'no progress, notes or hints on standard error'),
    add('-v, --verbose', 'one line a request on standard error'),
    add('--debug', 'headers and bodies on standard error, secrets out; stack traces'),
    add('--no-color', 'no colour (NO_COLOR)'),
    add('--timeout <duration>', "to the answer's headers, then the same without a byte (ORGADM_TIMEOUT; default: 30s)"),
    add('--retries <n>', 'further attempts after the first (ORGADM_RETRIES; default: 4)'),
    add('--ca-cert <file>', 'trust the certificates of this PEM file too'),
    add('--allow-http', 'plain http beyond loopback: the key travels in the clear'),
  ];
  for (const option of options) program.addOption(option);
}

/** The command that the words name: the first noun and verb among them that are not options or values of options. */
function findTyped(argv: readonly string[], program: Command): CommandEntry | undefined {
  const words = operands(argv, program);
  // `help people bulk-add` shows the help of that command.
  const [noun, verb] = words[0] === 'help' ? words.slice(1) : words;
  const ofNoun = COMMANDS.filter((entry) => entry.noun === noun);
  return ofNoun.find((entry) => entry.verb === verb) ?? ofNoun.find((entry) => entry.isDefault);
}

function operands(argv: readonly string[], program: Command): string[] {
  const found: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') return [...found, ...argv.slice(i + 1)];
    if (!word.startsWith('-')) found.push(word);
    else if (program.options.some((option) => option.required && (option.long === word || option.short === word))) i++;
  }
  return found;
}
