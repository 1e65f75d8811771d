import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { renderJsonPage } from '../../build/docs/json-page.ts';
import { JSON_RECIPES } from '../../build/docs/json-recipes.ts';
import { parseSchemas, readSchemas } from '../../build/docs/schema-files.ts';
import { writeOrgadm } from '../helpers/orgadm-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const run = promisify(execFile);

/** A recipe of docs/json.md as printed. */
interface PrintedRecipe {
  /** The schema that it is about. */
  name: string;
  /** The lines behind `$`. */
  commands: readonly string[];
  /** The text after them. */
  output: string;
}

/** Returns the recipes of docs/json.md. */
function readRecipes(): PrintedRecipe[] {
  const page = readFileSync('docs/json.md', 'utf8');
  return [...page.matchAll(/^## (.+)\n[\s\S]*?^```console\n([\s\S]*?)^```$/gm)].map(([, name = '', block = '']) => {
    const lines = block.trimEnd().split('\n');
    const commands = lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2));
    const output = lines.slice(commands.length).map((line) => `${line}\n`);
    return { name, commands, output: output.join('') };
  });
}

/**
 * Runs the commands of a recipe with the built program, in a directory that has what docs/json.md says.
 *
 * @returns what they print on standard output
 */
async function runRecipe(commands: readonly string[]): Promise<string> {
  const folder = temporaryFolder();
  writeOrgadm(folder);
  cpSync('examples', join(folder, 'examples'), { recursive: true });
  const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder };
  return (await run('bash', ['-c', commands.join('\n')], { cwd: folder, env })).stdout;
}

const recipes = readRecipes();

describe('docs/json.md', () => {
  it('describes the current program (`npm run docs` rewrites it)', async () => {
    expect(renderJsonPage(parseSchemas(await readSchemas()))).toBe(readFileSync('docs/json.md', 'utf8'));
  });

  it('has a recipe for every schema', async () => {
    const names = [...(await readSchemas()).keys()];
    expect(recipes.map(({ name }) => name)).toEqual(names);
    expect(Object.keys(JSON_RECIPES).toSorted()).toEqual(names.toSorted());
  });
});

describe('a recipe of docs/json.md', () => {
  it.each(recipes)(
    'works as printed: $name',
    async ({ commands, output }) => {
      expect(await runRecipe(commands)).toBe(output);
    },
    30_000,
  );
});
