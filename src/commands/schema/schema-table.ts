import type { ZodMiniType } from 'zod/mini';

/**
 * What has a JSON Schema: the commands with JSON output by their words, and `error`. A new command is a line here;
 * listing them loads none.
 */
export const SCHEMAS: Readonly<Record<string, () => Promise<ZodMiniType>>> = {
  'role update': async () => (await import('./role-schemas.ts')).roleUpdateOutput,
  'people bulk-add': async () => (await import('./people-schemas.ts')).bulkAddOutput,
  'people template': async () => (await import('./people-schemas.ts')).templateOutput,
  'domain status': async () => (await import('./domain-schemas.ts')).domainStatusOutput,
  'findings list': async () => (await import('./findings-schemas.ts')).findingsListOutput,
  'auth login': async () => (await import('./auth-schemas.ts')).authLoginOutput,
  'auth status': async () => (await import('./auth-schemas.ts')).authStatusOutput,
  'auth logout': async () => (await import('./auth-schemas.ts')).authLogoutOutput,
  'config list': async () => (await import('./config-schemas.ts')).configListOutput,
  'config get': async () => (await import('./config-schemas.ts')).configGetOutput,
  'config path': async () => (await import('./config-schemas.ts')).configPathOutput,
  'sandbox serve': async () => (await import('./sandbox-schemas.ts')).sandboxServeOutput,
  error: async () => (await import('./output-schemas.ts')).errorOutput,
};
