import { Argument, type Command } from 'commander';
import type { ZodMiniType } from 'zod/mini';
import { renderJson } from '../../output/json.ts';
import { namesOf, printRecords } from '../../output/print-records.ts';
import { UsageError } from '../../util/errors.ts';
import { suggest } from '../../util/suggest.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../define-command.ts';

/**
 * The schemas of the commands with JSON output, of mapping files, and of errors. Each stands next to its command; listing
 * them loads none.
 */
const SCHEMAS: Readonly<Record<string, () => Promise<ZodMiniType>>> = {
  'role update': async () => (await import('../role/role-output.ts')).roleUpdateOutput,
  'people bulk-add': async () => (await import('../people/import-output.ts')).bulkAddOutput,
  'runs list': async () => (await import('../people/import-output.ts')).runsListOutput,
  'runs show': async () => (await import('../people/import-output.ts')).runsShowOutput,
  'people template': async () => (await import('../people/import-output.ts')).templateOutput,
  'domain status': async () => (await import('../domain/domain-output.ts')).domainStatusOutput,
  'findings list': async () => (await import('../findings/findings-output.ts')).findingsListOutput,
  'auth login': async () => (await import('../auth/auth-output.ts')).authLoginOutput,
  'auth status': async () => (await import('../auth/auth-output.ts')).authStatusOutput,
  'auth logout': async () => (await import('../auth/auth-output.ts')).authLogoutOutput,
  'config list': async () => (await import('../config/config-output.ts')).configListOutput,
  'config set': async () => (await import('../config/config-output.ts')).configSetOutput,
  'config unset': async () => (await import('../config/config-output.ts')).configUnsetOutput,
  'sandbox serve': async () => (await import('../sandbox/sandbox-output.ts')).sandboxServeOutput,
  'sandbox reset': async () => (await import('../sandbox/sandbox-output.ts')).sandboxResetOutput,
  version: async () => (await import('../version/version-output.ts')).versionOutput,
  schema: async () => (await import('./schema-output.ts')).schemaListOutput,
  doctor: async () => (await import('../doctor/doctor-output.ts')).doctorOutput,
  mapping: async () => (await import('../people/import-output.ts')).mappingFile,
  error: async () => (await import('../error-output.ts')).errorOutput,
};

const NAMES = Object.keys(SCHEMAS);

/** Grows when a field is removed or changes its type, or an enum loses a value. */
const SCHEMA_VERSION = 1;

const HELP = `
The schemas are JSON Schema 2020-12. Objects may have more fields than their
schema lists. --list prints the names of all schemas, and so does the command
without an argument. With -o json, it prints {"schemaVersion","schemas"}. The
version increases when orgadm removes a field or changes its type.

Examples:
  $ orgadm schema --list
  $ orgadm schema people bulk-add
  $ orgadm schema error
  $ orgadm schema domain status --jq '.items.anyOf[0].properties | keys'
`;

/** Registers `schema` under the program. */
export function registerSchema(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  const names = new Argument('[command...]', 'a command, "mapping", or "error"');
  names.argChoices = NAMES;
  command
    .description("Print the JSON Schema of a command's JSON output, of a mapping file, or of an error.")
    .addArgument(names)
    .option('--list', 'print the names of all schemas')
    .action((names: string[], { list = false }: { list?: boolean }) => runSchema(names, list, context()));
}

/** Prints a schema, or the names of all. Throws UsageError, with a suggestion, for an unknown name. */
export async function runSchema(names: readonly string[], list: boolean, { output }: Context): Promise<void> {
  const name = names.join(' ');
  if (list && name !== '') throw new UsageError('--list cannot be used with a command');
  if (name === '') {
    return printRecords({ ...namesOf(NAMES), json: () => ({ schemaVersion: SCHEMA_VERSION, schemas: NAMES }) }, output);
  }
  const load = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (load === undefined) throw unknownSchema(name);
  const { renderSchema } = await import('./render-schema.ts');
  const document = renderSchema(name, await load());
  const views = {
    json: () => document,
    ndjson: () => [document],
    csv: () => [
      ['name', 'schema'],
      [name, document],
    ],
    people: () => [{ code: renderJson(document).split('\n'), language: 'json' }],
  };
  await printRecords(views, output);
}

function unknownSchema(name: string): UsageError {
  const near = suggest(name, NAMES);
  return new UsageError(
    `no schema for "${name}"`,
    near === undefined ? 'Run orgadm schema to list them.' : `Did you mean "${near}"?`,
  );
}
