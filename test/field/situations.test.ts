import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { API_KEY } from '../helpers/api-key.ts';
import { addsAnyone, addsMembers } from '../helpers/people-service.ts';
import { MemoryTerminal, memoryHost, runCli } from '../helpers/run-cli.ts';
import type { Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/* Situations in which command-line tools let administrators down: damaged identifiers, keys, variables, terminals, and machines. */

const cli = createCommandRunner(API_KEY, { scriptsFirstRead: true });

interface Situation {
  situation: string;
  argv: readonly string[];
  stdin?: string | Buffer;
  env?: Record<string, string>;
  /** The exit code; 2 by default. */
  code?: number;
  /** Parts of what orgadm prints on standard error. */
  says: readonly string[];
}

async function expectRejected({ argv, stdin, env, code = 2, says }: Situation) {
  const { service, run } = await cli.scripted([]);
  const result = await run(argv, { ...(stdin !== undefined && { stdin }), ...(env && { env }) });
  for (const part of says) expect(result.stderr).toContain(part);
  expect(result.code, result.stderr).toBe(code);
  expect(service.requests).toEqual([]);
}

const FIND = ['findings', 'list', '--all'];
const GATE = [...FIND, '--status', 'open', '--exit-status'];
const READ: Reply = { body: [] };

describe('an identifier that a script has damaged is rejected before anything is sent', () => {
  const task = (id: string) => ['findings', 'list', '--task', id, '--exit-status'];
  // biome-ignore format: a table
  it.each<Situation>([
    { situation: 'a task that jq did not find', argv: task('null'), says: ['--task', ' null\n'] },
    { situation: 'a submission with a carriage return', argv: ['findings', 'list', '--evidence-submission', 'sub_1\r'], says: ['--evidence-submission', 'U+000D'] },
    { situation: 'a form type with a carriage return', argv: ['findings', 'list', '--evidence-form-type', 'rbac-matrix\r'], says: ['--evidence-form-type', 'U+000D'] },
    { situation: 'a scope with a carriage return', argv: ['findings', 'list', '--scope', 'people\r'], says: ['--scope', 'U+000D'] },
    { situation: 'a role in single quotes', argv: ['role', 'update', '$ROLE', '--name', 'QA', '--yes'], says: ['the role ID', '"$"'] },
    { situation: 'the second of two domains', argv: ['domain', 'status', 'a.acme.test', 'trust\u200b.acme.test', '--exit-status'], says: ['the domain', 'U+200B'] },
    { situation: 'two domains as one', argv: ['domain', 'status', 'a.acme.test,b.acme.test', '--exit-status'], says: ['the domain', '","'] },
    { situation: 'the ID of a run', argv: ['runs', 'resume', '3f9a2c0d\r'], says: ['the run ID', 'U+000D'] },
    { situation: 'the name of a role', argv: ['role', 'update', 'rol_1', '--name', 'QA\r', '--yes'], says: ['--name', 'QA<U+000D>'] },
    { situation: 'a permission', argv: ['role', 'update', 'rol_1', '--permission', 'cont\u200brol=read', '--yes'], says: ['--permission', 'cont<U+200B>rol'] },
    { situation: 'an obligation', argv: ['role', 'update', 'rol_1', '--obligation', 'compli\u00adance=true', '--yes'], says: ['--obligation', 'compli<U+00AD>ance'] },
    { situation: 'a path with an empty variable', argv: ['api', 'DELETE', 'v1/people//roles/rol_1'], says: ['a part of the path is empty'] },
    { situation: 'a path that ends in an empty variable', argv: ['api', 'DELETE', '/v1/people/?force=true'], says: ['/v1/people/'] },
  ])('$situation', expectRejected);

  // Line ends, spaces, quotation marks, and the syntax of shells, templates, and lists are among them.
  it.each([...' !"#$%&\'()*,;<>?[\\]^`{}\r\n\t\u00a0\u00ad\u200b\ufeff“”'])('the character %j', async (character) => {
    for (const id of [`${character}tsk_1`, `tsk${character}1`, `tsk_1${character}`])
      expect(await cli.plain(task(id))).toMatchObject({ code: 2, stderr: expect.stringContaining('--task') });
  });
});

describe('a file from elsewhere is rejected before anything is sent', () => {
  const FROM = ['role', 'update', 'rol_1', '--from', '-', '--yes'];
  // biome-ignore format: a table
  it.each<Omit<Situation, 'argv'> & { argv?: string[] }>([
    { situation: 'the export of another role', stdin: '{"id":"rol_admin","permissions":{"control":["delete"]}}', says: ['is the role rol_admin, not rol_1'] },
    { situation: 'an ID that differs in its last digit, of more digits than a number holds', argv: ['role', 'update', '12345678901234567891', '--from', '-'], stdin: '{"id":12345678901234567890,"name":"QA"}', says: ['12345678901234567890'] },
    { situation: 'an action with a line end of Windows', stdin: '{"permissions":{"control":["read\\r"]}}', says: ['read<U+000D>'] },
    { situation: 'a resource from a web page', stdin: '{"permissions":{"cont\u200brol":["read"]}}', says: ['cont<U+200B>rol'] },
    { situation: 'an obligation from a document', stdin: '{"obligations":{"compli\u00adance":true}}', says: ['compli<U+00AD>ance'] },
    { situation: 'a blank action', stdin: '{"permissions":{"control":[""]}}', says: ['--from: permissions'] },
    { situation: 'another encoding', stdin: Buffer.from('{"name":"Prüfer"}', 'latin1'), says: ['is not in UTF-8'] },
    { situation: 'the output of a command that failed', argv: ['api', 'PATCH', 'v1/roles/rol_1', '--input', '-'], stdin: '', says: ['--input: standard input is empty'] },
  ])('$situation', ({ argv = FROM, ...situation }) => expectRejected({ ...situation, argv }));
});

describe('keys, profiles, and variables', () => {
  const OTHER = 'production-key-0123456789';

  it('sends neither the key of the job nor that of the profile if both have one', async () => {
    const { service, run } = await cli.scripted(() => READ);
    mkdirSync(cli.file('config'), { mode: 0o700 });
    const write = (file: string, value: object) =>
      writeFileSync(cli.file(`config/${file}`), JSON.stringify({ profiles: { default: value } }), { mode: 0o600 });
    write('config.json', { 'base-url': service.url });
    write('credentials.json', { apiKey: 'stored-key-0123456789', baseUrl: service.url });
    const job = { ORGADM_API_KEY: OTHER, ORGADM_BASE_URL: '' };
    expect((await run(FIND, { env: job })).code).toBe(2);
    expect(service.requests).toEqual([]);
    expect((await run(FIND, { env: { ...job, ORGADM_BASE_URL: service.url } })).code).toBe(0);
    expect((await run(FIND, { env: { ...job, ORGADM_API_KEY: '' } })).code).toBe(0);
    const keys = service.requests.map(({ headers }) => headers['x-api-key']);
    expect(keys).toEqual([OTHER, 'stored-key-0123456789']);
  });

  it('sends a key of any characters as it is', async () => {
    const key = `17|a$\{b}%20c==`;
    const { service, run } = await cli.scripted(() => READ);
    expect((await run(FIND, { env: { ORGADM_API_KEY: key } })).code).toBe(0);
    expect(service.requests[0]?.headers['x-api-key']).toBe(key);
  });

  it('a suggested setting changes the profile that the command named', async () => {
    const { service, run } = await cli.scripted(() => ({ body: { data: [], hasMore: false } }));
    await cli.plain(['config', 'set', 'base-url', service.url, '--profile', 'staging']);
    const { stderr } = await run([...GATE, '--profile', 'staging']);
    expect(stderr).toContain('orgadm config set wire.findings.ignore hasMore=false --profile staging\n');
  });

  it.each([
    ['needs no proxy if NO_PROXY names its address', (port: number) => `localhost,0.0.0.0:${port}`, 0],
    ['needs the proxy otherwise', () => 'intranet.example.com', 6],
  ])('a service %s', async (_, named, code) => {
    const { service, run } = await cli.scripted(() => READ);
    const ORGADM_BASE_URL = `http://0.0.0.0:${service.port}`;
    const env = { ORGADM_BASE_URL, HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: named(service.port) };
    expect((await run([...FIND, '--allow-http', '--retries', '0'], { env })).code).toBe(code);
  });

  it.each<[string, argv: readonly string[], env: Record<string, string>, named: string]>([
    ['in place of the name of its file', [...FIND, '--key-file', OTHER], { ORGADM_API_KEY: '' }, '--key-file'],
    ['in a misspelled variable', FIND, { ORGADM_APIKEY: OTHER }, 'ORGADM_APIKEY'],
  ])('an error does not repeat a key %s', async (_, argv, env, named) => {
    const { code, stderr } = await cli.plain(argv, { env });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(named) });
    expect(stderr).not.toContain(OTHER);
  });

  // biome-ignore format: a table
  it.each<Situation>([
    { situation: 'a base URL of several lines', argv: FIND, env: { ORGADM_BASE_URL: 'https://api.exam\n  ple.com' }, says: ['ORGADM_BASE_URL'] },
    { situation: 'an empty key, as a compose file passes it on', argv: FIND, env: { ORGADM_API_KEY: ' \r\n' }, code: 4, says: ['ORGADM_API_KEY is empty\n'] },
    { situation: 'the home directory of another user', argv: ['runs', 'list'], env: { ORGADM_STATE_DIR: '~admin/state' }, says: ['"~admin/state"'] },
  ])('nothing is sent with $situation', expectRejected);
});

describe('terminals, logs, and machines', () => {
  it.each(['true', 'woodpecker'])('a runner with a terminal is not asked, and gets plain output: CI=%s', async (CI) => {
    const { service, run } = await cli.scripted(addsAnyone());
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\n');
    const options = { terminal: new MemoryTerminal([]), columns: 40, env: { CI, TERM: 'xterm' } };
    const { code, stderr } = await run(['people', 'bulk-add', cli.file('members.csv')], options);
    expect({ code, methods: service.requests.map(({ method }) => method) }).toEqual({
      code: 0,
      methods: ['GET', 'POST'],
    });
    expect(stderr).not.toContain('\u001b');
  });

  it('a terminal with CI=false is an ordinary one', async () => {
    const { service, run } = await cli.scripted(addsMembers());
    writeFileSync(cli.file('members.csv'), 'userId,role\nusr_1,member\n');
    const options = { terminal: new MemoryTerminal(['n']), env: { CI: 'false', NO_COLOR: '1' } };
    expect((await run(['people', 'bulk-add', cli.file('members.csv')], options)).code).toBe(2);
    expect(service.requests).toEqual([]);
  });

  it.each(['table', 'csv', 'json', 'ndjson'])('no line of -o %s is a command of a CI system', async (format) => {
    const COMMANDS = ['::set-output name=ok::true', '##[add-path]/tmp', '##vso[task.setvariable]x'];
    const body = COMMANDS.map((content) => ({ id: `a\n${content}`, status: 'open', content }));
    const { run } = await cli.scripted(() => ({ body }));
    const { stdout, stderr } = await run([...FIND, '-o', format]);
    expect(stdout).toContain('set-output');
    expect(`${stdout}\n${stderr}`).not.toMatch(/^[ \t]*(?:::|##\[|##vso\[)/m);
  });

  it('no line of an error or of --debug is a command of a CI system', async () => {
    const { run } = await cli.scripted(() => ({ status: 400, body: { message: 'no\n##[add-path]/tmp' } }));
    const { stderr } = await run([...FIND, '--debug']);
    expect(stderr).toContain('add-path');
    expect(stderr).not.toMatch(/^[ \t]*##\[/m);
  });

  it('a check whose reader exits early, as head does, counts all findings', async () => {
    const body = Array.from({ length: 50_000 }, (_, at) => ({ id: `fnd_${at}`, status: at % 2 ? 'open' : 'closed' }));
    const { service } = await cli.scripted(() => ({ body }));
    const env = { ORGADM_BASE_URL: service.url, ORGADM_API_KEY: API_KEY };
    const { host, stderr } = memoryHost(cli.file('home'), { env });
    const stdout = new PassThrough();
    stdout.once('data', () => stdout.destroy());
    expect(await main([...GATE, '-o', 'ndjson'], Object.create(host, { stdout: { value: stdout } }))).toBe(7);
    expect(stderr.text).toContain('25,000 findings remain (exit 7)\n');
  });

  it('a machine without a home directory runs the commands that need none', async () => {
    const { service } = await cli.scripted(() => READ);
    const noHome = { ORGADM_CONFIG_DIR: '', ORGADM_STATE_DIR: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };
    const env = { ...noHome, ORGADM_BASE_URL: service.url, ORGADM_API_KEY: API_KEY };
    for (const argv of [FIND, ['api', 'GET', '/v1/findings'], ['auth', 'status'], ['people', 'template']])
      expect(await runCli('', argv, { env }), argv.join(' ')).toMatchObject({ code: 0 });
    expect((await runCli('', ['config', 'set', 'retries', '5'], { env })).code).toBe(2);
  });

  it.each([
    ['the sticky directory for temporary files', 0o1777, undefined],
    ['a directory of root for a group', 0o775, 1234],
  ])(
    'a directory that others need to write to is rejected without the advice to change it: %s',
    async (_, mode, uid) => {
      const shared = cli.file('shared');
      mkdirSync(shared);
      chmodSync(shared, mode);
      const options = { env: { ORGADM_STATE_DIR: shared }, ...(uid !== undefined && { uid }) };
      const { code, stderr } = await cli.plain(['runs', 'list'], options);
      expect(code).toBe(2);
      expect(stderr).toContain(`ORGADM_STATE_DIR=${shared}/orgadm`);
      expect(stderr).not.toContain('chmod');
    },
  );
});
