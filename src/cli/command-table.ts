import type { Command } from 'commander';
import type { Context } from '../commands/command-context.ts';

/** Registers the arguments, options, help and action of a command. */
export type RegisterCommand = (command: Command, context: () => Context) => void;

export interface CommandEntry {
  /** Undefined for a command without a noun: `orgadm api`. */
  readonly noun?: string;
  readonly verb: string;
  /** For the help of the program or the noun, and the description of the command unless it sets a longer one. */
  readonly summary: string;
  /** Prints text for people or shells in every output format, and works with invalid settings. */
  readonly ignoresOutputFormat?: boolean;
  /** Runs even if orgadm cannot read the configuration file, which may set the output format. */
  readonly toleratesBrokenConfig?: boolean;
  /** Not listed in help. */
  readonly isHidden?: boolean;
  /** Accepts empty words, and options without their values. */
  readonly isUnchecked?: boolean;
  load(): Promise<RegisterCommand>;
}

/**
 * Every command of the tool. Only the one that was typed is loaded, so start-up time does not depend on their number;
 * the top-level help needs nothing but this table.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    noun: 'role',
    verb: 'update',
    summary: 'Change the name, permissions, or obligations of a custom role',
    load: async () => (await import('../commands/role/update.ts')).registerRoleUpdate,
  },
  {
    noun: 'people',
    verb: 'bulk-add',
    summary: 'Import members from a file and report the outcome of every row',
    load: async () => (await import('../commands/people/bulk-add.ts')).registerPeopleBulkAdd,
  },
  {
    noun: 'people',
    verb: 'template',
    summary: 'Print an example member list',
    load: async () => (await import('../commands/people/template.ts')).registerPeopleTemplate,
  },
  {
    noun: 'runs',
    verb: 'list',
    summary: 'List import runs and the commands that continue them',
    load: async () => (await import('../commands/runs/list.ts')).registerRunsList,
  },
  {
    noun: 'runs',
    verb: 'show',
    summary: 'Print the report of an import run again',
    load: async () => (await import('../commands/runs/show.ts')).registerRunsShow,
  },
  {
    noun: 'runs',
    verb: 'resume',
    summary: 'Continue an unfinished import run',
    load: async () => (await import('../commands/runs/resume.ts')).registerRunsResume,
  },
  {
    noun: 'domain',
    verb: 'status',
    summary: 'Show whether trust-portal domains are ready, and the DNS records they need',
    load: async () => (await import('../commands/domain/status.ts')).registerDomainStatus,
  },
  {
    noun: 'findings',
    verb: 'list',
    summary: 'List the findings of a task, submission, form type, or scope',
    load: async () => (await import('../commands/findings/list.ts')).registerFindingsList,
  },
  {
    noun: 'auth',
    verb: 'login',
    summary: 'Store the base URL and API key of a profile',
    load: async () => (await import('../commands/auth/login.ts')).registerAuthLogin,
  },
  {
    noun: 'auth',
    verb: 'status',
    summary: 'Show the service and key of a profile, and whether the service accepts the key',
    load: async () => (await import('../commands/auth/status.ts')).registerAuthStatus,
  },
  {
    noun: 'auth',
    verb: 'logout',
    summary: 'Remove the stored API key of a profile',
    load: async () => (await import('../commands/auth/logout.ts')).registerAuthLogout,
  },
  {
    noun: 'config',
    verb: 'list',
    summary: 'List the settings of all profiles',
    load: async () => (await import('../commands/config/list.ts')).registerConfigList,
  },
  {
    noun: 'config',
    verb: 'set',
    summary: 'Set the value of a setting',
    load: async () => (await import('../commands/config/set.ts')).registerConfigSet,
  },
  {
    noun: 'config',
    verb: 'unset',
    summary: 'Remove settings from a profile',
    load: async () => (await import('../commands/config/unset.ts')).registerConfigUnset,
  },
  {
    noun: 'sandbox',
    verb: 'serve',
    summary: 'Run a sandbox service on this machine',
    load: async () => (await import('../commands/sandbox/serve.ts')).registerSandboxServe,
  },
  {
    noun: 'sandbox',
    verb: 'reset',
    summary: 'Reset the state of the sandbox',
    load: async () => (await import('../commands/sandbox/reset.ts')).registerSandboxReset,
  },
  {
    verb: 'doctor',
    summary: 'Check the configuration, the key, and the service',
    toleratesBrokenConfig: true,
    load: async () => (await import('../commands/doctor/doctor.ts')).registerDoctor,
  },
  {
    verb: 'api',
    summary: 'Send any other request to the service',
    load: async () => (await import('../commands/api/api.ts')).registerApi,
  },
  {
    verb: 'schema',
    summary: "Print the JSON Schema of a command's output",
    load: async () => (await import('../commands/schema/schema.ts')).registerSchema,
  },
  {
    verb: 'completion',
    summary: 'Print a completion script for bash, zsh, or fish',
    ignoresOutputFormat: true,
    load: async () => (await import('../commands/completion/completion.ts')).registerCompletion,
  },
  {
    verb: '__complete',
    summary: 'Print completion candidates',
    ignoresOutputFormat: true,
    isHidden: true,
    isUnchecked: true,
    load: async () => (await import('./complete.ts')).registerComplete,
  },
  {
    verb: 'version',
    summary: 'Print the versions of orgadm and Node.js',
    toleratesBrokenConfig: true,
    isHidden: true,
    load: async () => (await import('../commands/version/version.ts')).registerVersion,
  },
  {
    verb: 'help',
    summary: 'Show help for a command or a topic',
    ignoresOutputFormat: true,
    load: async () => (await import('./help.ts')).registerHelp,
  },
];

/** Summaries of the nouns. */
export const NOUNS: Readonly<Record<string, string>> = {
  role: 'Manage custom roles',
  people: 'Manage the people of the organization',
  runs: 'Manage import runs',
  domain: 'Check trust-portal domains',
  findings: 'List findings',
  auth: 'Manage API keys',
  config: 'Manage profiles and settings',
  sandbox: 'Run a sandbox service to try things out or test against',
};
