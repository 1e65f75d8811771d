import { configDefaults, defineConfig } from 'vitest/config';
import { skippedTestFiles } from './test/helpers/needed-programs.ts';

const out = skippedTestFiles(process.env);
for (const { file, why } of out) process.stderr.write(`left out: ${file}, for ${why}\n`);

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...out.map(({ file }) => file)],
    testTimeout: 20_000,
  },
});
