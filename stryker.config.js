/**
 * Mutation tests of the code that decides about people's rows: `npm run mutate`, or for one file
 * `npm run mutate -- --mutate src/import/send/reconcile.ts`.
 */
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/vitest.mutate.ts' },
  coverageAnalysis: 'perTest',
  // Stryker would rewrite tsconfig.json with an API that TypeScript 7 does not have. Nothing here reads the file.
  tsconfigFile: 'none.json',
  mutate: [
    'src/import/send/**/*.ts',
    'src/client/**/retry*.ts',
    'src/import/journal/**/replay*.ts',
    'src/import/list/**/{entry-builder,duplicate-index,csv-columns,*-row-parser,row-parser}.ts',
  ],
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 20_000,
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['dist', 'coverage', 'reports', '*.tgz'],
  reporters: ['clear-text', 'progress', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: 'reports/mutation.json' },
  thresholds: { high: 90, low: 85, break: 85 },
};
