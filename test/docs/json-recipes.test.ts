import { describe, expect, it } from 'vitest';
import { readRecipes, runRecipe } from '../helpers/json-recipe.ts';

describe('a recipe of docs/json.md works as printed', () => {
  it.each(readRecipes())(
    '$name',
    async ({ commands, output }) => {
      expect(await runRecipe(commands)).toBe(output);
    },
    30_000,
  );
});
