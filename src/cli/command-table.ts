import type { Command } from 'commander';
import type { Context } from '../commands/command-context.ts';

/** Puts one command with its options and examples under `parent`. */
export type Register = (parent: Command, context: () => Context) => void;

export interface CommandEntry {
  /** Without it the command stands by itself: `orgadm api`. */
  readonly noun?: string;
  readonly verb: string;
  readonly summary: string;
  /** The verb that the noun alone means. */
  readonly isDefault?: boolean;
  /** Prints text for people or shells, whatever the output format; needs no settings, however wrong they are. */
  readonly ignoresOutputFormat?: boolean;
  /** Runs also if the configuration file, which may set the output format, cannot be read. */
  readonly toleratesBrokenConfig?: boolean;
  /** Left out of the help. */
  readonly isHidden?: boolean;
  /** Is followed by the words of another command, which it needs in full. */
  readonly takesCommandName?: boolean;
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
    load: async () => (await import('../commands/role/update.ts')).registerRoleUpdate,
  },
  {
    noun: 'people',
    verb: 'bulk-add',
    summary: 'add the people of a list to the organization, every row accounted for',
    load: async () => (await import('../commands/people/bulk-add.ts')).registerPeopleBulkAdd,
  },
  {
    noun: 'people',
    verb: 'template',
    summary: 'print a member list to start from',
    load: async () => (await import('../commands/people/template.ts')).registerPeopleTemplate,
  },
  {
    noun: 'domain',
    verb: 'status',
    summary: 'tell whether trust-portal domains are verified, and the DNS records they need',
    load: async () => (await import('../commands/domain/status.ts')).registerDomainStatus,
  },
  {
    noun: 'findings',
    verb: 'list',
    summary: 'list the findings of a task, a submission, a form type or a scope',
    load: async () => (await import('../commands/findings/list.ts')).registerFindingsList,
  },
  {
    noun: 'auth',
    verb: 'login',
    summary: 'store the base URL and the API key of a profile',
    load: async () => (await import('../commands/auth/login.ts')).registerAuthLogin,
  },
  {
    noun: 'auth',
    verb: 'status',
    summary: 'tell which service and key a profile uses, and whether the service takes the key',
    load: async () => (await import('../commands/auth/status.ts')).registerAuthStatus,
  },
  {
    noun: 'auth',
    verb: 'logout',
    summary: 'forget the API key of a profile',
    load: async () => (await import('../commands/auth/logout.ts')).registerAuthLogout,
  },
  {
    noun: 'config',
    verb: 'list',
    summary: 'list what the profiles set',
    load: async () => (await import('../commands/config/list.ts')).registerConfigList,
  },
  {
    noun: 'config',
    verb: 'get',
    summary: 'print what a profile sets a setting to',
    load: async () => (await import('../commands/config/get.ts')).registerConfigGet,
  },
  {
    noun: 'config',
    verb: 'set',
    summary: 'set a setting of a profile',
    load: async () => (await import('../commands/config/set.ts')).registerConfigSet,
  },
  {
    noun: 'config',
    verb: 'unset',
    summary: 'take settings out of a profile',
    load: async () => (await import('../commands/config/unset.ts')).registerConfigUnset,
  },
  {
    noun: 'config',
    verb: 'path',
    summary: 'print the path of the file that holds the settings',
    load: async () => (await import('../commands/config/path.ts')).registerConfigPath,
  },
  {
    noun: 'sandbox',
    verb: 'serve',
    summary: 'serve an embedded sandbox on loopback',
    isDefault: true,
    load: async () => (await import('../commands/sandbox/serve.ts')).registerSandboxServe,
  },
  {
    noun: 'sandbox',
    verb: 'reset',
    summary: "forget the sandbox's state",
    load: async () => (await import('../commands/sandbox/reset.ts')).registerSandboxReset,
  },
  {
    verb: 'doctor',
    summary: 'check the configuration, the network, the key and the service',
    toleratesBrokenConfig: true,
    load: async () => (await import('../commands/doctor/doctor.ts')).registerDoctor,
  },
  {
    verb: 'api',
    summary: 'any other request, with the same client',
    load: async () => (await import('../commands/api/api.ts')).registerApi,
  },
  {
    verb: 'schema',
    summary: "the JSON Schema of a command's JSON output",
    load: async () => (await import('../commands/schema/schema.ts')).registerSchema,
  },
  {
    verb: 'completion',
    summary: 'completion for bash, zsh, fish and PowerShell',
    ignoresOutputFormat: true,
    load: async () => (await import('../commands/completion/completion.ts')).registerCompletion,
  },
  {
    verb: '__complete',
    summary: 'what a completion script offers',
    ignoresOutputFormat: true,
    isHidden: true,
    takesCommandName: true,
    load: async () => (await import('../commands/completion/complete.ts')).registerComplete,
  },
  {
    verb: 'help',
    summary: 'help for a command, or on options, output, environment, exit-codes',
    ignoresOutputFormat: true,
    takesCommandName: true,
    load: async () => (await import('../commands/help/help.ts')).registerHelp,
  },
];

/** What each noun is about, for help. */
export const NOUNS: Readonly<Record<string, string>> = {
  role: 'custom roles',
  people: 'people of the organization',
  domain: 'trust-portal domains',
  findings: 'findings',
  auth: 'the service and the key of a profile',
  config: 'settings of the profiles',
  sandbox: 'an embedded service to try and rehearse with',
};
