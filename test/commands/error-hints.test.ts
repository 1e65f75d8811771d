import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../helpers/report.ts';
import type { Reply } from '../helpers/scripted-service.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/* What to do about an error, and which response it is about, whatever the command. */

const cli = createCommandRunner();
const ROLE = ['role', 'update', 'rol_1', '--name', 'Auditor'];
const DOMAIN = ['domain', 'status', 'trust.acme.test'];
const TASK = ['findings', 'list', '--task', 'tsk_1'];
const ALL = ['findings', 'list', '--all'];
const IMPORT = ['people', 'bulk-add', '-'];
const stdin = 'userId,role\nusr_1,member\n';

const page = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html', 'x-request-id': 'req_7' },
  body: '<title>Sign in</title>',
});

describe('a response that has nothing to do with the interface', () => {
  it.each([
    ['a page', page(200)],
    ['a text', { body: '"fine"', headers: { 'content-type': 'application/json', 'x-request-id': 'req_7' } }],
  ])('is an error with its status and ID, and prints nothing: %s', async (_, reply) => {
    for (const argv of [ROLE, DOMAIN, TASK]) {
      const { service, run } = await cli.scripted(() => reply);
      const result = await run([...argv, '--json']);
      expect({ code: result.code, stdout: result.stdout, requests: service.requests.length }).toEqual({
        ...{ code: 1, stdout: '', requests: 1 },
      });
      expect(errorOf(result)).toMatchObject({ code: 'invalid-response', status: 200, requestId: 'req_7' });
    }
  });
});

describe('a 404', () => {
  const said = (message: string): Reply => ({ status: 404, body: { message, statusCode: 404 } });
  it.each<[string, argv: string[], reply: Reply, leadsToUrl: boolean]>([
    ['of an import, which names no ID', IMPORT, said('Cannot POST'), true],
    ['of a list of all findings', ALL, said('Cannot GET'), true],
    ['that is a page, whatever was asked', ROLE, page(404), true],
    ['that is a text', TASK, { status: 404, body: 'default backend - 404' }, true],
    ['of a role', ROLE, said('Role not found'), false],
    ['of a task', TASK, said('Task not found'), false],
  ])('leads to the base URL unless the API may not have the ID: %s', async (_, argv, reply, leadsToUrl) => {
    const { service, run } = await cli.scripted(() => reply);
    const base = `${service.url}/admin`;
    const result = await run([...argv, '--base-url', base, '--json'], { stdin });
    expect(result.code).toBe(5);
    const { code, hint = '' } = errorOf(result);
    expect(code).toBe('not-found');
    expect(hint.includes(base)).toBe(leadsToUrl);
  });
});

it('a key that the service rejects is replaced where it comes from', async () => {
  const { service, run } = await cli.scripted((request) =>
    request.headers['x-api-key'] === 'accepted-key-123' ? { body: [] } : { status: 401, body: { message: 'No' } },
  );
  const hintOf = async (argv: readonly string[]) => errorOf(await run([...ALL, '--json', ...argv])).hint;
  expect(await hintOf([])).toMatch(/ To use another key, change or unset ORGADM_API_KEY\.$/);
  const file = cli.file('key');
  writeFileSync(file, 'rejected-key-123', { mode: 0o600 });
  expect(await hintOf(['--key-file', file])).toMatch(/ To use another key, pass another file with --key-file\.$/);
  const login = ['auth', 'login', '--base-url', service.url, '--key-file', '-', '--profile', 'prod'];
  expect((await run(login, { stdin: 'accepted-key-123' })).code).toBe(0);
  const stored = cli.file('config/credentials.json');
  writeFileSync(stored, readFileSync(stored, 'utf8').replace('accepted-key-123', 'expired-key-123'));
  expect(await hintOf(['--profile', 'prod'])).toMatch(/ To store another one: orgadm auth login --profile prod$/);
});

it('a service that is unreachable is named by its address', async () => {
  const { service, run } = await cli.scripted([]);
  await service.close();
  for (const argv of [ROLE, DOMAIN, TASK, IMPORT]) {
    const result = await run([...argv, '--json'], { stdin });
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 6, stdout: '' });
    expect(errorOf(result)).toMatchObject({ message: expect.stringContaining(`127.0.0.1:${service.port}`) });
  }
});
