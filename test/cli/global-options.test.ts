import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';
import { CANARY_KEY } from '../helpers/test-client.ts';

const cli = createCommandRunner();
const ALL = ['findings', 'list', '--all', '--json'];
const ASK = ['findings', 'list', '--all'];
const NO_KEY =
  'Set ORGADM_API_KEY, pass a file with --key-file, or store a key with orgadm auth login. To try orgadm without an account, add --sandbox.';

describe('key and base URL', () => {
  it('reports a missing key before a missing URL, with exit code 4', async () => {
    expect(await cli.plain(ASK)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: `error: no API key\nhint: ${NO_KEY}\n`,
    });
  });

  it('reports a missing URL with exit code 2', async () => {
    expectUsageError(
      await cli.plain(ASK, { env: { ORGADM_API_KEY: CANARY_KEY } }),
      'no base URL',
      'Set ORGADM_BASE_URL, pass --base-url https://api.example.com, or store one with orgadm auth login.',
    );
  });

  it('prefers the key of --key-file to the environment, without the line break at its end', async () => {
    const file = cli.file('key');
    writeFileSync(file, 'key-of-a-file\r\n');
    const { service, run } = await cli.scripted([{ body: [] }, { body: [] }]);
    expect((await run([...ALL, '--key-file', file])).code).toBe(0);
    expect((await run([...ALL, '--key-file', '-'], { stdin: 'key-of-stdin\n' })).code).toBe(0);
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-of-a-file', 'key-of-stdin']);
  });

  it.each([
    {
      text: 'two words',
      message: 'contains white space in the key',
      hint: 'It must contain the key and nothing else.',
    },
    { text: '', message: 'is empty', hint: 'It must contain the key and nothing else.' },
  ])('rejects a key file that $message, without repeating its text', async ({ text, message, hint }) => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...ASK, '--key-file', '-'], { stdin: text });
    expectUsageError(result, `--key-file: standard input ${message}`, hint);
    expect(service.requests).toEqual([]);
  });

  it('does not read the key from a terminal, which would show it', async () => {
    const { code, stderr } = await cli.plain([...ASK, '--key-file', '-'], { terminal: new MemoryTerminal([]) });
    expect(code).toBe(2);
    expect(stderr).toContain(' Pipe the key in, because the terminal would show it as you type.\n');
  });

  it('may end in /v1', async () => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    expect((await run(ASK, { env: { ORGADM_BASE_URL: `${service.url}/base/v1/` } })).code).toBe(0);
    expect(service.requests[0]?.path).toMatch(/^\/base\/v1\/findings/);
  });

  it.each(['nonsense', 'http://user:pass@127.0.0.1'])('rejects the base URL %s', async (url) => {
    const env = { ORGADM_API_KEY: CANARY_KEY, ORGADM_BASE_URL: url };
    const { code, stdout, stderr } = await cli.plain(ASK, { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toContain('user:pass');
  });
});

describe('--sandbox', () => {
  it('overrides the environment: nothing is sent to the service configured there', async () => {
    const { service, run } = await cli.scripted([]);
    expect((await run(['findings', 'list', '--task', 'tsk_0001', '--sandbox', '--jq', 'length'])).stdout).toBe('3\n');
    expect(service.requests).toEqual([]);
  });

  it('needs nothing that the profile says about another service', async () => {
    await cli.plain(['config', 'set', 'base-url', 'https://service.test']);
    await cli.plain(['config', 'set', 'ca-cert', cli.file('gone.pem')]);
    await cli.plain(['config', 'set', 'wire.findings.task', 'task_id']);
    expect((await cli.sandbox(['findings', 'list', '--task', 'tsk_0001', '--jq', 'length'])).stdout).toBe('3\n');
  });
});

describe('numbers and durations', () => {
  const DURATION = 'Use a number with a unit, such as 10s, 15m, or 2h.';

  it.each([
    [['--timeout', '10abc'], {}, '--timeout: "10abc" is not a duration', DURATION],
    [['--timeout', '0'], {}, '--timeout must be greater than 0', undefined],
    [['--timeout', '900h'], {}, '--timeout: "900h" is longer than 24 days', undefined],
    [[], { ORGADM_TIMEOUT: 'soon' }, 'ORGADM_TIMEOUT: "soon" …', DURATION],
    [['--retries', '10abc'], {}, '--retries: "10abc" is not a number from 0 to 999', 'Use a whole number, such as 4.'],
    [
      [],
      { ORGADM_RETRIES: 'many' },
      'ORGADM_RETRIES: "many" is not a number from 0 to 999',
      'Use a whole number, such as 4.',
    ],
  ])('rejects the options %j with the environment %j before anything is sent', async (argv, env, message, hint) => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run([...ASK, ...argv], { env }), message, hint);
    expect(service.requests).toEqual([]);
  });
});

describe('diagnostic output', () => {
  it('prints one line per request under --debug, without the key', async () => {
    const { run } = await cli.scripted([{ status: 503 }, { body: [] }]);
    const { stdout, stderr } = await run([...ALL, '--debug']);
    expect(stdout).toBe('[]\n');
    expect(stderr.match(/^GET http:\/\/127\.0\.0\.1:\d+\/v1\/findings .*\d+/gm)).toHaveLength(2);
    expect(stderr).not.toContain(CANARY_KEY);
  });

  it('prints headers and bodies under --debug, with the key masked everywhere', async () => {
    const { run } = await cli.scripted([{ body: { id: 'rol_1', note: CANARY_KEY } }]);
    const { stdout, stderr } = await run(['role', 'update', 'rol_1', '--name', 'QA', '--debug', '--json']);
    expect(stderr).toContain('> x-api-key: ***');
    expect(stderr).toContain('> {"name":"QA"}');
    expect(stderr).toContain('< {"id":"rol_1","note":"***"}');
    expect(`${stdout}${stderr}`).not.toContain(CANARY_KEY);
  });

  it('omits notes under --quiet, but neither data nor errors', async () => {
    const { run } = await cli.scripted([{ body: [] }, { status: 404 }]);
    expect(await run([...ASK, '--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await run([...ASK, '--quiet'])).stderr).toMatch(/^error: /);
  });
});
