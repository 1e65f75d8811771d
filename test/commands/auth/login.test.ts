import { EventEmitter } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { badResponse, UNUSABLE_SUCCESSES } from '../../helpers/bad-responses.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { type CliOptions, drawnText, MemoryTerminal, runCli } from '../../helpers/run-cli.ts';
import { type RawReply, type Reply, startScriptedService } from '../../helpers/scripted-service.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { partLike, textLike } from '../../helpers/text-like.ts';

const opened = closeAfterTests();
const folder = temporaryFolder();
const KEYS = 'config/credentials.json';
const CONFIG = 'config/config.json';
const NO_COLOR = { NO_COLOR: '1' };

const read = (name: string): unknown => JSON.parse(readFileSync(folder.file(name), 'utf8'));
const service = async (...script: (Reply | RawReply)[]) =>
  opened(await startScriptedService(script, { scriptsFirstRead: true }));
const login = (argv: readonly string[], options: CliOptions = { stdin: `${CANARY_KEY}\n` }) =>
  runCli(folder.path, ['auth', 'login', ...argv], options);

const ACCEPTED: Reply = { body: [] };

describe('a login', () => {
  it('verifies the key by one harmless read, and stores it with its base URL', async () => {
    const { url, requests } = await service(ACCEPTED);
    const { code, stdout, stderr } = await login(['--base-url', `${url}/`, '--key-file', '-']);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `✓ profile default: stored the key for ${url} in ${folder.file(KEYS)}, which only you can read
Next, check your setup with orgadm auth status, or import a list: orgadm people bulk-add <file>
`,
    });
    expect(requests.map(({ method, path, body }) => ({ method, path, body }))).toEqual([
      { method: 'GET', path: '/v1/findings?taskId=orgadm-key-check', body: '' },
    ]);
    expect(requests[0]?.headers['x-api-key']).toBe(CANARY_KEY);
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
    expect(read(CONFIG)).toEqual({ profiles: { default: { 'base-url': url } } });
    expect(statSync(folder.file('config')).mode & 0o777).toBe(0o700);
    expect(statSync(folder.file(KEYS)).mode & 0o777).toBe(0o600);
  });

  it('reports the result to scripts', async () => {
    const { url } = await service(ACCEPTED);
    const result = await login(['--base-url', url, '--key-file', '-', '--json', '--profile', 'ci']);
    expect(result.json()).toEqual({
      ...{ profile: 'ci', baseUrl: url, verified: true, detail: null, file: folder.file(KEYS) },
    });
    expect(result.stderr).toContain(
      'Next, check your setup with orgadm auth status --profile ci, or import a list: orgadm people bulk-add <file> --profile ci\n',
    );
  });

  it('does not keep a person waiting for a service that fails', async () => {
    const { url, requests } = await service({ status: 503, body: { message: 'Maintenance' } });
    expect((await login(['--base-url', url, '--key-file', '-'])).code).toBe(6);
    expect(requests).toHaveLength(1);
  });

  it('does not change the first profile if it is for another one', async () => {
    const first = await service(ACCEPTED);
    const second = await service(ACCEPTED);
    await login(['--base-url', first.url, '--key-file', '-']);
    await login(['--base-url', second.url, '--key-file', '-', '--profile', 'staging'], { stdin: 'other-key' });
    expect(read(KEYS)).toEqual({
      profiles: {
        default: { apiKey: CANARY_KEY, baseUrl: first.url },
        staging: { apiKey: 'other-key', baseUrl: second.url },
      },
    });
  });

  it('does not move a profile with its key to another service', async () => {
    const first = await service(ACCEPTED);
    const second = await service();
    await login(['--base-url', first.url, '--key-file', '-']);
    for (const options of [{ stdin: 'other-key' }, { stdin: 'other-key', env: { ORGADM_BASE_URL: second.url } }]) {
      const argv = 'env' in options ? [] : ['--base-url', second.url];
      const { code, stderr } = await login([...argv, '--key-file', '-', '--force'], options);
      expect(code).toBe(2);
      expect(stderr).toBe(`error: profile default belongs to ${first.url}, so nothing was stored
hint: For another service, use a separate profile: orgadm auth login --profile <name> --base-url ${second.url}
  If the service has moved, run: orgadm config set base-url ${second.url} --profile default
`);
    }
    expect(second.requests).toEqual([]);
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: first.url } } });
    expect(read(CONFIG)).toMatchObject({ profiles: { default: { 'base-url': first.url } } });
  });

  it('renews the key of a profile, whatever the spelling of its base URL', async () => {
    const { url, port } = await service(ACCEPTED, ACCEPTED);
    await login(['--base-url', url, '--key-file', '-']);
    const again = await login(['--base-url', `HTTP://127.0.0.1:${port}/`, '--key-file', '-'], { stdin: 'new-key' });
    expect(again.code).toBe(0);
    expect(read(KEYS)).toMatchObject({ profiles: { default: { apiKey: 'new-key' } } });
  });

  it('uses the base URL and the field names of the profile', async () => {
    const { url, requests } = await service({ body: [] });
    await runCli(folder.path, ['config', 'set', 'base-url', url]);
    await runCli(folder.path, ['config', 'set', 'wire.findings.task', 'task_id']);
    expect((await login(['--key-file', '-'])).code).toBe(0);
    expect(requests[0]?.path).toBe('/v1/findings?task_id=orgadm-key-check');
    expect(read(CONFIG)).toEqual({ profiles: { default: { 'base-url': url, 'wire.findings.task': 'task_id' } } });
  });

  it('reads the key from a file, without the line end', async () => {
    const { url } = await service(ACCEPTED);
    writeFileSync(folder.file('key.txt'), `${CANARY_KEY}\r\n`);
    expect((await login(['--base-url', url, '--key-file', folder.file('key.txt')], {})).code).toBe(0);
    expect(read(KEYS)).toMatchObject({ profiles: { default: { apiKey: CANARY_KEY } } });
  });

  it('warns that a variable has a key, too', async () => {
    const { url } = await service(ACCEPTED, ACCEPTED);
    const options = { stdin: CANARY_KEY, env: { ORGADM_API_KEY: 'other' } };
    const { stderr } = await login(['--base-url', url, '--key-file', '-'], options);
    expect(stderr).toContain('warning: ORGADM_API_KEY is also set; to use the stored key, unset it\n');
    const named = await login(['--base-url', url, '--key-file', '-', '--profile', 'default'], options);
    expect(named.stderr).not.toContain('warning');
  });
});

describe('the response of the service', () => {
  const FINDINGS = Array.from({ length: 5_000 }, (_, at) => ({ id: `fnd_${at}`, text: 'x'.repeat(500) }));

  it.each<[string, Reply]>([
    ['an empty list', { body: [] }],
    ['a list of thousands of findings', { body: FINDINGS }],
    ['an envelope', { body: { data: [] } }],
    ['an envelope with thousands of findings', { body: { data: FINDINGS, count: FINDINGS.length } }],
  ])('%s proves the key', async (_name, reply) => {
    const { url } = await service(reply);
    const result = await login(['--base-url', url, '--key-file', '-', '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toMatchObject({ verified: true, detail: null });
    expect(result.stderr).not.toContain('warning');
  });

  it.each<[string, Reply]>([
    ['a 400', { status: 400, body: { message: 'taskId must be a task' } }],
    ['a 404 of the task', { status: 404, body: { message: 'Task orgadm-key-check not found' } }],
    ['a 429', { status: 429, body: { message: 'Too many requests' } }],
    ['an error in a 200', { body: { success: false, data: [] } }],
  ])('%s in JSON proves that the API does not reject the key', async (_name, reply) => {
    const { url } = await service(reply);
    expect((await login(['--base-url', url, '--key-file', '-', '--json'])).json()).toMatchObject({ verified: true });
  });

  it.each<[string, Reply]>([['a 500', { status: 500, body: { message: 'Down' } }]])(
    '%s in JSON proves nothing: the key is stored, and a warning says that it is not verified',
    async (_name, reply) => {
      const { url } = await service(reply);
      const { code, stderr, json } = await login(['--base-url', url, '--key-file', '-', '--json']);
      expect(code).toBe(0);
      expect(json()).toMatchObject({ verified: false, detail: expect.stringContaining(`(${reply.status})`) });
      expect(stderr).toContain('warning: the key is not verified');
      expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
    },
  );

  it.each<[string, Reply | RawReply, number]>([
    ['an empty 200', { status: 200 }, 1],
    ['a page', UNUSABLE_SUCCESSES.page, 1],
    ['a redirect', badResponse('a redirect to a login page').reply, 1],
    ['a 403 page', badResponse('a 403 page').reply, 4],
    ['a 401 page', { status: 401, headers: { 'content-type': 'text/html' }, body: '<title>Sign in</title>' }, 4],
    ['a 404 page', { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }, 5],
    ['a 502 in JSON', { status: 502, body: { message: 'no upstream' } }, 6],
    ['a 503 page', { status: 503, body: 'Maintenance' }, 6],
    ['a reset', badResponse('a reset').reply, 6],
  ])('%s is not the API, so the key is stored only with --force', async (_name, reply, exitCode) => {
    const { url } = await service(reply, reply);
    const { code, stdout, stderr } = await login(['--base-url', url, '--key-file', '-']);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(partLike('error: cannot verify the key: …\nhint: … --force'));
    expect(existsSync(folder.file('config'))).toBe(false);
    const forced = await login(['--base-url', url, '--key-file', '-', '--json', '--force']);
    expect(forced.code).toBe(0);
    expect(forced.json()).toMatchObject({ verified: false, detail: expect.any(String) });
    expect(forced.stderr).toContain('warning: ');
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
  });

  it('keeps a verified key if what responds now is not the API', async () => {
    const { url } = await service(ACCEPTED, { status: 503, body: { message: 'Down' } });
    await login(['--base-url', url, '--key-file', '-']);
    const before = read(KEYS);
    const again = await login(['--key-file', '-'], { stdin: 'another-key-1234567890' });
    expect(again).toMatchObject({ code: 6, stdout: '' });
    expect(read(KEYS)).toEqual(before);
  });

  it('403 in JSON proves a key without permission to read findings, which is stored with a warning', async () => {
    const { url } = await service({
      status: 403,
      body: { message: ['Missing permission finding:read', 'two', 'three', 'four'] },
    });
    const result = await login(['--base-url', url, '--key-file', '-', '--json']);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual({
      profile: 'default',
      baseUrl: url,
      verified: false,
      detail: expect.stringMatching(/\(403\).*: Missing permission finding:read; two; three$/),
      file: folder.file(KEYS),
    });
    expect(result.stderr).toContain(
      `warning: the key is not allowed to read findings (403), so other commands may also fail: Missing permission finding:read; two; three\n`,
    );
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
  });

  it('401 rejects the key: nothing is stored or deleted', async () => {
    const { url } = await service(ACCEPTED, { status: 401, body: { message: 'Invalid or expired API key' } });
    await login(['--base-url', url, '--key-file', '-'], { stdin: 'good-key' });
    const before = [read(KEYS), read(CONFIG)];
    const { code, stdout, stderr } = await login(['--base-url', url, '--key-file', '-']);
    expect({ code, stdout, stderr }).toEqual({
      code: 4,
      stdout: '',
      stderr:
        'error: the service rejected the API key (401): Invalid or expired API key\n' +
        'hint: Nothing was stored. Check that the key is complete, has not expired, and belongs to this service.\n',
    });
    expect([read(KEYS), read(CONFIG)]).toEqual(before);
  });
});

describe('the prompt for the key', () => {
  const ask = async (terminal: MemoryTerminal, signals?: EventEmitter) =>
    login(['--base-url', 'http://127.0.0.1:9'], { terminal, env: NO_COLOR, ...(signals ? { signals } : {}) });

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
    expect((await ask(terminal, signals)).code).toBe(143);
    expect(terminal.rawModes).toEqual([true, false]);
    expect(signals.listenerCount('signal')).toBe(0);
  });
});

describe('the prompt for the base URL', () => {
  const QUESTION = 'Base URL of the service, such as https://api.example.com';

  it('comes before the one for the key, on a terminal where nothing sets the URL', async () => {
    const { url, requests } = await service(ACCEPTED);
    const terminal = new MemoryTerminal([` ${url}/ \r`, `${CANARY_KEY}\r`]);
    const { code, stderr } = await login([], { terminal, env: NO_COLOR });
    expect(code).toBe(0);
    const shown = drawnText(stderr);
    expect(shown).toContain(QUESTION);
    expect(shown.indexOf(QUESTION)).toBeLessThan(shown.indexOf(`API key for ${url}`));
    expect(stderr).not.toContain(CANARY_KEY);
    expect(requests).toHaveLength(1);
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
    expect(read(CONFIG)).toEqual({ profiles: { default: { 'base-url': url } } });
    expect(terminal.rawModes).toEqual([true, false, true, false]);
  });

  it.each(['\x03', '\x04', '\x1b'])('ends the login after the input %j', async (typed) => {
    const { code, stderr } = await login([], { terminal: new MemoryTerminal([typed]), env: NO_COLOR });
    expect(code).toBe(130);
    expect(drawnText(stderr)).toMatch(/ Canceled\. Nothing was stored\. $/);
    expect(existsSync(folder.file('config'))).toBe(false);
  });

  it.each([
    ['\r', 'Type the URL.'],
    ['api.example.com\r', ' is not a valid URL'],
    ['http://a.test\r', 'plain http to a.test would send the API key unencrypted'],
    ['https://me:secret@a.test\r', 'base URL must not contain a user name or password'],
  ])('asks again after %j, so that a key that is pasted next does not reach the shell', async (typed, problem) => {
    const { url } = await service(ACCEPTED);
    // The first answer is still there, to be corrected.
    const terminal = new MemoryTerminal([`${typed}\u0015${url}\r`, `${CANARY_KEY}\r`]);
    const { code, stderr } = await login([], { terminal, env: NO_COLOR });
    expect({ code }, stderr).toEqual({ code: 0 });
    expect(drawnText(stderr)).toContain(problem);
    expect(read(KEYS)).toEqual({ profiles: { default: { apiKey: CANARY_KEY, baseUrl: url } } });
  });
});

describe('an invalid login', () => {
  it('is rejected without a terminal to prompt on', async () => {
    const result = await login(['--base-url', 'https://api.example.com'], { stdin: CANARY_KEY });
    expect(result).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'error: cannot prompt for the key without a terminal\n' +
        'hint: Use --key-file, where - is standard input. In CI, set ORGADM_API_KEY instead of logging in.\n',
    });
  });

  it.each<[string[], string]>([
    [['--key-file', '-'], 'no …'],
    [['--base-url', 'http://a.test', '--key-file', '-'], 'plain http to a.test would send the API key unencrypted'],
    [
      ['--base-url', 'https://me:secret@a.test', '--key-file', '-'],
      '--base-url must not contain a user name or password',
    ],
    [['--sandbox'], '--sandbox needs no key'],
  ])('is rejected and stores nothing: %j', async (argv, message) => {
    const { code, stdout, stderr } = await login(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(textLike(`error: ${message}`));
    expect(stderr).not.toContain('secret@');
    expect(existsSync(folder.file('config'))).toBe(false);
  });

  it('is rejected if other users can write to the configuration directory', async () => {
    const { url } = await service(ACCEPTED);
    mkdirSync(folder.file('config'));
    chmodSync(folder.file('config'), 0o777);
    const { code, stderr } = await login(['--base-url', url, '--key-file', '-']);
    expect(code).toBe(2);
    expect(stderr).toContain(`chmod go-w ${folder.file('config')}`);
    expect(existsSync(folder.file(KEYS))).toBe(false);
  });
});

describe('a key on the command line', () => {
  it.each([
    ['auth', 'login', '--key', CANARY_KEY],
    ['auth', 'login', `--key=${CANARY_KEY}`, '--json'],
    ['findings', 'list', '--all', '--api-key', CANARY_KEY],
    ['--api-key', CANARY_KEY, 'auth', 'status', '--debug'],
  ])('is an unknown option, and never repeated: %s %s %s', async (...argv) => {
    const { code, stdout, stderr } = await runCli(folder.path, argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/unknown option '--(?:api-)?key'/);
    expect(stderr).not.toContain(CANARY_KEY);
  });
});
