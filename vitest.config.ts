import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { memoryFolder } from './test/helpers/memory-folder.ts';
import { skippedTestFiles } from './test/helpers/needed-programs.ts';

// Times for people are those of the machine's zone, which the tests fix.
process.env.TZ = 'UTC';
const memory = memoryFolder();
if (memory !== undefined) process.env.TMPDIR ??= memory;

const skipped = skippedTestFiles(process.env);
for (const { file, why } of skipped) process.stderr.write(`skipped: ${file}, because ${why}\n`);

/** Tests of the built program and its documentation, and of processes that compete or are killed. */
const E2E = ['test/{docs,e2e}/**/*.test.ts', 'test/commands/runs/{list,show}.test.ts'];

/**
 * Long runs of random cases, which `SEED` repeats, and of every command with every failure or every output. Projects run in the order of
 * their names, so these begin first: one of them takes a core for most of a run in CI, while end-to-end tests wait.
 */
const CASES = [
  'test/commands/{every-format,hostile-text}.test.ts',
  'test/{contract,failures}/**/*.test.ts',
  'test/import/send/{locked-tables,schedules}.test.ts',
];

/**
 * With the 1 MiB that Node.js starts with for young objects, collecting them takes a tenth of the computing of the tests. A process that
 * starts others is better small.
 */
const LARGE_HEAP = ['--min-semi-space-size=64', '--max-semi-space-size=64'];

const SETUP = ['test/helpers/seeded-random.ts'];
const exclude = [...configDefaults.exclude, ...skipped.map(({ file }) => file)];

/** Tests that need neither the build nor long. They share modules, because loading them takes longer than the tests. */
const UNIT = {
  name: 'unit',
  include: ['test/**/*.test.ts'],
  exclude: [...exclude, ...E2E, ...CASES],
  isolate: false,
  setupFiles: SETUP,
};

export default defineConfig({
  test: {
    testTimeout: 20_000,
    // A test without an expectation promises nothing.
    expect: { requireAssertions: true },
    // Two more than there are cores, because many end-to-end tests wait for a terminal or a clock.
    maxWorkers: availableParallelism() + 2,
    // More than the default of five: the tests that run at the same time in a file wait for the clock of a slow service.
    maxConcurrency: 10,
    // The three projects, and the next run, need not transform the same files again.
    experimental: { fsModuleCache: true },
    // Test names and assertions show long values in full.
    chaiConfig: { truncateThreshold: 0 },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      thresholds: { lines: 90 },
    },
    projects: [
      { extends: true, test: { ...UNIT, execArgv: LARGE_HEAP } },
      {
        extends: true,
        test: {
          name: 'cases',
          include: CASES,
          exclude,
          isolate: false,
          execArgv: LARGE_HEAP,
          setupFiles: SETUP,
          testTimeout: 60_000,
        },
      },
      { extends: true, test: { name: 'e2e', include: E2E, exclude, isolate: false } },
    ],
  },
});
