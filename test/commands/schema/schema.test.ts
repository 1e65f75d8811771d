import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { BULK_RESPONSE } from '../../fixtures/contract/people.ts';
import { ROLE } from '../../fixtures/contract/role.ts';
import type { CliResult } from '../../helpers/run-cli.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';

const cli = createCommandRunner();

const NAMES = [
  'role update',
  'people bulk-add',
  'runs list',
  'runs show',
  'runs remove',
  'people template',
  'domain status',
  'findings list',
  'auth login',
  'auth status',
  'auth logout',
  'config list',
  'config get',
  'config set',
  'config unset',
  'config path',
  'sandbox serve',
  'sandbox reset',
  'version',
  'schema',
  'doctor',
  'mapping',
  'error',
];

/** What is wrong with a document by the schema of that name; undefined where nothing is. */
async function faultOf(name: string, document: unknown): Promise<string | undefined> {
  const schema = (await cli.plain(['schema', ...name.split(' ')])).json() as object;
  const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, formats: { 'date-time': true } });
  return ajv.validate(schema, document) ? undefined : ajv.errorsText();
}

async function expectToFit(name: string, result: CliResult): Promise<void> {
  expect(await faultOf(name, result.json())).toBeUndefined();
}

describe('orgadm schema', () => {
  it('lists what has a schema, as text and as JSON', async () => {
    expect((await cli.plain(['schema'])).stdout).toBe(NAMES.map((name) => `${name}\n`).join(''));
    for (const list of [[], ['--list']]) {
      expect((await cli.plain(['schema', ...list, '--json'])).json()).toEqual({ schemaVersion: 1, schemas: NAMES });
    }
    expectUsageError(await cli.plain(['schema', 'error', '--list']), '--list cannot be used with a command');
  });

  it.each(NAMES)('%s is JSON Schema 2020-12, in every format', async (name) => {
    const { code, stdout } = await cli.plain(['schema', ...name.split(' ')]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
    expect((await cli.plain(['schema', ...name.split(' '), '--json'])).stdout).toBe(stdout);
  });

  it('names the nearest for a command that there is not', async () => {
    expectUsageError(
      await cli.plain(['schema', 'people', 'bulkadd']),
      'there is no schema for "people bulkadd"',
      'Did you mean "people bulk-add"?',
    );
  });
});

describe('what a command prints fits its schema', () => {
  it.each([
    ['role update', ['role', 'update', 'rol_custom_1', '--permission', 'control=read']],
    ['role update', ['role', 'update', 'rol_custom_1', '--name', 'Auditor', '--dry-run']],
    ['role update', ['role', 'update', 'rol_custom_1', '--name', 'Second Auditor', '--variant', 'success-status=204']],
    ['people bulk-add', ['people', 'bulk-add', 'test/fixtures/members.csv']],
    ['people bulk-add', ['people', 'bulk-add', 'test/fixtures/members.csv', '--dry-run']],
    ['people bulk-add', ['people', 'bulk-add', 'test/fixtures/members.csv', '--variant', 'authenticated-user=no']],
    ['people template', ['people', 'template']],
    ['domain status', ['domain', 'status', 'pending.example.com']],
    ['domain status', ['domain', 'status', 'unreachable.example.com', '--variant', 'misconfigured=null']],
    ['domain status', ['domain', 'status', 'trust.example.com', 'nowhere.example.org', 'soon.example.com']],
    ['findings list', ['findings', 'list', '--scope', 'people']],
    ['findings list', ['findings', 'list', '--scope', 'people', '--count']],
    ['findings list', ['findings', 'list', '--scope', 'people', '--count', '--group-by', 'severity']],
    ['findings list', ['findings', 'list', '--scope', 'people', '--columns', 'help']],
    ['auth logout', ['auth', 'logout']],
    ['config set', ['config', 'set', 'retries', '7']],
    ['config set', ['config', 'set', 'wire.member.existing', 'is on board', 'there already']],
    ['config unset', ['config', 'unset', 'timeout', 'retries']],
    ['config path', ['config', 'path']],
    ['version', ['version']],
    ['schema', ['schema']],
  ])('%s in the sandbox: %j', async (name, argv) => {
    const run = /^(auth|config|version|schema)/.test(name) ? cli.plain : cli.sandbox;
    await expectToFit(name, await run([...argv, '--json']));
  });

  it.each([
    { name: 'role update', argv: ['role', 'update', 'rol_1', '--name', 'QA'], body: { ...ROLE, team: { id: 7 } } },
    { name: 'role update', argv: ['role', 'update', 'rol_2', '--permission', 'risk=read'], body: ROLE },
    { name: 'domain status', argv: ['domain', 'status', 'trust.acme.test'], body: { ...PENDING_DOMAIN, region: 'eu' } },
    { name: 'domain status', argv: ['domain', 'status', 'trust.acme.test'], body: READY_DOMAIN },
    { name: 'findings list', argv: ['findings', 'list', '--all'], body: { data: FINDINGS } },
  ])('$name, with undocumented fields', async ({ name, argv, body }) => {
    const { run } = await cli.scripted([{ body }]);
    await expectToFit(name, await run([...argv, '--json']));
  });

  it('people bulk-add, of a service and of a rejected list', async () => {
    const file = cli.file('members.csv');
    writeFileSync(file, 'userId,role\nusr_1,admin\nusr_2,admin\n');
    const { run } = await cli.scripted([{ status: 201, body: BULK_RESPONSE }]);
    await expectToFit('people bulk-add', await run(['people', 'bulk-add', file, '--json']));
    writeFileSync(file, 'userId,role\nusr_1,admin\nusr_1,admin\n,admin\n');
    await expectToFit('people bulk-add', await cli.sandbox(['people', 'bulk-add', file, '--json']));
  });

  it('the commands on runs', async () => {
    const add = ['people', 'bulk-add', 'test/fixtures/members.csv', '--all-rows', '--json'];
    await expectToFit('people bulk-add', await cli.sandbox(add));
    await cli.sandbox([...add]);
    await expectToFit('runs list', await cli.plain(['runs', 'list', '--json']));
    const { stdout: id } = await cli.plain(['runs', 'list', '--jq', '.[0].id', '-r']);
    await expectToFit('runs show', await cli.plain(['runs', 'show', id.trim(), '--all-rows', '--json']));
    await expectToFit('runs remove', await cli.plain(['runs', 'remove', id.trim(), '--yes', '--json']));
  });

  it('auth and config, of a profile', async () => {
    const { service, run } = await cli.scripted(() => ({ body: [] }));
    const key = cli.file('key');
    writeFileSync(key, 'k-1234567890\n', { mode: 0o600 });
    const login = ['auth', 'login', '--base-url', service.url, '--key-file', key, '--json'];
    await expectToFit('auth login', await run(login));
    await expectToFit('auth status', await run(['auth', 'status', '--json']));
    const forbidding = await cli.scripted(() => ({ status: 403, body: { message: 'no' } }));
    await expectToFit('auth status', await forbidding.run(['auth', 'status', '--json']));
    await cli.plain(['config', 'set', 'retries', '7']);
    await cli.plain(['config', 'set', 'wire.member.existing', 'is on board', 'there already']);
    await expectToFit('config list', await cli.plain(['config', 'list', '--json']));
    await expectToFit('config list', await cli.plain(['config', 'list', '--effective', '--json']));
    await expectToFit('config get', await cli.plain(['config', 'get', 'retries', '--json']));
    await expectToFit('config get', await cli.plain(['config', 'get', 'wire.member.existing', '--json']));
    await expectToFit('auth logout', await cli.plain(['auth', 'logout', '--json']));
  });

  it('sandbox serve, until it is interrupted', async () => {
    const signals = new EventEmitter();
    signals.on('newListener', () => setImmediate(() => signals.emit('signal', 'SIGINT')));
    await expectToFit('sandbox serve', await cli.plain(['sandbox', 'serve', '--json'], { signals }));
  });

  it('sandbox reset', async () => {
    await expectToFit('sandbox reset', await cli.plain(['sandbox', 'reset', '--json']));
  });

  it('config unset, with the names of what was set', async () => {
    await cli.plain(['config', 'set', 'retries', '7']);
    const unset = await cli.plain(['config', 'unset', 'timeout', 'retries', '--json']);
    await expectToFit('config unset', unset);
    expect(unset.json()).toEqual({ profile: 'default', removed: ['retries'] });
  });

  it.each(NAMES.filter((name) => name !== 'mapping'))('allows other fields in every object: %s', async (name) => {
    expect((await cli.plain(['schema', ...name.split(' ')])).stdout).not.toContain('"additionalProperties": false');
  });

  it.each([
    [['--sandbox']],
    [['--report']],
    [['--timeout=soon']],
    [['--calibrate', '--member', 'usr_0003', '--sandbox']],
  ])('doctor %j', async (flags) => {
    await expectToFit('doctor', await cli.plain(['doctor', ...flags, '--json']));
  });

  it.each([
    [['role', 'update', 'rol_none', '--name', 'QA', '--sandbox'], {}],
    [['role', 'update'], {}],
    [['domain', 'status', 'trust.acme.test', '--debug'], { ORGADM_BASE_URL: 'https://acme.test' }],
  ])('an error: %j', async (argv, env) => {
    const { stderr } = await cli.plain([...argv, '--json'], { env });
    expect(await faultOf('error', JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? ''))).toBeUndefined();
  });
});

describe('a schema rejects', () => {
  it.each([
    ['role update', { id: 'rol_1', name: 'QA' }],
    ['role update', { mismatches: [{ path: 'name' }] }],
    ['role update', null],
    ['people bulk-add', { summary: {}, rows: [], authType: null, authenticatedUser: null }],
    ['domain status', [{ domain: 'trust.acme.test', verified: 'yes', state: 'ready', ready: true }]],
    ['domain status', [{ domain: 'trust.acme.test', verified: true, ready: true }]],
    ['findings list', { data: [] }],
    ['config list', { default: { 'base-uri': 'https://acme.test' } }],
    ['error', { error: { message: 'no code' } }],
    ['error', { error: { code: 'no-such-code', message: 'x' } }],
  ])('%s: %j', async (name, document) => {
    expect(await faultOf(name, document)).toMatch(/^data/);
  });
});
