import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

const cli = createCommandRunner();
const ROLE = '/v1/roles/rol_custom_1';
const RENAME = { name: 'Control Owner' };
const wasApplied = ({ stateFile }: OpenSandbox) => readFileSync(stateFile, 'utf8').includes('Control Owner');

describe('a fault of the sandbox', () => {
  it('makes the change, but resets the connection: reset-after', async () => {
    const sandbox = await openSandbox({ faults: 'reset-after=1' });
    await expect(sandbox.send('PATCH', ROLE, RENAME)).rejects.toThrow('fetch failed');
    expect(wasApplied(sandbox)).toBe(true);
  });

  it('makes no change, and responds with 500: error500', async () => {
    const sandbox = await openSandbox({ faults: 'error500=1' });
    expect(await sandbox.send('PATCH', ROLE, RENAME)).toMatchObject({
      status: 500,
      body: { message: 'Internal server error', statusCode: 500 },
    });
    expect(wasApplied(sandbox)).toBe(false);
  });

  it('is as probable as it says', async () => {
    const { send } = await openSandbox({ faults: 'error500=0.5' });
    const statuses = new Set<number>();
    for (let time = 0; time < 50; time += 1) statuses.add((await send('GET', '/v1/findings')).status);
    expect(statuses).toEqual(new Set([200, 500]));
  });

  it('waits before it processes a request: latency', async () => {
    const clock = createTestClock(0);
    const sandbox = await openSandbox({ clock, faults: 'latency=1s' });
    const sent = sandbox.send('PATCH', ROLE, RENAME);
    await clock.untilWaiting();
    await clock.advance(999);
    expect(wasApplied(sandbox)).toBe(false);
    await clock.advance(1);
    expect((await sent).status).toBe(200);
  });

  it('rejects requests beyond the limit, and says when the next period begins: limit', async () => {
    const clock = createTestClock(0);
    const { send } = await openSandbox({ faults: 'limit=2/min', clock });
    const ask = () => send('GET', '/v1/findings');
    expect((await ask()).status).toBe(200);
    await clock.advance(18_500);
    expect((await ask()).status).toBe(200);
    const third = await ask();
    expect(third.headers.get('retry-after')).toBe('42');
    expect(third).toMatchObject({
      status: 429,
      body: { message: 'ThrottlerException: Too Many Requests', statusCode: 429 },
    });
    await clock.advance(41_500);
    expect((await ask()).status).toBe(200);
  });
});

describe('--fault', () => {
  it.each([
    ['error500=2', '"error500=2" is not a valid fault', 'error500 takes a probability such as 0.05'],
    ['error500=0.1,limit=0/min', '"limit=0/min" is not a valid fault', 'such as 100/min, 30/10s, or 5/s'],
    ['latency=200', '"latency=200" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['latency', '"latency" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['reset=1', '"reset=1" is not a fault', 'The faults are: reset-after, error500, limit, latency.'],
  ])('rejects %j', async (fault, message, hint) => {
    const { code, stderr } = await cli.sandbox(['findings', 'list', '--all', '--fault', fault]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: ${message}\nhint: `) });
    expect(stderr).toContain(hint);
  });

  it('accepts several, with spaces and periods of any length', async () => {
    const faults = 'reset-after=0,error500=.0, limit=100/2min ,latency=1ms';
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--jq', 'length', '--fault', faults];
    expect(await cli.sandbox(argv)).toMatchObject({ code: 0, stdout: '3\n' });
  });
});
