import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createTestClock } from '../helpers/test-clock.ts';
import { type OpenSandbox, openSandbox } from './open-sandbox.ts';

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
    const sandbox = await openSandbox({ faults: `${fault}=1,seed=1`, clock: createTestClock(0) });
    const sent = request(sandbox.url + ROLE, {
      method: 'PATCH',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    });
    sent.end(JSON.stringify(RENAME));
    const [error] = await once(sent, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(wasApplied(sandbox)).toBe(applied);
    expect(sandbox.lines).toEqual([
      'injecting faults with seed=1',
      `PATCH /v1/roles/{roleId} reset 0ms fault ${fault}`,
    ]);
  });

  it.each([
    ['error500', 500, false, '{"message":"Internal server error","statusCode":500}'],
    ['error500-after', 500, true, '{"message":"Internal server error","statusCode":500}'],
    ['error502', 502, false, '<title>502 Bad Gateway</title>'],
    ['error503', 503, false, '<title>503 Service Unavailable</title>'],
    ['error504', 504, false, '<title>504 Gateway Timeout</title>'],
    ['error504-after', 504, true, '<title>504 Gateway Timeout</title>'],
    ['html', 200, true, '<title>Sign in</title>'],
  ])('responds instead of the service: %s with %i', async (fault, status, applied, message) => {
    const sandbox = await openSandbox({ faults: `${fault}=1` });
    const got = await sandbox.send('PATCH', ROLE, RENAME);
    expect(got.status).toBe(status);
    expect(got.text).toContain(message);
    expect(got.headers.get('x-request-id')).toMatch(/^req_/);
    expect(wasApplied(sandbox)).toBe(applied);
  });

  it('truncate applies the change and sends half of the response', async () => {
    const sandbox = await openSandbox({ faults: 'truncate=1' });
    const response = await fetch(sandbox.url + ROLE, {
      method: 'PATCH',
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(RENAME),
    });
    expect(response.status).toBe(200);
    expect(await fails(response.text())).toBe('failed');
    expect(wasApplied(sandbox)).toBe(true);
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

  it('slow sends the body slowly and completely', async () => {
    const clock = createTestClock(0);
    const { url, apiKey } = await openSandbox({ faults: 'slow=10s', clock });
    const sent = request(`${url}/v1/findings?scope=people`, { headers: { 'x-api-key': apiKey } });
    const responded = once(sent, 'response');
    sent.end();
    const [response] = await responded;
    const complete = text(response);
    for (let step = 0; step < 10; step += 1) {
      await clock.untilWaiting();
      await clock.advance(1_000);
    }
    expect(JSON.parse(await complete)).toHaveLength(3);
  });
});

describe('the fault plan of a sandbox', () => {
  const statuses = async (faults: string): Promise<number[]> => {
    const { send } = await openSandbox({ faults });
    const seen: number[] = [];
    for (let time = 0; time < 20; time += 1) seen.push((await send('PATCH', ROLE, {})).status);
    return seen;
  };

  it('is the same for the same seed, and differs for another', async () => {
    const first = await statuses('error500=0.3,error503=0.3,seed=7');
    expect(await statuses('error500=0.3,error503=0.3,seed=7')).toEqual(first);
    expect(await statuses('error500=0.3,error503=0.3,seed=8')).not.toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 500, 503]));
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

  it('sends no Retry-After with no-headers', async () => {
    const { send } = await openSandbox({ faults: 'limit=1/min:no-headers', clock: createTestClock(0) });
    expect((await send('PATCH', ROLE, {})).status).toBe(200);
    const { status, headers } = await send('PATCH', ROLE, {});
    expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 429, retryAfter: null });
  });
});
