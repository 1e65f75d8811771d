import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { resetSandbox } from '../../src/sandbox/store.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { openSandbox } from './open-sandbox.ts';

const cli = createCommandRunner();
const RENAME = { name: 'Control Owner' };
const ROLE = '/v1/roles/rol_custom_1';

describe('a sandbox', () => {
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

  it('adds a user twice for a request during another one, but not after it', async () => {
    const clock = createTestClock();
    const { send } = await openSandbox({ clock, faults: 'latency=1s' });
    const request = { members: [{ userId: 'usr_0100', role: 'member' }] };
    const both = [send('POST', '/v1/people/bulk', request), send('POST', '/v1/people/bulk', request)];
    while (clock.waiting().length < 2) await setImmediate();
    await clock.advance(1_000);
    const created = (await Promise.all(both)).map(({ body }) => body);
    expect(created).toMatchObject([{ created: [{ userId: 'usr_0100' }] }, { created: [{ userId: 'usr_0100' }] }]);
    const third = send('POST', '/v1/people/bulk', request);
    await clock.untilWaiting();
    await clock.advance(1_000);
    expect((await third).body).toMatchObject({ created: [], summary: { failed: 1 } });
  });

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

describe('a state file that is not a sandbox', () => {
  it.each([
    ['not JSON', 'cannot be read'],
    ['{"version":2,"roles":[],"members":[]}', 'is not in a format that this version can read'],
    ['{"version":1,"roles":[{"id":"rol_1"}],"members":[]}', 'is not in a format that this version can read'],
  ])('is rejected, and stays as it is: %s', async (content, message) => {
    mkdirSync(cli.file('state'), { mode: 0o700 });
    writeFileSync(cli.file('state/sandbox.json'), content);
    const { code, stderr } = await cli.sandbox(['findings', 'list', '--task', 'tsk_0001']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).toContain('orgadm sandbox reset');
    expect(readFileSync(cli.file('state/sandbox.json'), 'utf8')).toBe(content);
  });
});
