import { Argument } from 'commander';
import type { ZodMiniType } from 'zod/mini';
import { renderJson } from '../../output/json.ts';
import { namesOf, printRecords, recordOf } from '../../output/print-records.ts';
import { UsageError } from '../../util/errors.ts';
import type { Context } from '../command-context.ts';
import type { HelpText, OrgadmCommand } from '../orgadm-command.ts';

/**
 * The schemas of the documents that other programs read. Each stands next to its command; listing them loads none. `runs show`
 * and `runs resume` print the document of `people bulk-add`.
 */
const SCHEMAS: Readonly<Record<string, () => Promise<ZodMiniType>>> = {
  'role update': async () => (await import('../role/role-output.ts')).roleUpdateOutput,
  'people bulk-add': async () => (await import('../import/report/document.ts')).importReportOutput,
  'runs list': async () => (await import('../runs/runs-output.ts')).runsListOutput,
  'domain status': async () => (await import('../domain/domain-output.ts')).domainStatusOutput,
  'findings list': async () => (await import('../findings/findings-output.ts')).findingsListOutput,
  error: async () => (await import('../error-output.ts')).errorOutput,
};

const NAMES = Object.keys(SCHEMAS);

const SAME_DOCUMENT: Readonly<Record<string, string>> = {
  'runs show': 'people bulk-add',
  'runs resume': 'people bulk-add',
};

const HELP: HelpText = {
  examples: [
    'orgadm schema',
    'orgadm schema people bulk-add',
    'orgadm schema error',
    "orgadm schema domain status --jq '.items.anyOf[0].properties | keys'",
  ],
  notes: [
    'The schemas are JSON Schema 2020-12. Objects may have more fields than their schema lists. ' +
      'Without an argument, orgadm lists the documents that have a schema. ' +
      'runs show and runs resume print the document of people bulk-add. ' +
      'The help of the other commands describes their JSON.',
    'JSON output: the schema. Without an argument, an array of names.',
  ],
};

/** Registers `schema` under the program. */
export default function registerSchema(command: OrgadmCommand, context: () => Context): void {
  command.helpText = HELP;
  const names = new Argument('[command...]', 'a command, or "error"');
  names.argChoices = NAMES;
  command
    .description("Print the JSON Schema of a command's JSON output, or of an error.")
    .addArgument(names)
    .action((names: string[]) => runSchema(names.join(' '), context()));
}

/** Prints a schema, or without a name the names of all. Throws UsageError, with the names, for any other name. */
async function runSchema(given: string, { output }: Context): Promise<void> {
  if (given === '') return printRecords(namesOf(NAMES), output);
  const name = Object.hasOwn(SAME_DOCUMENT, given) ? SAME_DOCUMENT[given] : given;
  const load = name !== undefined && Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  if (name === undefined || load === undefined) {
    throw new UsageError(`no schema for "${given}"`, `There are schemas for: ${NAMES.join(', ')}.`);
  }
  const { renderSchema } = await import('./render-schema.ts');
  const document = renderSchema(name, await load());
  const code = renderJson(document).split('\n');
  await printRecords(
    recordOf(document, () => [{ code }]),
    output,
  );
}
