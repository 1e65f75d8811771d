import { describe, expect, it } from 'vitest';
import type { RequestSpec } from '../../src/client/service-client.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { CANARY_KEY, failureOf, testClient } from '../helpers/test-client.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], retry: 'safe' };
const PATCH: RequestSpec = {
  method: 'PATCH',
  path: ['v1', 'roles', 'rol_1'],
  body: { name: 'Auditor' },
  retry: 'safe',
};
const POST: RequestSpec = { method: 'POST', path: ['v1', 'people', 'bulk'], body: { members: [] }, retry: 'none' };

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
      'accept-encoding': 'gzip',
      'user-agent': 'orgadm/test',
    });
    expect(response).toMatchObject({
      status: 200,
      requestId: 'req-7',
      contentType: 'application/json',
      text: '{"id":"rol_1","name":"Auditor"}',
    });
  });

  it('asks caches on the way for the present state', async () => {
    const { url, requests } = await service([{ body: [] }]);
    await client(url).request(READ);
    expect(requests[0]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
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
  it('repeat a read until it succeeds', async () => {
    const { url, requests } = await service([
      { status: 503 },
      { raw: '', after: 'reset' },
      { raw: 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[1', after: 'end' },
      { status: 429, headers: { 'retry-after': '2' } },
      { body: [1] },
    ]);
    const clock = createAutoClock();
    const waits: unknown[] = [];
    const onWait = (wait: unknown) => {
      waits.push(wait);
      return () => waits.push('over');
    };
    const response = await client(url, { clock, random: () => 0.5, onWait }).request(READ);
    expect(response).toMatchObject({ text: '[1]' });
    expect(requests).toHaveLength(5);
    expect(waits).toEqual([
      { reason: 'retry', ms: 125, status: 503 },
      'over',
      { reason: 'retry', ms: 250, status: undefined },
      'over',
      { reason: 'retry', ms: 500, status: undefined },
      'over',
      { reason: 'limited', ms: 2_500, status: 429 },
      'over',
    ]);
    expect(clock.sleeps).toEqual([125, 250, 500, 2_500]);
  });

  it('are not made for a request that must not be repeated', async () => {
    const { url, requests } = await service([{ status: 503 }]);
    expect(await failureOf(client(url).request(POST))).toMatchObject({ status: 503, processed: 'maybe' });
    expect(requests).toHaveLength(1);
  });

  it.each(['end', 'reset'] as const)('are apart if a proxy closes every connection (%s)', async (closes) => {
    const proxy = opened(await startProxyServer({ closes }));
    const clock = createAutoClock();
    const settings = { proxy: { https: proxy.url }, clock, retries: 3, random: () => 0.5 };
    const error = await failureOf(client('https://service.test', settings).request(READ));
    expect(error).toMatchObject({
      kind: 'unreachable',
      processed: 'no',
      message: expect.stringContaining(
        ` through the proxy ${proxy.url}: the connection was closed while it was being established`,
      ),
      hint: expect.stringMatching(/ 4 attempts\. Check the proxy variables/),
    });
    expect(proxy.requests.map(({ line }) => line)).toEqual(Array(4).fill('CONNECT service.test:443'));
    expect(clock.sleeps).toEqual([125, 250, 500]);
  });

  it('are made for a minute for a connection that is refused after the service has responded', async () => {
    const running = await startScriptedService([{ body: [] }]);
    const clock = createAutoClock();
    const one = client(running.url, { clock, random: () => 0.5 });
    await one.request(READ);
    await running.close();
    expect((await failureOf(one.request(READ))).message).toMatch(/refused$/);
    expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(60_000);
  });
});
