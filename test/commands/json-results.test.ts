import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';

const cli = createCommandRunner();

describe('the result of a command', () => {
  it.each([
    { argv: ['config', 'set', 'retries', '7'], record: { profile: 'default', name: 'retries', value: 7 } },
    { argv: ['config', 'unset', 'retries'], record: { profile: 'default', removed: [] } },
    { argv: ['config', 'path'], record: {} },
    { argv: ['auth', 'logout'], record: { profile: 'default', removed: false } },
    { argv: ['sandbox', 'reset'], record: {} },
    { argv: ['version'], record: { version: expect.stringMatching(/^\d/) } },
  ])('is printed as JSON, as one line of ndjson, and as a row of csv: $argv', async ({ argv, record }) => {
    const json = await cli.plain([...argv, '--json']);
    expect(json.code).toBe(0);
    expect(json.json()).toMatchObject(record);
    const ndjson = await cli.plain([...argv, '-o', 'ndjson']);
    expect(ndjson.stdout).toBe(`${JSON.stringify(json.json())}\n`);
    const { stdout } = await cli.plain([...argv, '-o', 'csv']);
    expect(stdout.split('\n')).toHaveLength(3);
    expect(stdout.split('\n')[0]).toBe(Object.keys(json.json() as object).join(','));
  });

  it('has the format of the environment for version, even if the configuration cannot be read', async () => {
    const env = { ORGADM_OUTPUT: 'json' };
    expect((await cli.plain(['version'], { env })).json()).toEqual({ version: expect.any(String) });
    const broken = { ORGADM_PROFILE: '-' };
    expect(await cli.plain(['version'], { env: broken })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('a command that prints text', () => {
  const ZONE = ['domain', 'status', 'pending.example.com', '--zone'];

  it.each([[['completion', 'bash']], [ZONE]])('ignores the format of the environment: %j', async (argv) => {
    const { code, stdout } = await cli.sandbox(argv);
    expect(code).toBe(0);
    expect(await cli.sandbox(argv, { env: { ORGADM_OUTPUT: 'json' } })).toMatchObject({ code: 0, stdout });
  });
});
