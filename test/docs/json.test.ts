import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { renderJsonPage } from '../../build/docs/json-page.ts';
import { JSON_RECIPES } from '../../build/docs/json-recipes.ts';
import { parseSchemas, readSchemas } from '../../build/docs/schema-files.ts';
import { readRecipes, runRecipe } from '../helpers/json-recipe.ts';

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

/** Where the recipe filters standard output of orgadm, the same with --jq. */
const withOption = recipes.flatMap(({ name, commands, output }) => {
  const piped = /^(.*orgadm .*) --json \| jq (-r )?('[^']*')(.*)$/.exec(commands.at(-1) ?? '');
  if (piped === null || piped[1]?.includes('2>&1')) return [];
  const [, command, raw = '', filter, rest] = piped;
  return { name, commands: [...commands.slice(0, -1), `${command} ${raw}--jq ${filter}${rest}`], output };
});

describe('a recipe of docs/json.md works with --jq', () => {
  it('unless it reads a file or standard error', () => {
    const names = recipes.map(({ name }) => name).filter((name) => !['mapping', 'error'].includes(name));
    expect(withOption.map(({ name }) => name)).toEqual(names);
  });

  it.each(withOption)(
    '$name',
    async ({ commands, output }) => {
      expect(await runRecipe(commands)).toBe(output);
    },
    30_000,
  );
});
