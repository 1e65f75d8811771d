import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkNodeVersion } from '../../../src/commands/doctor/local-checks.ts';
import { main } from '../../../src/main.ts';
import { type CliOptions, type CliResult, memoryHost } from '../../helpers/run-cli.ts';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner(CANARY_KEY, { scriptsFirstRead: true });

interface Check {
  check: string;
  state: string;
  detail: string;
  fix: string | null;
}
interface Diagnosed {
  summary: Record<string, number>;
  checks: Check[];
}

const diagnosed = (result: CliResult) => result.json() as Diagnosed;
/** One check of a result, without its name. */
function checkOf(result: CliResult, name: string): Omit<Check, 'check'> | undefined {
  const found = diagnosed(result).checks.find(({ check }) => check === name);
  return found && { state: found.state, detail: found.detail, fix: found.fix };
}

const NO_FINDINGS: Reply = { body: [] };

/** A doctor's run against a service with these responses to its reads. */
async function runScripted(
  responses: readonly Reply[],
  options: CliOptions & { argv?: readonly string[] } = {},
): Promise<CliResult & { paths: string[] }> {
  const { service, run } = await cli.scripted([...responses]);
  const result = await run(['doctor', '--json', ...(options.argv ?? [])], options);
  return { ...result, paths: service.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe('orgadm doctor', () => {
  it('passes every check of the sandbox, and exits 0', async () => {
    const result = await cli.sandbox(['doctor', '--json']);
    expect(result.code).toBe(0);
    const { summary, checks } = diagnosed(result);
    expect(summary).toEqual({ ok: 8, warning: 0, failed: 0, skipped: 0 });
    expect(checks.map(({ check }) => check)).toEqual([
      'node',
      'state-directory',
      'runs',
      'configuration',
      'base-url',
      'api-key',
      'service',
      'clock',
    ]);
    expect(checks.map(({ fix }) => fix).join('')).toBe('');
  });

  it('prints failures first, each with its fix below it, then one line for the checks that need them', async () => {
    const { code, stdout } = await cli.plain(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^check +state +result\nbase-url +failed +.*\n +fix: .*ORGADM_BASE_URL/);
    expect(stdout).toMatch(/^api-key +failed +.*\n +fix: [^\n]+\nnode +ok +Node\.js \d/m);
    expect(stdout).toMatch(
      /\n\n2 checks skipped because base-url failed: service, clock\n\n4 ok, 2 failed, 2 skipped\n$/,
    );
  });

  it('names the reason of each group of skipped checks', async () => {
    mkdirSync(cli.file('state'));
    chmodSync(cli.file('state'), 0o777);
    const { stdout } = await cli.plain(['doctor', '--timeout', 'soon']);
    expect(stdout).toContain('\n1 check skipped because state-directory failed: runs\n');
    expect(stdout).toContain('\n4 checks skipped because configuration failed: base-url, api-key, service, clock\n');
  });

  it('sorts the checks in JSON: failures, warnings, what is in order, and what it skipped', async () => {
    const result = await runScripted([{ status: 503 }], { argv: ['--key-file', keyFile(0o644)] });
    expect(diagnosed(result).checks.map(({ check, state }) => `${check} ${state}`)).toEqual([
      'service failed',
      'api-key warning',
      'node ok',
      'state-directory ok',
      'runs ok',
      'configuration ok',
      'base-url ok',
      'clock skipped',
    ]);
    expect(diagnosed(result).summary).toEqual({ ok: 5, warning: 1, failed: 1, skipped: 1 });
    expect(checkOf(result, 'clock')).toEqual({ state: 'skipped', detail: 'service failed', fix: null });
  });

  it('prints one line per check under ndjson and csv', async () => {
    const lines = (await cli.sandbox(['doctor', '-o', 'ndjson'])).stdout.trimEnd().split('\n');
    const last = JSON.parse(lines.pop() ?? '');
    expect(Object.keys(last)).toEqual(['summary']);
    expect(last.summary.ok).toBe(lines.length);
    for (const line of lines) expect(Object.keys(JSON.parse(line))).toEqual(['check', 'state', 'detail', 'fix']);
    const csv = (await cli.sandbox(['doctor', '-o', 'csv'])).stdout.split('\n');
    expect(csv.slice(0, 2)).toEqual(['check,state,detail,fix', `node,ok,Node.js ${process.versions.node},`]);
  });

  it('sends the read requests of auth login and nothing else, and nothing twice', async () => {
    expect((await runScripted([NO_FINDINGS])).paths).toEqual(['GET /v1/findings?taskId=orgadm-key-check']);
    expect((await runScripted([{ status: 404, body: {} }, NO_FINDINGS])).paths).toEqual([
      'GET /v1/findings?taskId=orgadm-key-check',
      'GET /v1/findings?scope=people',
    ]);
    expect((await runScripted([{ status: 500 }])).paths).toHaveLength(1);
  });
});

describe('a bug in orgadm during a check', () => {
  it('ends the command as a bug, not as a problem of the machine', async () => {
    const { host, stdout, stderr } = memoryHost(cli.file('.'));
    Object.defineProperty(host, 'uid', {
      get() {
        throw new TypeError('no user');
      },
    });
    expect(await main(['doctor'], host)).toBe(1);
    expect(stdout.text).toBe('');
    expect(stderr.text).toBe(
      'error: unexpected error: no user\nhint: This is a bug in orgadm. Run the command again with --debug for details.\n',
    );
  });
});

/** Writes a key file with a mode. */
function keyFile(mode: number): string {
  writeFileSync(cli.file('key'), CANARY_KEY, { mode });
  return cli.file('key');
}

describe('the machine', () => {
  it.each([
    ['20.18.3', 'failed'],
    ['20.19.0', 'ok'],
    ['24.0.0', 'ok'],
  ])('reports Node.js %s as %s', (version, state) => {
    expect(checkNodeVersion(version).state).toBe(state);
  });

  it('passes for a state directory that need not exist', async () => {
    const result = await cli.plain(['doctor', '--json']);
    expect(checkOf(result, 'state-directory')).toEqual({ state: 'ok', detail: cli.file('state'), fix: null });
    expect(checkOf(result, 'runs')).toEqual({ state: 'ok', detail: 'no import runs', fix: null });
  });

  it('fails for a state directory that orgadm cannot write to', async () => {
    writeFileSync(cli.file('occupied'), '');
    const directory = cli.file('occupied/state');
    const result = await cli.plain(['doctor', '--json'], { env: { ORGADM_STATE_DIR: directory } });
    expect(checkOf(result, 'state-directory')).toEqual({
      state: 'failed',
      detail: expect.stringMatching(partLike(`${directory}: … (ENOTDIR)`)),
      fix: 'Make it writable, or set ORGADM_STATE_DIR to a directory that you own.',
    });
  });

  it('fails for a state directory that others can write to, because every import would', async () => {
    mkdirSync(cli.file('state'));
    chmodSync(cli.file('state'), 0o777);
    const result = await cli.plain(['doctor', '--json']);
    expect(checkOf(result, 'state-directory')).toEqual({
      state: 'failed',
      detail: expect.stringContaining(cli.file('state')),
      fix: expect.stringContaining(`chmod go-w ${cli.file('state')}`),
    });
    expect(checkOf(result, 'runs')?.detail).toBe('state-directory failed');
  });

  it('warns about an import whose rows have an unknown outcome', async () => {
    const list = cli.file('list.csv');
    writeFileSync(list, 'userId,role\nusr_1,member\n');
    const { run } = await cli.scripted(({ method }) => (method === 'GET' ? { body: [] } : { status: 500 }));
    await run(['people', 'bulk-add', list, '--retries', '0']);
    const check = checkOf(await cli.plain(['doctor', '--json']), 'runs');
    expect(check?.state).toBe('warning');
    expect(check?.detail).toBe('1 unfinished import run');
    expect(check?.fix).toBe('To list the commands that continue them, run: orgadm runs list');
  });

  it('counts finished imports, and reports a journal that is damaged', async () => {
    expect(checkOf(await cli.plain(['doctor', '--json']), 'runs')?.detail).toBe('no import runs');
    await cli.sandbox(['people', 'bulk-add', 'examples/members.csv', '--invalid', 'skip']);
    expect(checkOf(await cli.plain(['doctor', '--json']), 'runs')?.detail).toBe('1 import run, all finished');
    const run = cli.file(`state/runs/${'0'.repeat(32)}`);
    mkdirSync(run);
    writeFileSync(`${run}/journal`, 'garbage\ngarbage\n');
    expect(checkOf(await cli.plain(['doctor', '--json']), 'runs')).toMatchObject({
      state: 'warning',
      detail: '1 damaged journal',
    });
  });
});

describe('the configuration', () => {
  it('is reported with its file, its profiles, and the profile in use', async () => {
    const file = cli.file('config/config.json');
    expect(checkOf(await cli.plain(['doctor', '--json']), 'configuration')).toEqual({
      state: 'ok',
      detail: `no profiles in ${file}`,
      fix: null,
    });
    await cli.plain(['config', 'set', 'retries', '2']);
    await cli.plain(['config', 'set', 'retries', '3', '--profile', 'prod']);
    expect(checkOf(await cli.plain(['doctor', '--json', '--profile', 'prod']), 'configuration')?.detail).toBe(
      `${file}: profiles default, prod; this command uses the profile prod`,
    );
  });

  it('fails if its file is invalid, and other checks still run', async () => {
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/config.json'), '{"profiles": {"default": {"base-uri": "https://a.test"}}}');
    const result = await cli.plain(['doctor', '--json']);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'configuration')).toEqual({
      state: 'failed',
      detail: `${cli.file('config/config.json')}: profile "default": unknown setting "base-uri"`,
      fix: expect.stringContaining('base-url?'),
    });
    expect(checkOf(result, 'runs')?.state).toBe('ok');
    expect(checkOf(result, 'service')?.detail).toBe('configuration failed');
  });

  it('fails for stored keys that others can read', async () => {
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/credentials.json'), '{"profiles":{}}', { mode: 0o644 });
    expect(checkOf(await cli.plain(['doctor', '--json']), 'configuration')).toEqual({
      state: 'failed',
      detail: `other users can access ${cli.file('config/credentials.json')} (mode 644)`,
      fix: `Remove their access: chmod 600 ${cli.file('config/credentials.json')}. If they may have read the key, replace it.`,
    });
  });

  it('fails for an option that is not valid', async () => {
    const result = await cli.plain(['doctor', '--json', '--timeout', 'soon']);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'configuration')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('--timeout: "soon" '),
    });
  });
});

describe('the base URL and the key', () => {
  it('are named with their sources', async () => {
    const result = await runScripted([NO_FINDINGS], { argv: ['--key-file', keyFile(0o600)] });
    expect(checkOf(result, 'base-url')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+, from ORGADM_BASE_URL$/),
    });
    expect(checkOf(result, 'api-key')).toEqual({ state: 'ok', detail: 'from --key-file', fix: null });
  });

  it('do not contain a key that someone also put into the base URL', async () => {
    const argv = ['--key-file', keyFile(0o600), '--base-url', `http://127.0.0.1:9/${CANARY_KEY}`];
    const result = await cli.plain(['doctor', '--json', ...argv]);
    expect(checkOf(result, 'base-url')?.detail).toBe('http://127.0.0.1:9/***, from --base-url');
    expect(result.stdout + result.stderr).not.toContain(CANARY_KEY);
  });

  it('fail if they are missing', async () => {
    const result = await cli.plain(['doctor', '--json']);
    expect(checkOf(result, 'base-url')).toEqual({
      state: 'failed',
      detail: expect.any(String),
      fix: expect.stringContaining('ORGADM_BASE_URL'),
    });
    expect(checkOf(result, 'api-key')).toMatchObject({
      state: 'failed',
      fix: expect.stringContaining('ORGADM_API_KEY'),
    });
  });

  it('warn about a key file that others can read', async () => {
    const file = keyFile(0o644);
    const result = await runScripted([NO_FINDINGS], { argv: ['--key-file', file] });
    expect(result.code).toBe(0);
    expect(checkOf(result, 'api-key')).toEqual({
      state: 'warning',
      detail: `from --key-file; other users can read ${file}`,
      fix: `Remove their access: chmod 600 ${file}`,
    });
  });
});

describe('the service', () => {
  it('passes if it lists findings, also if it does not know the task', async () => {
    const { service, run } = await cli.scripted([{ status: 404, body: {} }, NO_FINDINGS]);
    expect(checkOf(await run(['doctor', '--json']), 'service')).toEqual({
      state: 'ok',
      detail: `${service.url} responds, and accepts the key`,
      fix: null,
    });
  });

  it('fails if nothing listens, with the message of every other command', async () => {
    const argv = ['--json', '--base-url', 'http://127.0.0.1:9'];
    const env = { ORGADM_API_KEY: CANARY_KEY };
    const result = await cli.plain(['doctor', ...argv], { env });
    expect(result.code).toBe(1);
    expect(checkOf(result, 'service')).toEqual({
      state: 'failed',
      detail: expect.stringMatching(/ http:\/\/127\.0\.0\.1:9: .*refused$/),
      fix: 'Check that the base URL is correct and the service is running; behind a proxy, set HTTPS_PROXY.',
    });
    const { stderr } = await cli.plain(['auth', 'status', ...argv], { env });
    expect(JSON.parse(stderr).error).toMatchObject({
      message: checkOf(result, 'service')?.detail,
      hint: checkOf(result, 'service')?.fix,
    });
  });

  it('fails if the service rejects the key', async () => {
    const result = await runScripted([{ status: 401, body: { message: 'Invalid or expired API key' } }]);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'service')).toEqual({
      state: 'failed',
      detail: expect.stringContaining('(401): Invalid or expired API key'),
      fix: expect.stringMatching(/ORGADM_API_KEY\.$/),
    });
    expect(checkOf(result, 'clock')).toEqual({ state: 'skipped', detail: 'service failed', fix: null });
  });

  it.each<[string, Reply]>([
    ['says that it failed', { body: { success: false, message: 'not allowed', data: [] } }],
    ['is a 400', { status: 400, body: { message: 'Bad request' } }],
  ])('warns that it cannot see whether the key is accepted if the response %s', async (_name, reply) => {
    const result = await runScripted(reply.status === 400 ? [reply, reply] : [reply]);
    expect(result.code).toBe(0);
    expect(checkOf(result, 'service')?.state).toBe('warning');
    expect(checkOf(result, 'clock')?.state).not.toBe('skipped');
  });

  it('warns about a key without permission to read findings, and exits 0', async () => {
    const body = { message: "Missing permission 'finding:read'" };
    const { service, run } = await cli.scripted([{ status: 403, body }]);
    const result = await run(['doctor', '--json']);
    expect(result.code).toBe(0);
    expect(checkOf(result, 'service')).toEqual({
      state: 'warning',
      detail: expect.stringMatching(partLike(`${service.url} responds; … (403)…: Missing permission 'finding:read'`)),
      fix: expect.stringContaining(' key '),
    });
  });
});

describe('the clock', () => {
  it.each([
    ['Thu, 01 Jan 2026 00:10:00 GMT', 'warning', "this machine's clock is 10 m 1 s behind the service's clock"],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 'warning', "this machine's clock is 1 h 0 m ahead of the service's clock"],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 'ok', "this machine's clock agrees with the service's"],
    ['soon', 'skipped', 'no response of the service itself has a valid Date header'],
  ])('is compared with the Date header %j: %s', async (date, state, detail) => {
    expect(checkOf(await runScripted([{ headers: { date }, body: [] }]), 'clock')).toMatchObject({ state, detail });
  });

  it('is not compared with the Date header of an old response from a cache', async () => {
    const headers = { date: 'Wed, 31 Dec 2025 23:00:00 GMT', age: '3600' };
    expect(checkOf(await runScripted([{ headers, body: [] }]), 'clock')).toMatchObject({ state: 'skipped' });
  });

  it('is compared with the Date header of a response that rejects the request', async () => {
    const headers = { date: 'Wed, 31 Dec 2025 23:00:00 GMT' };
    const result = await runScripted([{ status: 403, headers, body: { message: 'no' } }]);
    expect(checkOf(result, 'clock')).toEqual({
      state: 'warning',
      detail: "this machine's clock is 1 h 0 m ahead of the service's clock",
      fix: "Set this machine's clock, or synchronize it with NTP.",
    });
  });
});
