import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { CANARY_KEY, failureOf, testClient } from '../helpers/test-client.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], isRepeatable: true };
const PATCH: RequestSpec = {
  method: 'PATCH',
  path: ['v1', 'roles', 'rol_1'],
  body: { name: 'Auditor' },
  isRepeatable: true,
};
const POST: RequestSpec = { method: 'POST', path: ['v1', 'people', 'bulk'], body: { members: [] } };

const opened = closeAfterTests();
const service = async (...args: Parameters<typeof startScriptedService>) => opened(await startScriptedService(...args));
const client = (...args: Parameters<typeof testClient>) => opened(testClient(...args));

describe('a request', () => {
  it('is sent as the interface requires, and returns the entire response', async () => {
    const { url, requests } = await service([
      { status: 200, headers: { 'x-request-id': 'req-7' }, body: { id: 'rol_1', name: 'Auditor' } },
    ]);
    const response = await client(`${url}/api/`).request(PATCH);

    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'PATCH', path: '/api/v1/roles/rol_1', body: '{"name":"Auditor"}' });
    expect(requests[0]?.headers).toMatchObject({
      'x-api-key': CANARY_KEY,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': '18',
      'accept-encoding': 'identity',
      'user-agent': 'orgadm/test',
    });
    expect(response).toMatchObject({
      status: 200,
      requestId: 'req-7',
      text: '{"id":"rol_1","name":"Auditor"}',
    });
  });

  it('asks caches on the way for the present state', async () => {
    const { url, requests } = await service([{ body: [] }]);
    await client(url).request(READ);
    expect(requests[0]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
  });

  it('reads UTF-8, also in chunks that split a character, without a byte order mark', async () => {
    const bytes = Buffer.from('\uFEFF["Zoë 🦊"]');
    const { url } = await service([
      (_request, response) => {
        for (const byte of bytes) response.write(Buffer.of(byte));
        response.end();
        return undefined;
      },
    ]);
    expect((await client(url).request(READ)).text).toBe('["Zoë 🦊"]');
  });

  it('returns any 2xx response, also an empty one', async () => {
    const { url } = await service([{ status: 204 }, { status: 202, body: 'queued' }]);
    const one = client(url);
    expect(await one.request(POST)).toMatchObject({ status: 204, text: '' });
    expect(await one.request(POST)).toMatchObject({ status: 202, text: 'queued' });
  });

  it('reuses one connection for consecutive requests', async () => {
    const scripted = await service([{ body: [] }, { status: 404, body: {} }, { body: [] }]);
    const one = client(scripted.url);
    await one.request(READ);
    await failureOf(one.request(READ));
    await one.request(READ);
    expect(scripted.connections()).toBe(1);
  });

  it('opens one connection for each concurrent request', async () => {
    const arrived: (() => void)[] = [];
    const scripted = await service(
      () =>
        new Promise((resolve) => {
          arrived.push(() => resolve({ body: [] }));
          if (arrived.length === 4) for (const go of arrived) go();
        }),
    );
    const one = client(scripted.url);
    await Promise.all([1, 2, 3, 4].map(() => one.request(READ)));
    expect(scripted.connections()).toBe(4);
  });

  it('ends at 64 MiB', async () => {
    const half = 'x'.repeat(32 * 1024 * 1024);
    const { url } = await service([{ body: `${half}${half}` }, { body: `${half}${half}x` }]);
    const one = client(url);
    expect((await one.request(READ)).text).toHaveLength(64 * 1024 * 1024);
    expect(await failureOf(one.request(READ))).toMatchObject({
      code: 'response-too-large',
      exitCode: 1,
      isAmbiguous: true,
      isTransient: false,
    });
  });

  it('does not wait for a limit that the headers of accepted requests announce', async () => {
    const usedUp = { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' }, body: [] };
    const { url } = await service([usedUp, usedUp]);
    const clock = createAutoClock();
    const one = client(url, { clock });
    await one.request(READ);
    await one.request(READ);
    expect(clock.sleeps).toEqual([]);
  });
});

describe('the retries of a request', () => {
  it.each(['end', 'reset'] as const)('are apart if a proxy closes every connection (%s)', async (closes) => {
    const proxy = opened(await startProxyServer({ closes }));
    const clock = createAutoClock();
    const settings = { proxy: { https: proxy.url }, clock, retries: 3 };
    const error = await failureOf(client('https://service.test', settings).request(READ));
    expect(error).toMatchObject({
      code: 'unreachable',
      isAmbiguous: false,
      hint: expect.stringMatching(/ 4 attempts\. Check .* the proxy variables/),
    });
    expect(proxy.requests.map(({ line }) => line)).toEqual(Array(4).fill('CONNECT service.test:443'));
    expect(clock.sleeps).toEqual([1_000, 2_000, 4_000]);
  });
});
