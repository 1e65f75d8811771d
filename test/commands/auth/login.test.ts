import { EventEmitter } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { API_KEY } from '../../helpers/api-key.ts';
import { type CliOptions, drawnText, MemoryTerminal } from '../../helpers/run-cli.ts';
import type { RawReply, Reply } from '../../helpers/scripted-service.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner(API_KEY, { scriptsFirstRead: true });
const KEYS = 'config/credentials.json';
const CONFIG = 'config/config.json';
const NO_COLOR = { NO_COLOR: '1' };
const HTML = { 'content-type': 'text/html' };

const ACCEPTED: Reply = { body: [] };
const REJECTED: Reply = { status: 401, body: { message: 'Invalid or expired API key' } };
const PAGE: Reply = { headers: HTML, body: '<title>Sign in</title>' };
const RESET: RawReply = { raw: '', after: 'reset' };

const read = (name: string): unknown => JSON.parse(readFileSync(cli.file(name), 'utf8'));
/** A service with one response for each login. */
const service = async (...script: (Reply | RawReply)[]) => (await cli.scripted(script)).service;
const login = (argv: readonly string[], options: CliOptions = {}) =>
  cli.plain(['auth', 'login', ...argv], { stdin: `${API_KEY}\n`, ...options });
const loginTo = (url: string, argv: readonly string[] = [], options: CliOptions = {}) =>
  login(['--base-url', url, '--key-file', '-', ...argv], options);
const stored = (baseUrl: string, apiKey = API_KEY) => ({ profiles: { default: { apiKey, baseUrl } } });

describe('a login', () => {
  it('verifies the key by one harmless read, and stores it with its base URL', async () => {
    const { url, requests } = await service(ACCEPTED);
    const { code, stdout, stderr } = await loginTo(`${url}/`);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `✓ profile default: stored the key for ${url} in ${cli.file(KEYS)}, which only you can read
Next, check your setup with orgadm auth status, or import a list: orgadm people bulk-add <file>
`,
    });
    expect(requests).toMatchObject([
      { method: 'GET', path: '/v1/findings?taskId=orgadm-key-check', body: '', headers: { 'x-api-key': API_KEY } },
    ]);
    expect([read(KEYS), read(CONFIG)]).toEqual([stored(url), { profiles: { default: { 'base-url': url } } }]);
    expect(statSync(cli.file('config')).mode & 0o777).toBe(0o700);
    expect(statSync(cli.file(KEYS)).mode & 0o777).toBe(0o600);
  });

  it('to another profile changes no other one, and reports the result to scripts', async () => {
    const [first, second] = [await service(ACCEPTED), await service(ACCEPTED)];
    await loginTo(first.url);
    const result = await loginTo(second.url, ['--json', '--profile', 'ci'], { stdin: 'other-key' });
    expect(result.json()).toEqual({
      ...{ profile: 'ci', baseUrl: second.url, verified: true, detail: null, file: cli.file(KEYS) },
    });
    expect(result.stderr).toMatch(partLike('auth status --profile ci, … --profile ci\n'));
    expect(read(KEYS)).toEqual({
      profiles: { ...stored(first.url).profiles, ci: { apiKey: 'other-key', baseUrl: second.url } },
    });
  });

  it('does not move a profile with its key to another service', async () => {
    const [first, second] = [await service(ACCEPTED), await service()];
    await loginTo(first.url);
    const force = ['--key-file', '-', '--force'];
    for (const result of [
      await login([...force, '--base-url', second.url], { stdin: 'other-key' }),
      await login(force, { stdin: 'other-key', env: { ORGADM_BASE_URL: second.url } }),
    ]) {
      expectUsageError(
        result,
        `profile default belongs to ${first.url}, so nothing was stored`,
        `… orgadm auth login --profile <name> --base-url ${second.url}\n  … orgadm config set base-url ${second.url} --profile default`,
      );
    }
    expect(read(KEYS)).toEqual(stored(first.url));
    expect(read(CONFIG)).toMatchObject({ profiles: { default: { 'base-url': first.url } } });
  });

  it('renews the key of a profile, whatever the spelling of its base URL', async () => {
    const { url, port } = await service(ACCEPTED, ACCEPTED);
    await loginTo(url);
    expect((await loginTo(`HTTP://127.0.0.1:${port}/`, [], { stdin: 'new-key' })).code).toBe(0);
    expect(read(KEYS)).toEqual(stored(url, 'new-key'));
  });

  it('uses the base URL and the field names of the profile', async () => {
    const { url, requests } = await service(ACCEPTED);
    await cli.plain(['config', 'set', 'base-url', url]);
    await cli.plain(['config', 'set', 'wire.findings.task', 'task_id']);
    expect((await login(['--key-file', '-'])).code).toBe(0);
    expect(requests[0]?.path).toBe('/v1/findings?task_id=orgadm-key-check');
    expect(read(CONFIG)).toEqual({ profiles: { default: { 'base-url': url, 'wire.findings.task': 'task_id' } } });
  });

  it('warns that a variable has a key, too, unless an option names the profile', async () => {
    const { url } = await service(ACCEPTED, ACCEPTED);
    const options = { env: { ORGADM_API_KEY: 'other' } };
    expect((await loginTo(url, [], options)).stderr).toMatch(/^warning: ORGADM_API_KEY/m);
    expect((await loginTo(url, ['--profile', 'default'], options)).stderr).not.toContain('warning');
  });
});

describe('the response of the service', () => {
  it.each<[string, Reply]>([
    ['a list', { body: [{ id: 'fnd_1' }] }],
    ['an envelope', { body: { data: [] } }],
    ['an error in a 200', { body: { success: false, data: [] } }],
    ['a 400', { status: 400, body: { message: 'taskId must be a task' } }],
    ['a 404 of the task', { status: 404, body: { message: 'Task orgadm-key-check not found' } }],
    ['a 429', { status: 429, body: { message: 'Too many requests' } }],
  ])('%s in JSON shows that the API does not reject the key', async (_name, reply) => {
    const { url } = await service(reply);
    expect((await loginTo(url, ['--json'])).json()).toMatchObject({ verified: true, detail: null });
  });

  it.each<[string, Reply, detail: RegExp]>([
    ['a 500', { status: 500, body: { message: 'Down' } }, /\(500\): Down$/],
    ['a 403', { status: 403, body: { message: ['one', 'two', 'three', 'four'] } }, /\(403\), .*: one; two; three$/],
  ])('%s in JSON shows nothing: the key is stored with a warning', async (_name, reply, detail) => {
    const { url } = await service(reply);
    const result = await loginTo(url, ['--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({ verified: false, detail: expect.stringMatching(detail) });
    expect(result.stderr).toMatch(/^warning: the key is /m);
    expect(read(KEYS)).toEqual(stored(url));
  });

  it.each<[string, Reply | RawReply, number]>([
    ['an empty 200', { status: 200 }, 1],
    ['a page', PAGE, 1],
    ['a redirect', { status: 302, headers: { location: '/login' } }, 1],
    ['a 401 page', { ...PAGE, status: 401 }, 4],
    ['a 403 page', { ...PAGE, status: 403 }, 4],
    ['a 404 page', { ...PAGE, status: 404 }, 5],
    ['a 502 in JSON', { status: 502, body: { message: 'no upstream' } }, 6],
    ['a 503 page', { ...PAGE, status: 503 }, 6],
    ['a reset', RESET, 6],
  ])('%s is not the API, so the key is stored only with --force', async (_name, reply, exitCode) => {
    const { url, requests } = await service(reply, reply);
    const { code, stdout, stderr } = await loginTo(url);
    expect({ code, stdout, requests: requests.length }).toEqual({ code: exitCode, stdout: '', requests: 1 });
    expect(stderr).toMatch(/^hint: .* --force\b/m);
    expect(existsSync(cli.file('config'))).toBe(false);
    const forced = await loginTo(url, ['--json', '--force']);
    expect(forced.code).toBe(0);
    expect(forced.json()).toMatchObject({ verified: false, detail: expect.any(String) });
    expect(forced.stderr).toMatch(/^warning: /m);
    expect(read(KEYS)).toEqual(stored(url));
  });

  it.each<[string, Reply, number, string[]]>([
    ['another key is rejected, even with --force', REJECTED, 4, ['--force']],
    ['what responds now is not the API', { status: 503, body: { message: 'Down' } }, 6, []],
  ])('leaves the stored key if %s', async (_name, reply, exitCode, argv) => {
    const { url } = await service(ACCEPTED, reply);
    await loginTo(url);
    const again = await loginTo(url, argv, { stdin: 'another-key-1234567890' });
    expect(again).toMatchObject({ code: exitCode, stdout: '', stderr: expect.stringContaining('Nothing was stored.') });
    expect(read(KEYS)).toEqual(stored(url));
  });
});

describe('the prompt for the key', () => {
  const ask = (terminal: MemoryTerminal, options: CliOptions = {}) =>
    login(['--base-url', 'http://127.0.0.1:9'], { terminal, env: NO_COLOR, ...options });

  it('does not accept Enter alone', async () => {
    const terminal = new MemoryTerminal(['\r\x03']);
    const { code, stderr } = await ask(terminal);
    expect(code).toBe(130);
    expect(drawnText(stderr)).toMatch(/ Paste the complete key, or press Ctrl-C\. .*Canceled\. Nothing was stored\. $/);
    expect(terminal.rawModes).toEqual([true, false]);
  });

  it('is ended by SIGTERM, which restores the terminal', async () => {
    const signals = new EventEmitter();
    const terminal = new MemoryTerminal(['canary'], () => signals.emit('signal', 'SIGTERM'));
    expect((await ask(terminal, { signals })).code).toBe(143);
    expect(terminal.rawModes).toEqual([true, false]);
    expect(signals.listenerCount('signal')).toBe(0);
  });
});

describe('the prompt for the base URL', () => {
  it('comes before the one for the key, on a terminal where nothing sets the URL', async () => {
    const { url } = await service(ACCEPTED);
    const terminal = new MemoryTerminal([` ${url}/ \r`, `${API_KEY}\r`]);
    const { code, stderr } = await login([], { terminal, env: NO_COLOR });
    expect(code).toBe(0);
    expect(drawnText(stderr)).toMatch(/ Base URL of the service.* API key for /);
    expect(stderr).not.toContain(API_KEY);
    expect(read(KEYS)).toEqual(stored(url));
    expect(terminal.rawModes).toEqual([true, false, true, false]);
  });

  it.each([
    ['\r', 'Type the URL.'],
    ['api.example.com\r', ' is not a valid URL'],
    ['http://a.test\r', 'plain http to a.test'],
    ['https://me:secret@a.test\r', 'base URL must not contain a user name'],
  ])('asks again after %j, so that a key that is pasted next does not reach the shell', async (typed, problem) => {
    const { url } = await service(ACCEPTED);
    // The first answer is still there, to be corrected.
    const terminal = new MemoryTerminal([`${typed}\u0015${url}\r`, `${API_KEY}\r`]);
    const { code, stderr } = await login([], { terminal, env: NO_COLOR });
    expect({ code }, stderr).toEqual({ code: 0 });
    expect(drawnText(stderr)).toContain(problem);
    expect(read(KEYS)).toEqual(stored(url));
  });
});

describe('an invalid login stores nothing', () => {
  // biome-ignore format: a table
  it.each<[argv: string[], message: string, hint: string]>([
    [['--base-url', 'https://a.test'], 'cannot prompt for the key without a terminal', '… --key-file, …'],
    [['--key-file', '-'], 'no base URL', '…'],
    [['--base-url', 'http://a.test', '--key-file', '-'], 'plain http to a.test would send the API key unencrypted', '…'],
    [['--base-url', 'https://me:secret@a.test', '--key-file', '-'], '--base-url must not contain a user name or password', '…'],
    [['--sandbox'], '--sandbox needs no key', '…'],
  ])('%j', async (argv, message, hint) => {
    expectUsageError(await login(argv), message, hint);
    expect(existsSync(cli.file('config'))).toBe(false);
  });

  it('where other users can write to the configuration directory', async () => {
    const { url } = await service(ACCEPTED);
    mkdirSync(cli.file('config'));
    chmodSync(cli.file('config'), 0o777);
    const { code, stderr } = await loginTo(url);
    expect(code).toBe(2);
    expect(stderr).toContain(`chmod go-w ${cli.file('config')}`);
    expect(existsSync(cli.file(KEYS))).toBe(false);
  });
});
