import { EventEmitter } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { FINDINGS } from '../../fixtures/contract/findings.ts';
import { BULK_RESPONSE } from '../../fixtures/contract/people.ts';
import { ROLE } from '../../fixtures/contract/role.ts';
import type { CliOptions, CliResult } from '../../helpers/run-cli.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { closed, type JsonSchema, schemaOf, violationsOf } from './schema-validator.ts';

/*
 * The shape of a document depends on the command alone. Each document here is checked against the schema of its command
 * without the permission to have other fields, so the schema states every field that orgadm adds.
 */

const cli = createCommandRunner();

/** Expects standard output to be one document that fits the schema. */
async function expectDocument(name: string, result: CliResult): Promise<void> {
  expect(violationsOf(closed(await schemaOf(cli, name)), result.json())).toBeUndefined();
}

/** Expects no output, and an error that fits its schema as the last line of standard error. */
async function expectError(result: CliResult): Promise<void> {
  expect(result.stdout).toBe('');
  await expectErrorLine(result);
}

async function expectErrorLine({ stderr }: CliResult): Promise<void> {
  const line = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as unknown;
  expect(violationsOf(closed(await schemaOf(cli, 'error')), line)).toBeUndefined();
}

/** Writes a list into the directory of the test. */
function list(...rows: string[]): string {
  const file = cli.file('members.csv');
  writeFileSync(file, ['userId,role', ...rows].join('\n'));
  return file;
}

const PEOPLE = 'test/fixtures/members.csv';

describe('output in the sandbox', () => {
  it.each<[name: string, argv: string[]]>([
    ['role update', ['role', 'update', 'rol_custom_1', '--permission', 'control=read']],
    ['role update', ['role', 'update', 'rol_custom_1', '--obligation', 'compliance=true']],
    ['role update', ['role', 'update', 'rol_custom_1', '--name', 'Auditor', '--dry-run']],
    ['people bulk-add', ['people', 'bulk-add', PEOPLE]],
    ['people bulk-add', ['people', 'bulk-add', PEOPLE, '--all-rows']],
    ['people bulk-add', ['people', 'bulk-add', PEOPLE, '--dry-run']],
    ['people bulk-add', ['people', 'bulk-add', 'examples/mistakes.csv']],
    ['people bulk-add', ['people', 'bulk-add', 'examples/mistakes.csv', '--invalid', 'skip']],
    ['domain status', ['domain', 'status', 'pending.example.com']],
    ['domain status', ['domain', 'status', 'pending.example.com', '--check-dns', '--resolver', '127.0.0.1:1']],
    ['domain status', ['domain', 'status', 'unreachable.example.com']],
    ['domain status', ['domain', 'status', 'misconfigured.example.com', 'nowhere.example.org', 'soon.example.com']],
    ['findings list', ['findings', 'list', '--all']],
    ['findings list', ['findings', 'list', '--all', '--count']],
  ])('fits the schema of %s: %j', async (name, argv) => {
    await expectDocument(name, await cli.sandbox([...argv, '--json']));
  });

  it('fits the schema of people bulk-add for a list without rows', async () => {
    await expectDocument('people bulk-add', await cli.sandbox(['people', 'bulk-add', list(), '--json']));
    await expectDocument('people bulk-add', await cli.sandbox(['people', 'bulk-add', list(), '--dry-run', '--json']));
  });
});

describe('output about a response', () => {
  it.each([
    { name: 'role update', argv: ['role', 'update', 'rol_1', '--name', 'QA'], body: { ...ROLE, team: { id: 7 } } },
    { name: 'role update', argv: ['role', 'update', 'rol_2', '--permission', 'risk=read'], body: ROLE },
    {
      name: 'role update',
      argv: ['role', 'update', '7', '--name', 'QA'],
      body: { id: 7, name: null, permissions: null },
    },
    { name: 'domain status', argv: ['domain', 'status', 'trust.acme.test'], body: { ...PENDING_DOMAIN, region: 'eu' } },
    { name: 'domain status', argv: ['domain', 'status', 'trust.acme.test'], body: READY_DOMAIN },
    {
      name: 'domain status',
      argv: ['domain', 'status', 'trust.acme.test'],
      body: { domain: null, verified: false, verification: null, cnameTarget: null, misconfigured: null },
    },
    { name: 'findings list', argv: ['findings', 'list', '--all'], body: { data: FINDINGS } },
    { name: 'findings list', argv: ['findings', 'list', '--all'], body: [] },
  ])('fits the schema of $name: $argv, $body', async ({ name, argv, body }) => {
    const { run } = await cli.scripted([{ body }]);
    await expectDocument(name, await run([...argv, '--json']));
  });

  it.each([
    ['with all fields', BULK_RESPONSE],
    ['with a caller whose id is a number', { ...BULK_RESPONSE, authenticatedUser: { id: 7, email: null } }],
    ['with a caller of another type', { ...BULK_RESPONSE, authenticatedUser: 'ada', authType: 7 }],
    ['without anything but the lists', { created: BULK_RESPONSE.created, errors: BULK_RESPONSE.errors }],
  ])('fits the schema of people bulk-add for a response %s', async (_, body) => {
    const { run } = await cli.scripted([{ status: 201, body }]);
    await expectDocument(
      'people bulk-add',
      await run(['people', 'bulk-add', list('usr_1,admin', 'usr_2,admin'), '--json']),
    );
  });

  it('fits the schema of people bulk-add if an error ends the run, and the error follows', async () => {
    const { run } = await cli.scripted([{ status: 403, body: { message: 'No permission' } }]);
    const result = await run(['people', 'bulk-add', list('usr_1,admin'), '--json']);
    expect(result.code).toBe(4);
    await expectDocument('people bulk-add', result);
    expect(result.json()).toMatchObject({
      summary: { unsent: 1, stopped: { code: 'forbidden', message: expect.any(String) } },
    });
  });

  it('fits the schema of domain status if --wait is interrupted before every domain was checked', async () => {
    const signals = new EventEmitter();
    const { run } = await cli.scripted(() => {
      setImmediate(() => signals.emit('signal', 'SIGINT'));
      return { status: 503, body: { message: 'busy' } };
    });
    const names = Array.from({ length: 20 }, (_, at) => `d${at}.acme.test`);
    const result = await run(['domain', 'status', ...names, '--wait', '--json', '--retries', '0'], { signals });
    expect(result.code).toBe(130);
    expect(result.json()).toMatchObject(
      names.map((domain) => ({ domain, state: 'error', error: { code: 'interrupted' } })),
    );
    await expectDocument('domain status', result);
  });
});

describe('output about runs', () => {
  it('fits the schema if there are none', async () => {
    await expectDocument('runs list', await cli.plain(['runs', 'list', '--json']));
  });

  const add = ['people', 'bulk-add', '--all-rows', '--json'];
  const firstId = async () => (await cli.plain(['runs', 'list', '--jq', '.[0].id', '-r'])).stdout.trim();

  it('fits the schema for a finished run that is resumed and shown', async () => {
    const file = list('usr_0301,member', 'usr_0003,member');
    await cli.sandbox([...add, file]);
    await expectDocument('people bulk-add', await cli.sandbox([...add, file]));
    await expectDocument('runs list', await cli.plain(['runs', 'list', '--json']));
    const id = await firstId();
    await expectDocument('people bulk-add', await cli.plain(['runs', 'show', id, '--json']));
    await expectDocument('people bulk-add', await cli.plain(['runs', 'show', id, '--all-rows', '--json']));
    rmSync(file);
    await expectDocument('people bulk-add', await cli.plain(['runs', 'show', id, '--all-rows', '--json']));
  });

  it('fits the schema for a run of standard input that sent one of its rows', async () => {
    const stdin = 'userId,role\nusr_0301,member\nusr_0302,member\n';
    await cli.sandbox([...add, '-', '--limit', '1'], { stdin });
    await expectDocument('runs list', await cli.plain(['runs', 'list', '--json']));
    await expectDocument('people bulk-add', await cli.plain(['runs', 'show', await firstId(), '--json']));
  });

  it('fits the schema for a damaged run', async () => {
    const id = '0123456789abcdef0123456789abcdef';
    mkdirSync(join(cli.file('state'), 'runs', id), { recursive: true, mode: 0o700 });
    writeFileSync(join(cli.file('state'), 'runs', id, 'journal'), 'not a journal\n');
    const listed = await cli.plain(['runs', 'list', '--json']);
    expect(listed.json()).toMatchObject([{ id, state: 'damaged', summary: null }]);
    await expectDocument('runs list', listed);
    await expectError(await cli.plain(['runs', 'show', id, '--json']));
  });
});

describe('an error on standard error', () => {
  it.each<[argv: string[], env?: CliOptions['env']]>([
    [['role', 'update', 'rol_none', '--name', 'QA', '--sandbox']],
    [['role', 'update']],
    [['role', 'update', 'rol_custom_1']],
    [['domain', 'status', 'nowhere.example.org', '--sandbox']],
    [['domain', 'status', 'trust.acme.test', '--debug'], { ORGADM_BASE_URL: 'https://acme.test' }],
    [['findings', 'list', '--sandbox']],
    [['people', 'bulk-add', 'no-such-file.csv', '--sandbox']],
    [['runs', 'show', '0123456789ab']],
    [['config', 'unset', 'retry']],
    [['config', 'set', 'retries', 'many']],
    [['sandbox', 'serve', '--port', 'x']],
    [['no-such-command']],
  ])('fits the schema: %j', async (argv, env) => {
    await expectError(await cli.plain([...argv, '--json'], env === undefined ? {} : { env }));
  });

  it('fits the schema for an empty file', async () => {
    writeFileSync(cli.file('empty.csv'), '');
    await expectError(await cli.sandbox(['people', 'bulk-add', cli.file('empty.csv'), '--json']));
  });
});

describe('output under -o ndjson', () => {
  const linesOf = ({ stdout }: CliResult) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);

  it.each<[name: string, argv: string[]]>([
    ['domain status', ['domain', 'status', 'trust.example.com']],
    ['domain status', ['domain', 'status', 'trust.example.com', 'nowhere.example.org']],
  ])('has an element of the array on every line: %s %j', async (name, argv) => {
    const { items = {} } = closed(await schemaOf(cli, name));
    const lines = linesOf(await cli.sandbox([...argv, '-o', 'ndjson']));
    expect(lines.map((line) => violationsOf(items, line))).toEqual(lines.map(() => undefined));
  });

  it.each<[argv: string[]]>([
    [['people', 'bulk-add', PEOPLE]],
    [['people', 'bulk-add', PEOPLE, '--dry-run']],
    [['people', 'bulk-add', 'examples/mistakes.csv']],
  ])('has the report without its rows on the last line, after the rows: %j', async (argv) => {
    const {
      properties: { rows, ...properties } = {},
      required = [],
      ...schema
    } = closed(await schemaOf(cli, 'people bulk-add'));
    const lines = linesOf(await cli.sandbox([...argv, '-o', 'ndjson']));
    const rest: JsonSchema = { ...schema, properties, required: required.filter((name) => name !== 'rows') };
    expect(violationsOf(rest, lines.pop())).toBeUndefined();
    // A created row also has its member.
    const row: JsonSchema = { ...rows?.items, additionalProperties: true };
    expect(lines.map((line) => violationsOf(row, line))).toEqual(lines.map(() => undefined));
  });
});
