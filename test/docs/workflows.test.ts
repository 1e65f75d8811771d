import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('CI', () => {
  it('runs the two commands of the README', () => {
    const commands = [...readFileSync('.ci/run', 'utf8').matchAll(/^\((npm ci && .*)\)$/gm)].map(([, line]) => line);
    expect(commands).toHaveLength(2);
    const readme = readFileSync('README.md', 'utf8');
    expect(commands.filter((command) => !readme.includes(command ?? ''))).toEqual([]);
  });

  it.each(['.github/workflows/ci.yml', 'test/helpers/needed-programs.ts', 'vitest.config.ts'])(
    'names test files that exist: %s',
    (file) => {
      const named = readFileSync(file, 'utf8').match(/\btest\/[\w./-]+\.test\.ts\b/g) ?? [];
      expect(named).not.toEqual([]);
      expect(named.filter((path) => !existsSync(path))).toEqual([]);
    },
  );
});
