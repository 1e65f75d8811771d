import { describe, expect, it } from 'vitest';
import { ROLE } from '../../fixtures/contract/role.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';
import { textLike } from '../../helpers/text-like.ts';

const cli = createCommandRunner();

const COMPLETE_CHANGE = [
  ...['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'],
  ...['--permission', 'control=read,update', '--permission', 'policy=read', '--obligation', 'compliance=true'],
];

describe('the request of role update', () => {
  it('has exactly the given values, typed', async () => {
    const { service, run } = await cli.scripted([{ body: ROLE }]);
    expect((await run(COMPLETE_CHANGE)).code).toBe(0);

    const [request] = service.requests;
    expect(request?.method).toBe('PATCH');
    expect(request?.path).toBe('/v1/roles/rol_custom_1');
    expect(request?.headers).toMatchObject({
      'x-api-key': CANARY_KEY,
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^orgadm\/\d+\.\d+\.\d+$/),
    });
    expect(request?.body).toBe(
      '{"name":"Lead Auditor","permissions":{"control":["read","update"],"policy":["read"]},"obligations":{"compliance":true}}',
    );
  });

  it.each([
    { argv: ['--name', 'QA'], body: '{"name":"QA"}' },
    { argv: ['--obligation', 'compliance=false'], body: '{"obligations":{"compliance":false}}' },
    { argv: ['--obligation=a=true', '--obligation=b=false'], body: '{"obligations":{"a":true,"b":false}}' },
    { argv: ['--permission', 'risk=read'], body: '{"permissions":{"risk":["read"]}}' },
    { argv: ['--permission', 'risk= read , read'], body: '{"permissions":{"risk":["read"]}}' },
    {
      argv: ['--permission', 'risk=read', '--permission', 'risk=update'],
      body: '{"permissions":{"risk":["read","update"]}}',
    },
    { argv: ['--permission', 'anything:new=do.it'], body: '{"permissions":{"anything:new":["do.it"]}}' },
  ])('has the body $body for $argv', async ({ argv, body }) => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    expect((await run(['role', 'update', 'rol_custom_1', ...argv])).code).toBe(0);
    expect(service.requests[0]?.body).toBe(body);
  });

  it('has the identifier within one path segment, after the path prefix of the base URL', async () => {
    const { service, run } = await cli.scripted([{ body: ROLE }]);
    const env = { ORGADM_BASE_URL: `${service.url}/gateway/org/` };
    await run(['role', 'update', 'a/../b|c=dé', '--name', 'QA'], { env });
    expect(service.requests[0]?.path).toBe('/gateway/org/v1/roles/a%2F..%2Fb%7Cc%3Dd%C3%A9');
  });

  it('has a change from standard input, joined with flags for other fields', async () => {
    const { service, run } = await cli.scripted([{ status: 204 }]);
    const stdin = '\uFEFF{"permissions":{"policy":[]},"obligations":{"compliance":true}}';
    expect((await run(['role', 'update', 'rol_1', '--from', '-', '--name', 'QA'], { stdin })).code).toBe(0);
    expect(service.requests[0]?.body).toBe(
      '{"permissions":{"policy":[]},"obligations":{"compliance":true},"name":"QA"}',
    );
  });

  it('has the accepted fields of a role as the service returns it, and a note names the others', async () => {
    const { service, run } = await cli.scripted([{ body: ROLE }]);
    const stdin = JSON.stringify({ ...ROLE, obligations: null });
    const result = await run(['role', 'update', 'rol_custom_1', '--from', '-'], { stdin });
    expect(service.requests[0]?.body).toBe(
      '{"name":"Lead Auditor","permissions":{"control":["read","update"],"policy":["read"]}}',
    );
    expect(result.code).toBe(0);
    expect(result.stderr.split('\n')[0]).toMatch(
      /^--from: .*: id, isBuiltIn, createdAt, updatedAt, obligations \(null\)$/,
    );
  });

  it('is sent again if its response was lost, because it sets the same values', async () => {
    const { service, run } = await cli.scripted([{ raw: '', after: 'reset' }, { status: 503 }, { body: ROLE }]);
    expect((await run(['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'])).code).toBe(0);
    expect(service.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"Lead Auditor"}'));
  });

  it('may have been applied by the first attempt if a retry is rejected, which is reported', async () => {
    const rejected = {
      status: 400,
      body: { message: 'Role name already exists', error: 'Bad Request', statusCode: 400 },
    };
    const { run } = await cli.scripted([{ raw: '', after: 'reset' }, rejected]);
    const { code, stderr } = await run(['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor']);
    expect(code).toBe(1);
    expect(stderr).toContain('Role name already exists');
    expect(stderr).toMatch(/\nhint: .*may have processed/);
  });
});

describe('a role in a response that says that it failed', () => {
  it.each([{ success: false }, { error: 'permission store offline' }])('exits 1: %j', async (failure) => {
    const { service, run } = await cli.scripted([{ body: { ...ROLE, ...failure } }]);
    const { code, stdout, stderr } = await run(['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*\bmay have been\b/m);
    expect(service.requests).toHaveLength(1);
  });

  it('exits 0 if it says that it succeeded', async () => {
    const { run } = await cli.scripted([{ body: { ...ROLE, success: true, error: null } }]);
    expect((await run(['role', 'update', 'rol_custom_1', '--name', 'Lead Auditor'])).code).toBe(0);
  });
});

describe('role update --dry-run', () => {
  it('shows the request and sends nothing, without key and URL', async () => {
    const { code, stdout, stderr } = await cli.plain([...COMPLETE_CHANGE, '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      method: 'PATCH',
      path: '/v1/roles/rol_custom_1',
      body: {
        name: 'Lead Auditor',
        permissions: { control: ['read', 'update'], policy: ['read'] },
        obligations: { compliance: true },
      },
    });
    expect(stderr).toMatch(/^warning: .*\bpermissions of rol_custom_1\b/m);
  });
});

describe('role update in the sandbox', () => {
  it('changes the stored role', async () => {
    const first = await cli.sandbox([...COMPLETE_CHANGE, '--json']);
    expect(first.code).toBe(0);
    expect(first.json()).toMatchObject({ id: 'rol_custom_1', name: 'Lead Auditor', isBuiltIn: false });
    const second = await cli.sandbox(['role', 'update', 'rol_custom_1', '--permission', 'risk=read', '--json']);
    expect(second.json()).toMatchObject({ name: 'Lead Auditor', permissions: { risk: ['read'] } });
  });

  it('says before the request what it replaces, quotes which permission the key lacks, and exits with 4', async () => {
    const { code, stdout, stderr } = await cli.sandbox([
      ...['role', 'update', 'rol_custom_1', '--permission', 'control=delete'],
    ]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(
      textLike(`… rol_custom_1 in the sandbox
warning: … permissions of rol_custom_1: control (delete)
warning: …
error: the API key does not have permission (403): Cannot grant 'control:delete' permission - you don't have this permission
hint: The service decides what a key may grant. Someone who has this permission can change the role in the service itself.
`),
    );
  });

  it('does not guess which role or permission a key lacks', async () => {
    const { service, run } = await cli.scripted([{ status: 403, body: { message: 'Forbidden resource' } }]);
    expect((await run(['role', 'update', 'rol_1', '--name', 'QA'])).stderr).toMatch(
      textLike(`… rol_1 at ${service.url}
warning: …
error: … (403): Forbidden resource
hint: Use a key that is allowed to do this. A key can have fewer permissions than the person who created it.
`),
    );
  });

  it.each([
    { role: 'rol_unknown', code: 5 },
    { role: 'rol_admin', code: 1 },
  ])('exits with $code for $role', async ({ role, code }) => {
    const result = await cli.sandbox(['role', 'update', role, '--name', 'Guest Two']);
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code, stdout: '' });
  });
});
