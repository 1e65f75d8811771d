import type { ZodMiniType } from 'zod/mini';

/**
 * What has a JSON Schema: the commands with JSON output by their words, and `error`. A new command is a line here;
 * listing them loads none.
 */
export const SCHEMAS: Readonly<Record<string, () => Promise<ZodMiniType>>> = {
  'role update': async () => (await import('./role.ts')).roleUpdateOutput,
  'people bulk-add': async () => (await import('./people.ts')).bulkAddOutput,
  'people template': async () => (await import('./people.ts')).templateOutput,
  'domain status': async () => (await import('./domain.ts')).domainStatusOutput,
  'findings list': async () => (await import('./findings.ts')).findingsListOutput,
  'auth login': async () => (await import('./auth.ts')).authLoginOutput,
  'auth status': async () => (await import('./auth.ts')).authStatusOutput,
  'auth logout': async () => (await import('./auth.ts')).authLogoutOutput,
  'config list': async () => (await import('./config.ts')).configListOutput,
  'config get': async () => (await import('./config.ts')).configGetOutput,
  'config path': async () => (await import('./config.ts')).configPathOutput,
  'sandbox serve': async () => (await import('./sandbox.ts')).sandboxServeOutput,
  error: async () => (await import('./error.ts')).errorOutput,
};
