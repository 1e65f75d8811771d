import { mutatedParts } from './test/mutation-areas.js';

/**
 * Mutation tests of the code that decides about people's rows: `npm run mutate`, or for one area
 * `AREA=journal npm run mutate`.
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  // Without `related`, each mutant runs the tests that cover it without another walk through their imports.
  vitest: { configFile: 'test/vitest.mutate.js', related: false },
  coverageAnalysis: 'perTest',
  // Stryker would rewrite tsconfig.json with an API that TypeScript 7 does not have. Nothing here reads the file.
  tsconfigFile: 'none.json',
  mutate: mutatedParts,
  concurrency: 2,
  timeoutMS: 8_000,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['.stryker-tmp', 'coverage', 'reports', '*.tgz'],
  reporters: ['clear-text', 'progress', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: `reports/mutation-${process.env.AREA ?? 'all'}.json` },
  thresholds: { high: 90, low: 85, break: 85 },
};
