import { defineConfig } from 'vitest/config';
import { UNIT } from '../vitest.config.ts';

/** Runs the unit tests next to the mutated code alone. Stryker selects those that cover a mutant. */
export default defineConfig({
  test: { ...UNIT, include: ['test/{client,import}/**/*.test.ts'], testTimeout: 20_000 },
});
