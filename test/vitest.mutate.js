import { configDefaults, defineConfig } from 'vitest/config';
import { UNIT } from '../vitest.config.ts';
import { chosenAreas } from './mutation-areas.js';

// Few random schedules are enough for most mutants, and each mutant runs them again.
process.env.SCHEDULES ??= '40';

/** Runs the tests next to the mutated code alone. Stryker selects those that cover a mutant. */
export default defineConfig({
  test: {
    ...UNIT,
    include: chosenAreas.flatMap(({ tests }) => tests),
    exclude: configDefaults.exclude,
    setupFiles: [...UNIT.setupFiles, 'test/load-mutated.js'],
    testTimeout: 20_000,
  },
});
