import { runCommand } from './run-command.ts';
import { type JsonSchema, renderDeclarations } from './schema-types.ts';

/** Returns the JSON Schemas that `orgadm schema` prints, by their names, as text. */
export async function readSchemas(): Promise<Map<string, string>> {
  const names = JSON.parse(await runCommand(['schema', '--json'])) as string[];
  const texts = names.map(async (name) => [name, await runCommand(['schema', ...name.split(' ')])] as const);
  return new Map(await Promise.all(texts));
}

/** Renders the files of the folder `schemas`, by name: `people-bulk-add.json`, …, and their types. */
export function renderSchemaFiles(schemas: ReadonlyMap<string, string>): Map<string, string> {
  const files = [...schemas].map(([name, text]) => [`${name.replaceAll(' ', '-')}.json`, text] as const);
  return new Map([...files, ['index.d.ts', renderDeclarations(parseSchemas(schemas))]]);
}

/** Parses the texts of schemas. */
export function parseSchemas(schemas: ReadonlyMap<string, string>): Map<string, JsonSchema> {
  return new Map([...schemas].map(([name, text]) => [name, JSON.parse(text) as JsonSchema]));
}
