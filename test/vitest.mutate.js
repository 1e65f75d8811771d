import { defineConfig } from 'vitest/config';
import { UNIT } from '../vitest.config.ts';
import { chosenAreas } from './mutation-areas.js';

/** Runs the unit tests next to the mutated code alone. Stryker selects those that cover a mutant. */
export default defineConfig({
  test: { ...UNIT, include: chosenAreas.flatMap(({ tests }) => tests), testTimeout: 20_000 },
});
