import type { CommandEntry } from '../commands/orgadm-command.ts';

/**
 * Every command of the tool. Only the one that was typed is loaded, so start-up time does not depend on their number;
 * the top-level help needs nothing but this table.
 */
// biome-ignore format: a table
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'role update', summary: 'Change the name, permissions, or obligations of a custom role', load: () => import('../commands/role/update.ts') },
  { name: 'people bulk-add', summary: 'Import members from a file and report the outcome of every row', load: () => import('../commands/people/bulk-add.ts') },
  { name: 'people template', summary: 'Print an example member list', load: () => import('../commands/people/template.ts') },
  { name: 'runs list', summary: 'List import runs and the commands that continue them', load: () => import('../commands/runs/list.ts') },
  { name: 'runs show', summary: 'Print the report of an import run again', load: () => import('../commands/runs/show.ts') },
  { name: 'runs resume', summary: 'Continue an unfinished import run', load: () => import('../commands/runs/resume.ts') },
  { name: 'domain status', summary: 'Show whether trust-portal domains are ready, and the DNS records they need', load: () => import('../commands/domain/status.ts') },
  { name: 'findings list', summary: 'List the findings of a task, submission, form type, or scope', load: () => import('../commands/findings/list.ts') },
  { name: 'auth login', summary: 'Store the base URL and API key of a profile', load: () => import('../commands/auth/login.ts') },
  { name: 'auth status', summary: 'Check which service and key orgadm uses, and whether the service accepts the key', load: () => import('../commands/auth/status.ts') },
  { name: 'auth logout', summary: 'Remove the stored API key of a profile', load: () => import('../commands/auth/logout.ts') },
  { name: 'config list', summary: 'List every setting, its value, and where it comes from', load: () => import('../commands/config/list.ts') },
  { name: 'config set', summary: 'Set the value of a setting', load: () => import('../commands/config/set.ts') },
  { name: 'config unset', summary: 'Remove settings from a profile', load: () => import('../commands/config/unset.ts') },
  { name: 'sandbox serve', summary: 'Run a sandbox service on this machine', load: () => import('../commands/sandbox/serve.ts') },
  { name: 'sandbox reset', summary: 'Reset the state of the sandbox', load: () => import('../commands/sandbox/reset.ts') },
  { name: 'api', summary: 'Send any other request to the service', load: () => import('../commands/api/api.ts') },
  { name: 'completion', summary: 'Print a completion script for bash, zsh, or fish', load: () => import('../commands/completion/completion.ts'), ignoresOutputFormat: true },
  { name: 'help', summary: 'Show help for a command or a topic', load: () => import('./help.ts'), ignoresOutputFormat: true },
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
