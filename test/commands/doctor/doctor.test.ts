import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkFreeSpace, checkNodeVersion } from '../../../src/commands/doctor/machine-checks.ts';
import { acquireLock } from '../../../src/util/file-lock.ts';
import type { CliOptions, CliResult } from '../../helpers/run-cli.ts';
import type { Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

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
  report: { versions: object; settings: unknown[]; environment: { name: string; value: string }[] } | null;
}

const diagnosed = (result: CliResult) => result.json() as Diagnosed;
/** One check of a result, without its name. */
function checkOf(result: CliResult, name: string): Omit<Check, 'check'> | undefined {
  const found = diagnosed(result).checks.find(({ check }) => check === name);
  return found && { state: found.state, detail: found.detail, fix: found.fix };
}

const NO_FINDINGS: Reply = { body: [] };
const DOMAIN: Reply = { body: { domain: 'orgadm-doctor.invalid', verified: false } };

/** A doctor's run against a service with one response to each of its two reads. */
async function runScripted(
  responses: readonly Reply[],
  options: CliOptions & { argv?: readonly string[] } = {},
): Promise<CliResult & { paths: string[] }> {
  const { service, run } = await cli.scripted([...responses]);
  const result = await run(['doctor', '--json', ...(options.argv ?? [])], options);
  return { ...result, paths: service.requests.map(({ method, path }) => `${method} ${path}`) };
}

describe('orgadm doctor', () => {
  it('passes every check of the sandbox that can be made, and exits 0', async () => {
    const result = await cli.sandbox(['doctor', '--json']);
    expect(result.code).toBe(0);
    const { summary, checks, report } = diagnosed(result);
    expect(summary).toMatchObject({ warning: 0, failed: 0, skipped: 2 });
    expect(checks.filter(({ state }) => state === 'skipped').map(({ check }) => check)).toEqual([
      'role-update',
      'people-bulk-add',
    ]);
    expect(report).toBeNull();
  });

  it('prints a table with a line for each check, its fix below it, and the counts last', async () => {
    const { code, stdout } = await cli.plain(['doctor']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^check +state +result\nnode +ok +Node\.js \d/);
    expect(stdout).toMatch(/^base-url +failed +no base URL\n +fix: Set ORGADM_BASE_URL, pass --base-url/m);
    expect(stdout).toMatch(/^service +skipped +not checked, because base-url failed$/m);
    expect(stdout).toMatch(/\n\n9 ok, 2 failed, \d+ skipped\n$/);
  });

  it('prints one line per check under ndjson and csv', async () => {
    const lines = (await cli.sandbox(['doctor', '-o', 'ndjson'])).stdout.trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([
      ...Array(24).fill(['check', 'state', 'detail', 'fix']),
      ['summary', 'report'],
    ]);
    const csv = (await cli.sandbox(['doctor', '-o', 'csv'])).stdout.split('\n');
    expect(csv.slice(0, 2)).toEqual(['check,state,detail,fix', `node,ok,Node.js ${process.versions.node},`]);
  });

  it('sends two reads and nothing else, and nothing twice', async () => {
    const { code, paths } = await runScripted([NO_FINDINGS, DOMAIN]);
    expect(code).toBe(0);
    expect(paths).toEqual([
      'GET /v1/findings?taskId=orgadm-key-check',
      'GET /v1/trust-portal/domain/status?domain=orgadm-doctor.invalid',
    ]);
  });
});

describe('the report', () => {
  it('contains versions, settings and variables, and neither the key nor a password', async () => {
    await cli.plain(['config', 'set', 'retries', '2']);
    const result = await runScripted([NO_FINDINGS, DOMAIN], {
      argv: ['--report', '--timeout', '20s'],
      env: { HTTPS_PROXY: 'http://ada:s3/cr@t@proxy.test:3128', no_proxy: '10.0.0.0/8' },
    });
    const { report } = diagnosed(result);
    expect(report?.versions).toMatchObject({ node: process.versions.node, openssl: process.versions.openssl });
    expect(report?.settings).toContainEqual({ name: 'retries', value: '2', from: 'profile default' });
    expect(report?.settings).toContainEqual({ name: 'timeout', value: '20s', from: '--timeout' });
    expect(report?.environment).toContainEqual({ name: 'ORGADM_API_KEY', value: 'set' });
    expect(report?.environment).toContainEqual({ name: 'HTTPS_PROXY', value: 'http://***@proxy.test:3128' });
    expect(result.stdout).not.toMatch(/s3|cr@t/);
    expect(result.stdout).not.toContain(CANARY_KEY);
  });

  it('is printed as tables before the checks', async () => {
    const { code, stdout } = await cli.sandbox(['doctor', '--report']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^program +version\norgadm +\d/);
    expect(stdout).toMatch(/\n\nsetting +value +from\n/);
    expect(stdout).toMatch(/^ORGADM_STATE_DIR +\S+ +environment$/m);
  });

  it('contains what can be read if the configuration is invalid', async () => {
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/config.json'), '{');
    const result = await cli.plain(['doctor', '--report', '--json']);
    expect(diagnosed(result).report).toMatchObject({ settings: [] });
  });
});

describe('the machine', () => {
  it.each([
    ['20.18.3', 'failed'],
    ['20.19.0', 'ok'],
    ['23.5.0', 'warning'],
    ['24.0.0', 'ok'],
  ])('reports Node.js %s as %s', (version, state) => {
    expect(checkNodeVersion(version).state).toBe(state);
  });

  it.each([
    [500 * 1024, 'failed'],
    [50 * 1024 * 1024, 'warning'],
    [101 * 1024 * 1024, 'ok'],
  ])('reports %i bytes of free space as %s', (bytes, state) => {
    expect(checkFreeSpace(bytes, '/state').state).toBe(state);
  });

  it('fails for a state directory that cannot be created, and skips what depends on it', async () => {
    writeFileSync(cli.file('occupied'), '');
    const result = await cli.plain(['doctor', '--json'], { env: { ORGADM_STATE_DIR: cli.file('occupied/state') } });
    expect(result.code).toBe(1);
    expect(checkOf(result, 'state-directory')).toEqual({
      state: 'failed',
      detail: `cannot write to ${cli.file('occupied/state')}: not a directory (ENOTDIR)`,
      fix: 'Make it writable, or set ORGADM_STATE_DIR to a directory that you own.',
    });
    expect(checkOf(result, 'runs')?.detail).toBe('not checked, because state-directory failed');
  });

  it('fails for a state directory that others can write to, because every import would', async () => {
    mkdirSync(cli.file('state'));
    chmodSync(cli.file('state'), 0o777);
    const result = await cli.plain(['doctor', '--json']);
    expect(checkOf(result, 'state-directory')).toEqual({
      state: 'failed',
      detail: `other users can write to the directory ${cli.file('state')}`,
      fix: `Remove their access: chmod go-w ${cli.file('state')}. Check the files in it before you use them.`,
    });
    expect(checkOf(result, 'runs')?.detail).toBe('not checked, because state-directory failed');
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

  it('says whether an import is in progress', async () => {
    const lock = cli.file('state/services/0123');
    mkdirSync(lock, { recursive: true });
    const idle = { state: 'ok', detail: 'no import is in progress', fix: null };
    expect(checkOf(await cli.plain(['doctor', '--json']), 'locks')).toEqual(idle);
    const held = await acquireLock(`${lock}/lock`, 'members.csv');
    const busy = { state: 'ok', detail: 'an import is in progress', fix: null };
    expect(checkOf(await cli.plain(['doctor', '--json']), 'locks')).toEqual(busy);
    await held.release();
  });
});

describe('the configuration', () => {
  it('is reported if it is invalid, and an invalid file does not stop the other checks', async () => {
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/config.json'), '{"profiles": {"default": {"base-uri": "https://a.test"}}}');
    const result = await cli.plain(['doctor', '--json']);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'config-file')).toEqual({
      state: 'failed',
      detail: `${cli.file('config/config.json')}: profile "default": unknown setting "base-uri"`,
      fix: 'Did you mean base-url?',
    });
    expect(checkOf(result, 'credentials-file')?.state).toBe('ok');
    expect(checkOf(result, 'settings')?.detail).toBe('not checked, because config-file failed');
  });

  it('fails for stored keys that others can read', async () => {
    mkdirSync(cli.file('config'));
    writeFileSync(cli.file('config/credentials.json'), '{"profiles":{}}', { mode: 0o644 });
    expect(checkOf(await cli.plain(['doctor', '--json']), 'credentials-file')).toEqual({
      state: 'failed',
      detail: `other users can access ${cli.file('config/credentials.json')} (mode 644)`,
      fix: `Remove their access: chmod 600 ${cli.file('config/credentials.json')}. If they may have read the key, replace it.`,
    });
  });

  it('warns about a key file that others can read', async () => {
    const file = cli.file('key');
    writeFileSync(file, CANARY_KEY, { mode: 0o644 });
    const result = await cli.plain(['doctor', '--json', '--key-file', file, '--base-url', 'http://127.0.0.1:9']);
    expect(checkOf(result, 'api-key')).toEqual({
      state: 'warning',
      detail: `from --key-file; other users can read ${file}`,
      fix: `Remove their access: chmod 600 ${file}`,
    });
  });

  it('names the source of base URL and key, and the sources that it takes precedence over', async () => {
    await cli.plain(['config', 'set', 'base-url', 'https://stored.test']);
    const key = cli.file('key');
    writeFileSync(key, CANARY_KEY, { mode: 0o600 });
    const result = await runScripted([NO_FINDINGS, DOMAIN], { argv: ['--key-file', key] });
    expect(checkOf(result, 'base-url')?.detail).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+, from ORGADM_BASE_URL, which takes precedence over profile default$/,
    );
    expect(checkOf(result, 'api-key')?.detail).toBe('from --key-file, which takes precedence over ORGADM_API_KEY');
  });

  it.each([
    [['--timeout', 'soon'], 'settings', '--timeout: "soon" is not a duration'],
    [
      ['--base-url', 'http://service.test'],
      'base-url',
      'plain http to service.test would send the API key unencrypted',
    ],
  ])('fails for %j in the check %s', async (argv, name, detail) => {
    const result = await cli.plain(['doctor', '--json', ...argv]);
    expect(result.code).toBe(1);
    expect(checkOf(result, name)).toMatchObject({ state: 'failed', detail });
  });

  it('warns about a file of NODE_EXTRA_CA_CERTS that is not there', async () => {
    const result = await cli.plain(['doctor', '--json'], { env: { NODE_EXTRA_CA_CERTS: '/nowhere.pem' } });
    expect(checkOf(result, 'certificate-authorities')).toMatchObject({
      state: 'warning',
      fix: 'Correct NODE_EXTRA_CA_CERTS, or unset it.',
    });
  });
});

describe('the service', () => {
  it('fails if nothing listens', async () => {
    const result = await cli.plain(['doctor', '--json', '--base-url', 'http://127.0.0.1:9'], {
      env: { ORGADM_API_KEY: CANARY_KEY },
    });
    expect(result.code).toBe(1);
    expect(checkOf(result, 'tcp')).toEqual({
      state: 'failed',
      detail: 'cannot reach http://127.0.0.1:9: the connection was refused',
      fix: 'Check that the base URL is correct and the service is running; behind a proxy, set HTTPS_PROXY.',
    });
    expect(checkOf(result, 'service')?.detail).toBe('not checked, because tcp failed');
  });

  it('fails for a host name that does not exist, and names it as the cause of what is skipped', async () => {
    const result = await cli.plain([
      ...['doctor', '--json', '--base-url', 'https://no-such-host.invalid', '--timeout', '5s'],
    ]);
    expect(checkOf(result, 'dns')?.state).toBe('failed');
    expect(checkOf(result, 'tls')).toEqual({ state: 'skipped', detail: 'not checked, because dns failed', fix: null });
  });

  it.each([
    [
      'a redirect',
      { status: 301, headers: { location: 'https://new.test/v1/findings' } },
      /redirect \(301\)/,
      /https:\/\/new\.test/,
    ],
    ['a web page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, /"<html>" is not JSON/, /base URL/],
    [
      'the page of another server',
      { status: 404, headers: { 'content-type': 'text/html' }, body: '<title>\x1b[2JNot here</title>' },
      /\(404\): \x1b\[2JNot here$/,
      /is probably incomplete/,
    ],
    [
      'a wrong prefix',
      { status: 404, body: { message: 'Cannot GET /api/v1/findings' } },
      /Cannot GET/,
      /Check the base URL/,
    ],
    ['a failure', { status: 503 }, /failed \(503\)/, /Try again later/],
  ] as [string, Reply, RegExp, RegExp][])('fails for %s', async (_name, response, detail, fix) => {
    const result = await runScripted(response.status === 404 ? [response, response] : [response]);
    expect(result.code).toBe(1);
    const check = checkOf(result, 'service');
    expect(check?.state).toBe('failed');
    expect(check?.detail).toMatch(detail);
    expect(result.stdout).not.toContain('\x1b');
    expect(check?.fix).toMatch(fix);
    expect(checkOf(result, 'key-accepted')?.detail).toBe('not checked, because service failed');
  });

  it('suggests a base URL if it ends in /v1', async () => {
    const { service, run } = await cli.scripted(() => ({
      status: 404,
      body: { message: 'Cannot GET /v1/v1/findings' },
    }));
    const result = await run(['doctor', '--json', '--base-url', `${service.url}/v1`]);
    expect(checkOf(result, 'base-url')?.state).toBe('warning');
    expect(checkOf(result, 'service')?.fix).toBe(
      `The base URL ends in /v1, and every path begins with /v1 already: try ${service.url}`,
    );
  });

  it.each<[name: string, findings: Reply[], domain: Reply]>([
    ['an unknown task as a page', [{ status: 404, body: '<html><title>404</title></html>' }, NO_FINDINGS], DOMAIN],
    ['an unknown domain as a failure', [NO_FINDINGS], { status: 500, body: { message: 'Internal server error' } }],
  ])('passes for a service that reports %s', async (_name, findings, domain) => {
    const result = await runScripted([...findings, domain]);
    expect(result.code).toBe(0);
    for (const name of ['service', 'key-accepted', 'findings-list', 'domain-status']) {
      expect(checkOf(result, name)?.state).toBe('ok');
    }
  });

  it('fails for a key that is rejected, and shows that the service itself responds', async () => {
    const result = await runScripted([{ status: 401, body: { message: 'Invalid or expired API key' } }]);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'service')?.state).toBe('ok');
    expect(checkOf(result, 'key-accepted')).toMatchObject({
      state: 'failed',
      detail: 'the service rejected the API key (401): Invalid or expired API key',
    });
    expect(checkOf(result, 'domain-status')?.detail).toBe('not checked, because key-accepted failed');
  });

  it.each<[string, Reply]>([
    ['says that it failed', { body: { success: false, message: 'not allowed', data: [] } }],
    ['is empty', { status: 200 }],
    ['is a 400', { status: 400, body: { message: 'Bad request' } }],
  ])('warns that it cannot see whether the key is accepted if the response %s', async (_name, reply) => {
    const result = await runScripted(reply.status === 400 ? [reply, reply, DOMAIN] : [reply, DOMAIN]);
    expect(result.code).toBe(0);
    expect(checkOf(result, 'service')?.state).toBe('ok');
    expect(checkOf(result, 'key-accepted')?.state).toBe('warning');
    expect(checkOf(result, 'findings-list')?.state).toBe('skipped');
  });

  it('warns about operations that the key may not use, and exits 0', async () => {
    const forbidden = { status: 403, body: { message: "Missing permission 'finding:read'" } };
    const result = await runScripted([forbidden, { status: 403, body: { message: 'no' } }]);
    expect(result.code).toBe(0);
    expect(checkOf(result, 'key-accepted')?.state).toBe('ok');
    expect(checkOf(result, 'findings-list')).toMatchObject({
      state: 'warning',
      detail:
        "the key may not list findings: the API key does not have permission (403): Missing permission 'finding:read'",
    });
    expect(checkOf(result, 'domain-status')?.state).toBe('warning');
  });

  it('warns about a service without the operation that reads domains', async () => {
    const noRoute = { status: 404, body: { message: 'Cannot GET /v1/trust-portal/domain/status' } };
    const result = await runScripted([NO_FINDINGS, noRoute]);
    expect(checkOf(result, 'domain-status')).toMatchObject({
      state: 'warning',
      fix: 'The service may not have this operation. You can still use the others.',
    });
  });

  it('warns about a rate limit, and leaves open whether the key is accepted', async () => {
    const limited = { status: 429, headers: { 'retry-after': '60', 'x-ratelimit-limit': '100' } };
    const result = await runScripted([limited, limited]);
    expect(result.code).toBe(0);
    expect(checkOf(result, 'service')?.state).toBe('warning');
    expect(checkOf(result, 'key-accepted')?.state).toBe('skipped');
    expect(checkOf(result, 'rate-limit')).toMatchObject({
      state: 'warning',
      detail: 'the service limits requests (retry-after: 60, x-ratelimit-limit: 100)',
    });
  });

  it('shows the rate-limit headers of successful responses', async () => {
    const headers = { 'ratelimit-remaining': '99', ratelimit: 'limit=100' };
    const result = await runScripted([{ headers, body: [] }, DOMAIN]);
    expect(checkOf(result, 'rate-limit')?.state).toBe('ok');
    expect(checkOf(result, 'rate-limit')?.detail).toContain('ratelimit-remaining: 99');
  });

  it.each([
    ['Thu, 01 Jan 2026 00:10:00 GMT', 'warning', "this machine's clock is 10 m 1 s behind that of the service"],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 'warning', "this machine's clock is 1 h 0 m ahead of that of the service"],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 'ok', "this machine's clock agrees with that of the service"],
    ['soon', 'skipped', 'the service sends no valid Date header'],
  ])('compares the clock with the Date header %j, and reports it as %s', async (date, state, detail) => {
    const skewed = { headers: { date }, body: [] };
    const result = await runScripted([skewed, { ...DOMAIN, headers: { date } }]);
    expect(checkOf(result, 'clock')).toMatchObject({ state, detail });
  });
});
