import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const FROM = ['role', 'update', 'rol_1', '--dry-run', '--from'];

describe('a file of JSON', () => {
  it('may begin with a byte order mark', async () => {
    expect(await cli.sandbox([...FROM, '-'], { stdin: '\ufeff{"name":"QA"}' })).toMatchObject({ code: 0 });
  });

  it.each([
    ['{\n  "name": "QA",\n}', 'line 3, column 1: expected double-quoted property name'],
    ['{"key": "sk_secret', 'line 1, column 19: unterminated string'],
    ['{"a": 1}\n{', 'line 2, column 1: unexpected non-whitespace character after JSON'],
    ['', 'unexpected end of JSON input'],
  ])('is rejected with the line, the column, and the reason if it is not JSON: %j', async (stdin, reason) => {
    const { code, stderr } = await cli.sandbox([...FROM, '-'], { stdin });
    expect(code).toBe(2);
    expect(stderr.split('\n')[0]).toMatch(new RegExp(`^error: --from: .*: ${reason}$`));
  });

  it.each(['', ' '.repeat(50)])(
    'is rejected without repeating it, because it may hold keys, after %j',
    async (spaces) => {
      mkdirSync(cli.file('config'), { mode: 0o700 });
      const keys = `${spaces}{"apiKey": sk_secret_0123456789, "a": 1}`;
      writeFileSync(cli.file('config/credentials.json'), keys, { mode: 0o600 });
      const { code, stderr } = await cli.plain(['auth', 'status', '--debug']);
      expect(code).toBe(2);
      expect(stderr).toContain('credentials.json');
      expect(stderr).not.toContain('sk_secret');
    },
  );

  it('is not waited for if it is to come from a terminal', async () => {
    const result = await cli.sandbox([...FROM, '-'], { terminal: new MemoryTerminal([]) });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('standard input is a terminal') });
  });
});
