import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resetSandbox } from '../../src/sandbox/store.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { openSandbox } from './open-sandbox.ts';

const cli = createCommandRunner();
const ROLE = '/v1/roles/rol_custom_1';

describe('a sandbox', () => {
  it('has a random key for each state directory, which a restart and a reset keep', async () => {
    const first = await openSandbox();
    await first.close();
    resetSandbox(first.stateFile);
    const again = await openSandbox({ stateFile: first.stateFile });
    const other = await openSandbox();
    expect(first.apiKey).toMatch(/^sandbox_[\w-]{32}$/);
    expect(again.apiKey).toBe(first.apiKey);
    expect(other.apiKey).not.toBe(first.apiKey);
    expect(statSync(first.stateFile).mode & 0o777).toBe(0o600);
  });

  it('rejects a request without its key', async () => {
    const { url } = await openSandbox();
    expect((await fetch(`${url}/v1/findings`)).status).toBe(401);
    expect((await fetch(`${url}/v1/findings`, { headers: { 'x-api-key': 'another' } })).status).toBe(401);
  });

  it.each<[method: string, path: string, body: unknown, status: number, message: unknown]>([
    ['PATCH', ROLE, { color: 'red' }, 400, ['property color should not exist']],
    ['PATCH', ROLE, { name: 'x' }, 400, ['name must have a length of at least 2']],
    [
      'PATCH',
      ROLE,
      { permissions: { risk: ['write'] } },
      400,
      [expect.stringMatching(/^permissions\.risk\.0 must be/)],
    ],
    ['PATCH', '/v1/roles/rol_admin', {}, 400, 'Cannot modify built-in roles'],
    ['PATCH', '/v1/roles/rol_9', {}, 404, 'Role rol_9 not found'],
    ['POST', '/v1/people/bulk', { members: [] }, 400, ['members must have a length of at least 1']],
    [
      'POST',
      '/v1/people/bulk',
      { members: [{ userId: 7 }] },
      400,
      ['members.0.userId must be of type string', 'members.0.role should not be empty'],
    ],
    ['GET', '/v1/findings?task=tsk_0001', undefined, 400, ['property task should not exist']],
    ['GET', '/v1/findings?scope=all', undefined, 400, [expect.stringMatching(/^scope must be one of .* people, /)]],
    ['GET', '/v1/findings?taskId=tsk_9', undefined, 404, 'Task tsk_9 not found'],
    ['GET', '/v1/trust-portal/domain/status', undefined, 400, ['domain should not be empty']],
    ['GET', '/v1/people', undefined, 404, 'Cannot GET /v1/people'],
  ])('validates strictly: %s %s %j', async (method, path, body, status, message) => {
    const { send } = await openSandbox();
    expect(await send(method, path, body)).toMatchObject({ status, body: { message, statusCode: status } });
  });

  it('has twelve findings, which each selector selects', async () => {
    const { send } = await openSandbox();
    const count = async (query: string) => ((await send('GET', `/v1/findings${query}`)).body as unknown[]).length;
    expect(await count('')).toBe(12);
    expect(await count('?taskId=tsk_0001')).toBe(3);
    expect(await count('?evidenceSubmissionId=sub_0001')).toBe(1);
    expect(await count('?evidenceFormType=penetration-test')).toBe(1);
    expect(await count('?scope=people_devices')).toBe(3);
    expect(await count('?taskId=tsk_0001&scope=people')).toBe(0);
  });

  it('drops unfinished requests when it closes, and can be closed twice', async () => {
    const clock = createTestClock(0);
    const { send, close, stateFile } = await openSandbox({ clock, faults: 'latency=1s' });
    const pending = expect(send('PATCH', ROLE, { name: 'Control Owner' })).rejects.toThrow('fetch failed');
    await clock.untilWaiting();
    await close();
    await pending;
    expect(readFileSync(stateFile, 'utf8')).not.toContain('Control Owner');
    await close();
  });
});

describe('a state file that is not a sandbox', () => {
  it.each([
    ['not JSON', 'cannot be read'],
    ['{"version":1,"roles":[],"members":[]}', 'is not in a format that this version can read'],
  ])('is rejected, and stays as it is until the sandbox is reset: %s', async (content, message) => {
    mkdirSync(cli.file('state'), { mode: 0o700 });
    writeFileSync(cli.file('state/sandbox.json'), content);
    const argv = ['findings', 'list', '--task', 'tsk_0001'];
    const { code, stderr } = await cli.sandbox(argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('orgadm sandbox reset');
    expect(readFileSync(cli.file('state/sandbox.json'), 'utf8')).toBe(content);
    expect((await cli.plain(['sandbox', 'reset'])).code).toBe(0);
    expect((await cli.sandbox(argv)).code).toBe(0);
  });
});
