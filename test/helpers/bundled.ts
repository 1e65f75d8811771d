import { basename, join } from 'node:path';
import { build } from 'rolldown';

/**
 * Puts a module and all that it imports into one file, for a process of its own: Node 20 runs no TypeScript.
 *
 * @param path from the root of the repository
 * @param folder where the file is put
 * @returns the path of the file
 */
export async function bundled(path: string, folder: string): Promise<string> {
  const file = join(folder, `${basename(path)}.mjs`);
  await build({ input: path, platform: 'node', logLevel: 'silent', output: { file } });
  return file;
}
