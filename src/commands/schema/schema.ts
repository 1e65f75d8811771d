import { Argument, type Command } from 'commander';
import type { ZodMiniType } from 'zod/mini';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import { setHelpText } from '../help-text.ts';

/**
 * JSON Schemas by command, for the commands with JSON output, of mapping files, and of errors. Add new commands here; listing them loads none.
 */
const SCHEMAS: Readonly<Record<string, () => Promise<ZodMiniType>>> = {
  'role update': async () => (await import('./output-schemas.ts')).roleUpdateOutput,
  'people bulk-add': async () => (await import('./output-schemas.ts')).bulkAddOutput,
  'runs list': async () => (await import('./output-schemas.ts')).runsListOutput,
  'runs show': async () => (await import('./output-schemas.ts')).bulkAddOutput,
  'runs remove': async () => (await import('./output-schemas.ts')).runsRemoveOutput,
  'people template': async () => (await import('./output-schemas.ts')).templateOutput,
  'domain status': async () => (await import('./output-schemas.ts')).domainStatusOutput,
  'findings list': async () => (await import('./output-schemas.ts')).findingsListOutput,
  'auth login': async () => (await import('./output-schemas.ts')).authLoginOutput,
  'auth status': async () => (await import('./output-schemas.ts')).authStatusOutput,
  'auth logout': async () => (await import('./output-schemas.ts')).authLogoutOutput,
  'config list': async () => (await import('./output-schemas.ts')).configListOutput,
  'config get': async () => (await import('./output-schemas.ts')).configGetOutput,
  'config path': async () => (await import('./output-schemas.ts')).configPathOutput,
  'sandbox serve': async () => (await import('./output-schemas.ts')).sandboxServeOutput,
  doctor: async () => (await import('./output-schemas.ts')).doctorOutput,
  mapping: async () => (await import('../people/mapping-file.ts')).mappingSchema,
  error: async () => (await import('./output-schemas.ts')).errorOutput,
};

const NAMES = Object.keys(SCHEMAS);

const HELP = `
The schemas are JSON Schema 2020-12. Data of the service may have more fields
than its schema. Without a command, the names of all schemas are printed, with
-o json as an array.

Examples:
  $ orgadm schema
  $ orgadm schema people bulk-add
  $ orgadm schema error
  $ orgadm schema domain status --jq '.items.anyOf[0].properties | keys'
`;

/** Registers `schema` under the program. */
export function registerSchema(command: Command, context: () => Context): void {
  setHelpText(command, HELP);
  const names = new Argument('[command...]', 'a command, "mapping" or "error"');
  names.argChoices = NAMES;
  command
    .description("Print the JSON Schema of a command's JSON output, or of an error.")
    .addArgument(names)
    .action((names: string[]) => runSchema(names, context()));
}

/** Prints a schema, or the names of all. Throws UsageError, with a suggestion, for an unknown name. */
export async function runSchema(names: readonly string[], { output }: Context): Promise<void> {
  const name = names.join(' ');
  if (name === '') return printNames(output);
  const load = Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (load === undefined) throw await unknownSchema(name);
  const { renderSchema } = await import('./output-schemas.ts');
  const document = renderSchema(name, await load());
  await (output.format === 'ndjson' ? output.ndjson(document) : output.json(document));
}

async function printNames(output: Context['output']): Promise<void> {
  switch (output.format) {
    case 'json':
      return output.json(NAMES);
    case 'ndjson':
      for (const name of NAMES) await output.ndjson(name);
      return;
    default:
      return output.write(NAMES.map((name) => `${name}\n`).join(''));
  }
}

async function unknownSchema(name: string): Promise<UsageError> {
  const { suggest } = await import('../../util/suggest.ts');
  const near = suggest(name, NAMES);
  return new UsageError(
    `there is no schema for "${name}"`,
    near === undefined ? 'Run orgadm schema to list them.' : `Did you mean "${near}"?`,
  );
}
