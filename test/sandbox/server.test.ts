import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resetSandbox } from '../../src/sandbox/store.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { openSandbox, readReply } from './open-sandbox.ts';

const RENAME = { name: 'Control Owner' };
const ROLE = '/v1/roles/rol_custom_1';

describe('the sandbox and its requests', () => {
  it.each([
    [{}, 'Missing API key'],
    [{ 'x-api-key': '' }, 'Invalid or expired API key'],
    [{ 'x-api-key': 'sandbox-key' }, 'Invalid or expired API key'],
  ])('rejects a request with the headers %j', async (headers, message) => {
    const { url } = await openSandbox();
    const { status, body } = await readReply(await fetch(`${url}/v1/findings?scope=people`, { headers }));
    expect(status).toBe(401);
    expect(body).toEqual({ message, error: 'Unauthorized', statusCode: 401 });
  });

  it('has a random key for each state directory, which a restart and a reset keep', async () => {
    const first = await openSandbox();
    await first.close();
    await resetSandbox(first.stateFile);
    const again = await openSandbox({ stateFile: first.stateFile });
    const other = await openSandbox();
    expect(first.apiKey).toMatch(/^sandbox_[\w-]{32}$/);
    expect(again.apiKey).toBe(first.apiKey);
    expect(other.apiKey).not.toBe(first.apiKey);
    expect(statSync(first.stateFile.replace(/json$/, 'key')).mode & 0o777).toBe(0o600);
  });

  it('has the same key as a sandbox that starts at the same time', async () => {
    const stateFile = join(temporaryFolder(), 'state.json');
    const started = await Promise.all([1, 2, 3, 4].map(() => openSandbox({ stateFile })));
    expect(new Set(started.map(({ apiKey }) => apiKey)).size).toBe(1);
  });

  it.each([
    ['GET', '/v1/people/bulk'],
    ['PATCH', '/v1/roles/%zz'],
    ['DELETE', ROLE],
  ])('responds to the unknown %s %s with 404', async (method, path) => {
    const { send } = await openSandbox();
    const { status, body } = await send(method, path);
    expect(status).toBe(404);
    expect(body).toEqual({ message: `Cannot ${method} ${path}`, error: 'Not Found', statusCode: 404 });
  });

  it('rejects a body that is not JSON', async () => {
    const { url, apiKey } = await openSandbox();
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    const response = await fetch(url + ROLE, { method: 'PATCH', headers, body: '{"name":' });
    expect((await readReply(response)).body).toEqual({
      message: 'The body is not valid JSON',
      error: 'Bad Request',
      statusCode: 400,
    });
  });

  it('logs a line for each request without key, query, ids or personal data', async () => {
    const { send, lines } = await openSandbox({ clock: createTestClock(0) });
    await send('POST', '/v1/people/bulk', { members: [{ userId: 'usr_0001', role: 'admin' }] });
    await send('GET', '/v1/findings?taskId=tsk_0001');
    await send('PATCH', ROLE, {});
    await send('GET', '/v1/people/anna.abbott@example.com');
    expect(lines).toEqual([
      'POST /v1/people/bulk 201 0ms 1 entries',
      'GET /v1/findings 200 0ms 5 findings',
      'PATCH /v1/roles/{roleId} 200 0ms',
      'GET (unknown path) 404 0ms',
    ]);
  });
});

describe('starting and closing a sandbox', () => {
  it('drops unfinished requests when it closes, and can be closed twice', async () => {
    const clock = createTestClock(0);
    const { send, close, stateFile, lines } = await openSandbox({ clock, faults: 'latency=1s,seed=1' });
    const pending = send('PATCH', ROLE, RENAME).then(
      () => 'responded',
      () => 'aborted',
    );
    await clock.untilWaiting();
    await close();
    expect(await pending).toBe('aborted');
    expect(readFileSync(stateFile, 'utf8')).not.toContain('Control Owner');
    expect(lines).toEqual(['injecting faults with seed=1', 'PATCH /v1/roles/{roleId} gone 0ms']);
    await expect(close()).resolves.toBeUndefined();
  });
});
