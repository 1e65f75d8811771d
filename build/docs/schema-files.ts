import { runCommand } from './run-command.ts';

/** The JSON Schemas that `orgadm schema` prints, by file name: `people-bulk-add.json`. */
export async function renderSchemaFiles(): Promise<Map<string, string>> {
  const { schemas } = JSON.parse(await runCommand(['schema', '--json'])) as { schemas: string[] };
  const files = schemas.map(
    async (name) => [`${name.replaceAll(' ', '-')}.json`, await runCommand(['schema', ...name.split(' ')])] as const,
  );
  return new Map(await Promise.all(files));
}
