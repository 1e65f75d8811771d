import { runCommand } from './run-command.ts';

/** The JSON Schemas that `orgadm schema` prints, by file name: `people-bulk-add.json`. */
export async function renderSchemaFiles(): Promise<Map<string, string>> {
  const names = JSON.parse(await runCommand(['schema', '--json'])) as string[];
  const files = names.map(
    async (name) => [`${name.replaceAll(' ', '-')}.json`, await runCommand(['schema', ...name.split(' ')])] as const,
  );
  return new Map(await Promise.all(files));
}
