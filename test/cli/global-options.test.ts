import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { MemoryTerminal } from '../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';

const cli = createCommandRunner();
const FINDINGS = ['findings', 'list', '--all'];

describe('--key-file', () => {
  it('reads the key from a file or standard input, without the line break at its end, before the environment', async () => {
    const file = cli.file('key');
    writeFileSync(file, 'key-of-a-file\r\n');
    const { service, run } = await cli.scripted([{ body: [] }, { body: [] }]);
    expect((await run([...FINDINGS, '--key-file', file])).code).toBe(0);
    expect((await run([...FINDINGS, '--key-file', '-'], { stdin: 'key-of-stdin\n' })).code).toBe(0);
    expect(service.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['key-of-a-file', 'key-of-stdin']);
  });

  it.each([
    ['two words', 'contains white space in the key'],
    [' \n', 'is empty'],
  ])('rejects %j without repeating it', async (stdin, problem) => {
    const { run } = await cli.scripted([]);
    const result = await run([...FINDINGS, '--key-file', '-'], { stdin });
    expectUsageError(result, `--key-file: standard input ${problem}`, 'It must contain the key and nothing else.');
  });

  it('does not read the key from a terminal, which would show it', async () => {
    const terminal = new MemoryTerminal([]);
    const { code, stderr } = await cli.plain([...FINDINGS, '--key-file', '-'], { terminal });
    expect(code).toBe(2);
    expect(stderr).toContain(' Pipe the key in, because the terminal would show it as you type.\n');
  });
});

describe('the base URL', () => {
  it('may end in /v1', async () => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    expect((await run(FINDINGS, { env: { ORGADM_BASE_URL: `${service.url}/base/v1/` } })).code).toBe(0);
    expect(service.requests[0]?.path).toMatch(/^\/base\/v1\/findings/);
  });
});

describe('--sandbox', () => {
  it('needs nothing that the environment or the profile say about a service, and sends nothing there', async () => {
    const { run } = await cli.scripted([]);
    const profile = {
      'base-url': 'https://service.test',
      'ca-cert': '/nowhere/ca.pem',
      'wire.findings.task': 'task_id',
    };
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/config.json'), JSON.stringify({ profiles: { default: profile } }));
    expect((await run(['findings', 'list', '--task', 'tsk_0001', '--sandbox', '--jq', 'length'])).stdout).toBe('3\n');
  });
});

describe('--debug', () => {
  it('prints each request with its headers and bodies, and the key and other secrets nowhere', async () => {
    const secrets = { 'set-cookie': 'session=secret', 'x-echo': API_KEY };
    const { run } = await cli.scripted([{ status: 503 }, { body: { id: 'rol_1', note: API_KEY }, headers: secrets }]);
    const { stdout, stderr } = await run(['role', 'update', 'rol_1', '--name', 'QA', '--debug', '--json']);
    expect(stderr.match(/^PATCH http:\/\/127\.0\.0\.1:\d+\/v1\/roles\/rol_1 -> .*$/gm)).toHaveLength(2);
    for (const part of ['> x-api-key: ***', '> {"name":"QA"}', '< x-echo: ***', '< {"id":"rol_1","note":"***"}']) {
      expect(stderr).toContain(`${part}\n`);
    }
    for (const secret of [API_KEY, 'session']) expect(`${stdout}${stderr}`).not.toContain(secret);
  });

  it('cuts a long body, but not within the key', async () => {
    const start = `"${'x'.repeat(4_089)}`;
    const { run } = await cli.scripted([{ body: `${start}${API_KEY}"` }]);
    const { stderr } = await run(['api', 'GET', 'v1/x', '--debug']);
    expect(stderr).toMatch(/^< "x{4089}\*\*\*" ?.*$/m);
    expect(stderr).not.toContain('canary');
  });

  it('shows the stack of an error and its causes, also in JSON', async () => {
    const { service, run } = await cli.scripted([]);
    await service.close();
    const argv = [...FINDINGS, '--retries', '0'];
    expect((await run(argv)).stderr).not.toContain('at ');
    const { stderr } = await run([...argv, '--debug']);
    expect(stderr).toMatch(/\nerror: .*\n[\s\S]* +at [\s\S]*\n *caused by: .*ECONNREFUSED/);
    const json = JSON.parse((await run([...argv, '--debug', '--json'])).stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(json.error.stack).toMatch(/caused by: .*ECONNREFUSED/);
  });
});

describe('--quiet', () => {
  it('omits notes, but neither data, warnings, nor errors', async () => {
    const { run } = await cli.scripted([{ body: [] }, { body: [] }, { status: 404 }]);
    expect((await run(FINDINGS)).stderr).not.toBe('');
    expect(await run([...FINDINGS, '--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await run([...FINDINGS, '--quiet'])).stderr).toMatch(/^error: /);
    const change = await cli.sandbox(['role', 'update', 'rol_custom_1', '--permission', 'risk=read', '--quiet']);
    expect(change.stderr).toMatch(/^warning: /);
  });
});

describe('color', () => {
  // biome-ignore format: a table
  it.each<[where: string, isColored: boolean, argv: string[], env: Record<string, string>, columns: number | undefined]>([
    ['on a terminal', true, [], { TERM: 'xterm' }, 100],
    ['in a pipe', false, [], { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, undefined],
    ['on a terminal with TERM=dumb', false, [], { TERM: 'dumb' }, 100],
    ['with --no-color, even with FORCE_COLOR', false, ['--no-color'], { FORCE_COLOR: '3' }, 100],
    ['with NO_COLOR, even with FORCE_COLOR', false, [], { NO_COLOR: '1', FORCE_COLOR: '1' }, 100],
    ['with an empty NO_COLOR', true, [], { TERM: 'xterm', NO_COLOR: '' }, 100],
    ['with FORCE_COLOR in a pipe', true, [], { FORCE_COLOR: '1' }, undefined],
    ['with an empty FORCE_COLOR in a pipe', false, [], { FORCE_COLOR: '' }, undefined],
    ['with FORCE_COLOR=0', false, [], { TERM: 'xterm', FORCE_COLOR: '0' }, 100],
    ['with FORCE_COLOR and TERM=dumb', true, [], { FORCE_COLOR: '1', TERM: 'dumb' }, 100],
  ])('%s: %s', async (_where, isColored, argv, env, columns) => {
    const options = { env, ...(columns === undefined ? {} : { columns }) };
    const { stdout } = await cli.sandbox(['findings', 'list', '--task', 'tsk_0001', ...argv], options);
    expect(stdout.includes('\u001b[')).toBe(isColored);
  });
});
