import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createCommandRunner } from '../helpers/service-run.ts';
import { createTestClock } from '../helpers/test-clock.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

const cli = createCommandRunner();
const ROLE = '/v1/roles/rol_custom_1';
const RENAME = { name: 'Control Owner' };
const wasApplied = ({ stateFile }: OpenSandbox) => readFileSync(stateFile, 'utf8').includes('Control Owner');
const fails = (sent: Promise<unknown>) =>
  sent.then(
    () => 'responded',
    () => 'failed',
  );

describe('a fault injected into a request', () => {
  it.each([
    ['reset', false],
    ['reset-after', true],
  ])('resets the connection: %s', async (fault, applied) => {
    const sandbox = await openSandbox({ faults: `${fault}=1` });
    const sent = request(sandbox.url + ROLE, {
      method: 'PATCH',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(RENAME));
    const [error] = await once(sent, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(wasApplied(sandbox)).toBe(applied);
  });

  it.each([
    ['error500', 500, false, '{"message":"Internal server error","statusCode":500}'],
    ['error500-after', 500, true, '{"message":"Internal server error","statusCode":500}'],
  ])('responds instead of the service: %s with %i', async (fault, status, applied, message) => {
    const sandbox = await openSandbox({ faults: `${fault}=1` });
    const got = await sandbox.send('PATCH', ROLE, RENAME);
    expect(got.status).toBe(status);
    expect(got.text).toContain(message);
    expect(got.headers.get('x-request-id')).toMatch(/^req_/);
    expect(wasApplied(sandbox)).toBe(applied);
  });

  it.each([
    ['hang', false],
    ['hang-after', true],
  ])('causes no response until the sandbox closes: %s', async (fault, applied) => {
    const sandbox = await openSandbox({ faults: `${fault}=1` });
    const sent = fails(sandbox.send('PATCH', ROLE, RENAME));
    await sandbox.logged(2);
    expect(sandbox.lines.at(-1)).toContain(`fault ${fault}`);
    expect(wasApplied(sandbox)).toBe(applied);
    await sandbox.close();
    expect(await sent).toBe('failed');
  });
});

describe('the faults of a sandbox', () => {
  const outcomes = async (faults: string): Promise<unknown[]> => {
    const { send } = await openSandbox({ faults });
    const seen: unknown[] = [];
    for (let time = 0; time < 20; time += 1) {
      seen.push(
        await send('PATCH', ROLE, {}).then(
          ({ status }) => status,
          () => 'reset',
        ),
      );
    }
    return seen;
  };

  it('are the same for the same seed, and differ for another', async () => {
    const first = await outcomes('error500=0.3,reset=0.3,seed=7');
    expect(await outcomes('error500=0.3,reset=0.3,seed=7')).toEqual(first);
    expect(await outcomes('error500=0.3,reset=0.3,seed=8')).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500, 'reset']));
  });
});

describe('limit', () => {
  it('rejects requests beyond the rate of a route, and says when the next one is accepted', async () => {
    const clock = createTestClock(0);
    const { send } = await openSandbox({ faults: 'limit=2/min', clock });
    const ask = () => send('PATCH', ROLE, {});
    expect((await ask()).status).toBe(200);
    await clock.advance(10_000);
    expect((await ask()).status).toBe(200);
    await clock.advance(8_500);
    const third = await ask();
    expect(third.status).toBe(429);
    expect(third.headers.get('retry-after')).toBe('42');
    expect(third.body).toEqual({ message: 'ThrottlerException: Too Many Requests', statusCode: 429 });
    expect((await send('GET', '/v1/findings?scope=people')).status).toBe(200);
    await clock.advance(41_499);
    expect((await ask()).headers.get('retry-after')).toBe('1');
    await clock.advance(1);
    expect((await ask()).status).toBe(200);
    expect((await ask()).headers.get('retry-after')).toBe('10');
  });
});

describe('--fault', () => {
  it.each([
    ['reset=2', 'error: "reset=2" is not a valid fault', 'reset requires a probability from 0 to 1, such as 0.05.'],
    ['hang=0.1,limit=0/min', 'error: "limit=0/min" is not a valid fault', 'such as 100/min, 30/10s, or 5/s'],
    ['latency=200', 'error: "latency=200" is not a valid fault', 'a duration up to 10m, such as 200ms'],
    ['seed=x', 'error: "seed=x" is not a valid fault', 'seed requires an integer.'],
    [
      'sedd=1',
      'error: "sedd=1" is not a fault',
      'Allowed: reset, reset-after, hang, hang-after, error500, error500-after, latency, limit, seed.',
    ],
  ])('rejects %j', async (fault, message, hint) => {
    const { code, stderr } = await cli.sandbox(['findings', 'list', '--all', '--fault', fault]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${message}\nhint: `) });
    expect(stderr).toContain(hint);
  });

  it('accepts several, with spaces and periods of any length', async () => {
    const faults = 'reset=0,error500=.0, limit=100/2min ,latency=1ms,seed=7';
    const argv = ['findings', 'list', '--task', 'tsk_0001', '--jq', 'length', '--fault', faults];
    expect(await cli.sandbox(argv)).toMatchObject({ code: 0, stdout: '5\n' });
  });
});
