import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { API_KEY } from '../../helpers/api-key.ts';
import { errorOf } from '../../helpers/report.ts';
import { createCommandRunner, expectUsageError } from '../../helpers/service-run.ts';
import { partLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const UPDATE = ['role', 'update', 'rol_1'];
const FROM = ['--from', '-'];

describe('role update sends', () => {
  it('one PATCH with the key, and the ID within one segment of the path', async () => {
    const { service, run } = await cli.scripted([{ body: {} }]);
    const env = { ORGADM_BASE_URL: `${service.url}/gateway/org/` };
    await run(['role', 'update', 'a/../b|c=dé', '--name', 'QA'], { env });
    expect(service.requests).toMatchObject([
      {
        method: 'PATCH',
        path: '/gateway/org/v1/roles/a%2F..%2Fb%7Cc%3Dd%C3%A9',
        headers: { 'x-api-key': API_KEY, accept: 'application/json', 'content-type': 'application/json' },
      },
    ]);
  });

  it.each<[argv: string[], body: object, file?: object]>([
    [['--name', '日本'], { name: '日本' }],
    [['--name', '🦊'.repeat(50)], { name: '🦊'.repeat(50) }],
    [['--obligation=a=yes', '--obligation=b=FALSE'], { obligations: { a: true, b: false } }],
    [['--permission', 'any:new= do.it , do.it'], { permissions: { 'any:new': ['do.it'] } }],
    [['--permission', 'risk=read', '--permission=risk=update'], { permissions: { risk: ['read', 'update'] } }],
    [FROM, { permissions: { policy: [] } }, { permissions: { policy: [] } }],
    [[...FROM, '--name', 'QA'], { name: 'QA', obligations: { a: true } }, { name: 7, obligations: { a: true } }],
    [
      [...FROM, '--permission', 'risk=read'],
      { permissions: { risk: ['read'] } },
      { id: 'rol_1', permissions: { control: ['read'], risk: [] } },
    ],
  ])('exactly what it was given: %j', async (argv, body, file = {}) => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    expect((await run([...UPDATE, ...argv], { stdin: JSON.stringify(file) })).code).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual(body);
  });

  it('of a role as the service returned it only what an update accepts, and names the rest', async () => {
    const { service, run } = await cli.scripted([{ body: ROLE }]);
    const stdin = `\uFEFF${JSON.stringify({ ...ROLE, obligations: null })}`;
    const { code, stderr } = await run(['role', 'update', 'rol_custom_1', ...FROM], { stdin });
    expect(code).toBe(0);
    expect(JSON.parse(service.requests[0]?.body ?? '')).toEqual({ name: ROLE.name, permissions: ROLE.permissions });
    expect(stderr).toMatch(/^--from: .*: id, isBuiltIn, createdAt, updatedAt, obligations \(null\)$/m);
  });

  it('nothing in a dry run, which shows the request, without key and URL', async () => {
    const argv = ['--name', 'QA', '--permission', 'risk=read', '--obligation', 'terms=true', '--dry-run', '--json'];
    const result = await cli.plain([...UPDATE, ...argv]);
    expect(result.code).toBe(0);
    expect(result.json()).toEqual({
      method: 'PATCH',
      path: '/v1/roles/rol_1',
      body: { name: 'QA', permissions: { risk: ['read'] }, obligations: { terms: true } },
    });
    expect(result.stderr).toMatch(/^warning: .*\bpermissions of rol_1\b/m);
  });
});

describe('role update sends nothing', () => {
  it.each<[argv: string[], message: string]>([
    [['--name', 'A'], '--name must have 2 to 50 characters (got 1)'],
    [['--name', 'x'.repeat(51)], '--name … (got 51)'],
    [['--permission', 'control'], '--permission: "control" is not of the form <resource>=<action>[,<action>...]'],
    [['--permission', 'control='], '--permission: "control" must not be blank, …'],
    [['--permission', 'control=read risk=read'], '--permission: "control" must be actions without spaces…'],
    [['--obligation', 'compliance'], '--obligation: "compliance" is not of the form <key>=<boolean>'],
    [['--obligation', 'compliance=maybe'], '--obligation compliance: "maybe" …'],
    [['--obligation=a=true', '--obligation=a=false'], '--obligation: "a" is set twice'],
    [[], 'nothing to change'],
    [['--from', '/no/such/file'], '--from: … /no/such/file: … (ENOENT)'],
  ])('for the invalid options %j', async (argv, message) => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...UPDATE, ...argv]);
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(partLike(`error: ${message}`)) });
    expect(service.requests).toEqual([]);
  });

  it.each<[file: string, message: string]>([
    ['{"name":', '--from: … end of JSON input'],
    ['[]', '--from: … must be a JSON object with name, permissions, or obligations'],
    ['{"id":"rol_1"}', '--from: standard input has none of name, permissions, obligations'],
    ['{"name":"QA","permision":{}}', '--from: unknown field "permision"'],
    ['{"name":"A"}', '--from: name … (got 1)'],
    ['{"permissions":[]}', '--from: permissions must be an object of resource names to arrays of actions'],
    ['{"permissions":{"control":"read"}}', '--from: permissions: "control" must be an array of actions'],
    ['{"obligations":true}', '--from: obligations must be an object of names to booleans'],
    ['{"obligations":{"terms":"true"}}', '--from: obligations: "terms" must be true or false'],
  ])('for the invalid file %s', async (stdin, message) => {
    const { service, run } = await cli.scripted([]);
    const result = await run([...UPDATE, ...FROM], { stdin });
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(partLike(`error: ${message}`)) });
    expect(service.requests).toEqual([]);
  });

  it('for an ID that is a step of a path', async () => {
    const { service, run } = await cli.scripted([]);
    expectUsageError(await run(['role', 'update', '..', '--name', 'QA']), '".." …', '…');
    expect(service.requests).toEqual([]);
  });
});

describe('role update exits 1 if the response', () => {
  const STORED = { id: 'rol_1', name: 'QA' };
  it.each<[string, object, status?: number]>([
    ['says that it failed', { ...STORED, success: false }],
    ['says in words that it succeeded', { ...STORED, success: 'true' }],
    ['has an error', { ...STORED, error: 'permission store offline' }],
    ['has errors', { ...STORED, errors: ['not saved'] }],
    ['has the status of an error', { ...STORED, statusCode: 500 }],
    ['is a list', [STORED]],
    ['has neither ID nor name', { id: '', name: '' }],
    ['accepts the update for later', STORED, 202],
    ['is a part', STORED, 206],
  ])('%s', async (_, body, status = 200) => {
    const { service, run } = await cli.scripted([{ status, body }]);
    const result = await run([...UPDATE, '--name', 'QA', '--json']);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorOf(result).code).toBe('invalid-response');
    expect(service.requests).toHaveLength(1);
  });
});

describe('a 403', () => {
  const GRANTS = "Cannot grant 'control:delete' permission - you don't have this permission";
  it.each([
    ['that names a permission of the change', GRANTS, 'Someone who has this permission'],
    ['that names none', 'Forbidden resource', 'Use a key that is allowed to do this.'],
  ])('%s has its own hint', async (_, message, hint) => {
    const { run } = await cli.scripted([{ status: 403, body: { message } }]);
    const { code, stderr } = await run([...UPDATE, '--permission', 'control=delete']);
    expect(code).toBe(4);
    expect(stderr).toContain(` (403): ${message}\nhint: `);
    expect(stderr).toContain(hint);
  });
});
