import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/util/errors.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { closed, type JsonSchema, schemaOf, violationsOf } from './schema-validator.ts';

const cli = createCommandRunner();

const NAMES = ['role update', 'people bulk-add', 'runs list', 'domain status', 'findings list', 'error'];

describe('orgadm schema', () => {
  it('lists the documents that have a schema, as text and as JSON', async () => {
    expect((await cli.plain(['schema'])).stdout.trimEnd().split('\n')).toEqual(NAMES);
    expect((await cli.plain(['schema', '--json'])).json()).toEqual(NAMES);
  });

  it.each(NAMES)('prints JSON Schema 2020-12 for %s, with an example that fits it', async (name) => {
    const { code, stdout } = await cli.plain(['schema', ...name.split(' ')]);
    expect(code).toBe(0);
    const schema = JSON.parse(stdout) as JsonSchema;
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: expect.any(String),
      description: expect.any(String),
      examples: [expect.anything()],
    });
    expect(violationsOf(closed(schema), schema.examples?.[0])).toBeUndefined();
    // Responses of the service may have any other field.
    expect(stdout).not.toContain('"additionalProperties": false');
  });

  it.each(['show', 'resume'])('prints the document of people bulk-add for runs %s', async (verb) => {
    const { code, stdout } = await cli.plain(['schema', 'runs', verb]);
    expect(code).toBe(0);
    expect(stdout).toBe((await cli.plain(['schema', 'people', 'bulk-add'])).stdout);
  });

  it.each(['config list', 'people bulkadd', 'mapping', 'constructor'])(
    'rejects "%s" and lists the schemas',
    async (name) => {
      expectUsageError(
        await cli.plain(['schema', ...name.split(' ')]),
        `no schema for "${name}"`,
        'There are schemas for: role update, people bulk-add, runs list, domain status, findings list, error.',
      );
    },
  );
});

describe('a schema', () => {
  it('lists all states and codes', async () => {
    const propertiesOf = async (name: string) => (await schemaOf(cli, name)).properties;
    const { summary, rows } = (await propertiesOf('people bulk-add')) ?? {};
    expect(rows?.items?.properties?.state?.enum).toEqual([
      'created',
      'existing',
      'recovered',
      'failed',
      'invalid',
      'unknown',
      'unsent',
    ]);
    const codes = Object.keys(ERROR_CODES);
    expect(summary?.properties?.stopped?.anyOf?.[0]?.properties?.code?.enum).toEqual(['limit', 'running', ...codes]);
    expect((await propertiesOf('error'))?.error?.properties?.code?.enum).toEqual(codes);
    const domain = (await schemaOf(cli, 'domain status')).items?.anyOf?.map(({ properties }) => properties?.state);
    expect(domain?.flatMap((state) => state?.enum ?? state?.const)).toEqual([
      'ready',
      'not-verified',
      'misconfigured',
      'unknown',
      'error',
    ]);
  });
});

/** Replaces what differs from run to run by what the examples have in its place. */
function withStableValues(document: unknown): unknown {
  const text = JSON.stringify(document)
    .replaceAll(cli.file('state'), '/home/ada/.local/state/orgadm')
    .replaceAll(`${process.cwd()}/`, '/home/ada/')
    .replace(/req_[0-9a-f-]{36}/g, 'req_1')
    .replace(/\b[0-9a-f]{32}\b/g, 'id')
    .replace(/runs show [0-9a-f]{8}/g, 'runs show id')
    .replace(/("(?:updatedAt|startedAt|lastActiveAt)"):"[\dT:.-]+Z"/g, '$1:"time"');
  return JSON.parse(text);
}

describe('the example of a schema', () => {
  it.each<[name: string, argv: string[]]>([
    ['role update', ['role', 'update', 'rol_custom_1', '--permission', 'control=read', '--sandbox']],
    ['people bulk-add', ['people', 'bulk-add', 'examples/members.csv', '--sandbox']],
    ['domain status', ['domain', 'status', 'pending.example.com', '--sandbox']],
  ])('is what the tool prints: %s, for %j', async (name, argv) => {
    const { examples = [] } = await schemaOf(cli, name);
    const printed = (await cli.plain([...argv, '--json'])).json();
    expect(withStableValues(printed)).toEqual(withStableValues(examples[0]));
  });

  it('is what runs list prints', async () => {
    await cli.sandbox(['people', 'bulk-add', 'examples/members.csv']);
    const { examples = [] } = await schemaOf(cli, 'runs list');
    const printed = (await cli.plain(['runs', 'list', '--json'])).json();
    expect(withStableValues(printed)).toEqual(withStableValues(examples[0]));
  });

  it('is the error that a command prints', async () => {
    const { examples = [] } = await schemaOf(cli, 'error');
    const unknown = await cli.sandbox(['role', 'update', 'rol_none', '--name', 'Auditor', '--json', '--quiet']);
    expect(withStableValues(JSON.parse(unknown.stderr))).toEqual(withStableValues(examples[0]));
  });
});

describe('a schema', () => {
  it.each([
    ['role update', { id: 'rol_1', name: 'QA' }],
    ['role update', { mismatches: [{ path: 'name' }] }],
    ['domain status', [{ domain: 'trust.acme.test', verified: true, ready: true }]],
    ['findings list', { data: [] }],
    ['error', { error: { code: 'no-such-code', message: 'x' } }],
  ])('rejects for %s: %j', async (name, document) => {
    expect(violationsOf(await schemaOf(cli, name), document)).toMatch(/^data/);
  });
});
