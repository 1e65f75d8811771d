import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFaults } from '../../src/sandbox/faults.ts';
import { type SandboxOptions, startSandbox } from '../../src/sandbox/server.ts';
import { resetSandbox } from '../../src/sandbox/store.ts';
import { createCommandRunner } from '../helpers/service-run.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { createAutoClock, createTestClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const ROLE = '/v1/roles/rol_custom_1';
const RENAME = { name: 'Control Owner' };
const LIST = ['findings', 'list', '--task', 'tsk_0001'];

/** Starts a sandbox that is closed when the test ends. */
async function openSandbox(faults = '', options: Partial<SandboxOptions> = {}) {
  const { stateFile = `${temporaryFolder().path}/sandbox/state.json`, ...rest } = options;
  const sandbox = await startSandbox({ ...rest, stateFile, ...(faults !== '' && { faults: parseFaults(faults) }) });
  onTestFinished(() => sandbox.close());
  /** Sends a request with the key and a JSON body. Rejects as fetch does. */
  const send = async (method: string, path: string, body?: unknown, key = sandbox.apiKey) => {
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(sandbox.url + path, { method, headers, ...init });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const isRenamed = () => readFileSync(stateFile, 'utf8').includes(RENAME.name);
  return { ...sandbox, stateFile, send, isRenamed };
}

describe('a sandbox', () => {
  it('has a random key for each state directory, which a restart and a reset keep, and rejects others', async () => {
    const first = await openSandbox();
    await first.close();
    resetSandbox(first.stateFile);
    const again = await openSandbox('', { stateFile: first.stateFile });
    const other = await openSandbox();
    expect(first.apiKey).toMatch(/^sandbox_[\w-]{32}$/);
    expect(again.apiKey).toBe(first.apiKey);
    expect(other.apiKey).not.toBe(first.apiKey);
    expect(statSync(first.stateFile).mode & 0o777).toBe(0o600);
    expect((await other.send('GET', '/v1/findings', undefined, first.apiKey)).status).toBe(401);
    expect((await fetch(`${other.url}/v1/findings`)).status).toBe(401);
  });

  it.each<[method: string, path: string, body: unknown, status: number, message: unknown]>([
    ['PATCH', ROLE, { color: 'red' }, 400, ['property color should not exist']],
    ['PATCH', ROLE, { permissions: { risk: ['write'] } }, 400, [expect.stringContaining('permissions.risk.0 must be')]],
    ['PATCH', '/v1/roles/rol_admin', {}, 400, 'Cannot modify built-in roles'],
    ['PATCH', '/v1/roles/rol_9', {}, 404, 'Role rol_9 not found'],
    [
      'POST',
      '/v1/people/bulk',
      { members: [{ userId: 7 }] },
      400,
      ['members.0.userId must be of type string', 'members.0.role should not be empty'],
    ],
    ['GET', '/v1/findings?task=tsk_0001', undefined, 400, ['property task should not exist']],
    ['GET', '/v1/findings?taskId=tsk_9', undefined, 404, 'Task tsk_9 not found'],
    ['GET', '/v1/people', undefined, 404, 'Cannot GET /v1/people'],
  ])('validates strictly: %s %s %j', async (method, path, body, status, message) => {
    const { send } = await openSandbox();
    expect(await send(method, path, body)).toMatchObject({ status, body: { message, statusCode: status } });
  });

  it.each([
    ['--all', '12'],
    ['--task=tsk_0001', '3'],
    ['--evidence-submission=sub_0001', '1'],
    ['--evidence-form-type=penetration-test', '1'],
    ['--scope=people_devices', '3'],
  ])('selects its findings: %s', async (selector, count) => {
    expect(await cli.sandbox(['findings', 'list', selector, '--jq', 'length'])).toMatchObject({ stdout: `${count}\n` });
  });

  it.each(['not JSON', '{"version":1,"roles":[],"members":[]}'])(
    'rejects a state file that is not one of its own, and leaves it as it is until it is reset: %s',
    async (content) => {
      mkdirSync(cli.file('state'), { mode: 0o700 });
      writeFileSync(cli.file('state/sandbox.json'), content);
      expect(await cli.sandbox(LIST)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('orgadm sandbox reset'),
      });
      expect(readFileSync(cli.file('state/sandbox.json'), 'utf8')).toBe(content);
      expect((await cli.plain(['sandbox', 'reset'])).code).toBe(0);
      expect((await cli.sandbox(LIST)).code).toBe(0);
    },
  );
});

describe('a fault of the sandbox', () => {
  it('makes the change, but resets the connection: reset-after', async () => {
    const { send, isRenamed } = await openSandbox('reset-after=1');
    await expect(send('PATCH', ROLE, RENAME)).rejects.toThrow('fetch failed');
    expect(isRenamed()).toBe(true);
  });

  it('delays an import by a second each time, which is the lifetime of a request', async () => {
    const clock = createAutoClock();
    const argv = ['people', 'bulk-add', '-', '--fault', 'reset-after=1'];
    await cli.sandbox(argv, { clock, stdin: 'userId,role\nusr_0101,employee\n' });
    expect(clock.sleeps).toEqual([1_000, 1_000, 1_000]);
  });

  it('makes no change, and responds with 500: error500', async () => {
    const { send, isRenamed } = await openSandbox('error500=1');
    expect(await send('PATCH', ROLE, RENAME)).toMatchObject({ status: 500, body: { statusCode: 500 } });
    expect(isRenamed()).toBe(false);
  });

  it('waits before it processes a request: latency', async () => {
    const clock = createTestClock(0);
    const { send, isRenamed } = await openSandbox('latency=1s', { clock });
    const sent = send('PATCH', ROLE, RENAME);
    while (clock.waiting().length === 0) await clock.advance(0);
    await clock.advance(999);
    expect(isRenamed()).toBe(false);
    await clock.advance(1);
    expect((await sent).status).toBe(200);
  });

  it('rejects requests beyond the limit, and says when the next period begins: limit', async () => {
    const clock = createTestClock(0);
    const { send } = await openSandbox('limit=2/min', { clock });
    const ask = () => send('GET', '/v1/findings');
    expect((await ask()).status).toBe(200);
    await clock.advance(18_500);
    expect((await ask()).status).toBe(200);
    const third = await ask();
    expect({ status: third.status, after: third.headers.get('retry-after') }).toEqual({ status: 429, after: '42' });
    await clock.advance(41_500);
    expect((await ask()).status).toBe(200);
  });

  it.each([
    ['error500=2', '"error500=2" is not a valid fault', 'error500 takes a probability such as 0.05'],
    ['error500=0.1,limit=0/min', '"limit=0/min" is not a valid fault', 'such as 100/min, 30/10s, or 5/s'],
    ['latency', '"latency" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['reset=1', '"reset=1" is not a fault', 'The faults are: reset-after, error500, limit, latency.'],
  ])('that is not one is rejected: %j', async (fault, message, hint) => {
    const { code, stderr } = await cli.sandbox([...LIST, '--fault', fault]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: ${message}\nhint: `) });
    expect(stderr).toContain(hint);
  });

  it('may come with others, with spaces and periods of any length', async () => {
    const faults = 'reset-after=0,error500=.0, limit=100/2min ,latency=1ms';
    expect(await cli.sandbox([...LIST, '--jq', 'length', '--fault', faults])).toMatchObject({ code: 0, stdout: '3\n' });
  });
});
