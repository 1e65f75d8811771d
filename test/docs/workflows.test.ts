import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

describe('CI', () => {
  it('runs the two commands of the README', () => {
    const commands = [...readFileSync('.ci/run', 'utf8').matchAll(/^\((npm ci && .*)\)$/gm)].map(([, line]) => line);
    expect(commands).toHaveLength(2);
    const readme = readFileSync('README.md', 'utf8');
    expect(commands.filter((command) => !readme.includes(command ?? ''))).toEqual([]);
  });

  it('names test files that exist', () => {
    const named = readFileSync('.github/workflows/ci.yml', 'utf8').match(/\btest\/\S+/g) ?? [];
    expect(named).toContain('test/main.test.ts');
    expect(named.filter((file) => !existsSync(file))).toEqual([]);
  });
});
