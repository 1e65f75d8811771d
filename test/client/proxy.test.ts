import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ProxySettings } from '../../src/client/request.ts';
import type { RequestSpec } from '../../src/client/service.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { failureOf, testClient } from '../helpers/test-client.ts';
import { createTestClock } from '../helpers/test-clock.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'] };

const opened = closeAfterTests();

const client = (baseUrl: string, proxy: ProxySettings) => opened(testClient(baseUrl, { allowHttp: true, proxy }));

const service = async () => opened(await startScriptedService(() => ({ body: [] })));

describe('the choice of a proxy', () => {
  /** A service that is this machine, but not a loopback address, and a proxy that forwards to it. */
  const serviceBehindProxy = async () => {
    const { port } = await service();
    const proxy = opened(await startProxyServer({ port }));
    return { baseUrl: `http://0.0.0.0:${port}`, port: String(port), proxy };
  };

  it('is not named in an error of a service that bypasses it', async () => {
    const proxy = opened(await startProxyServer({ status: 502 }));
    const settings = { https: proxy.url, no: 'service.invalid' };
    const error = await failureOf(client('https://api.service.invalid', settings).request(READ));
    expect(error.message).toMatch(/ https:\/\/api\.service\.invalid: /);
    expect(proxy.requests).toEqual([]);
  });

  it('uses only the proxy of the protocol, and none for loopback', async () => {
    const { baseUrl, port, proxy } = await serviceBehindProxy();
    expect(await client(baseUrl, { https: 'not a proxy' }).request(READ)).toMatchObject({ status: 200 });
    for (const http of [proxy.url, 'not a proxy']) {
      expect(await client(`http://127.0.0.1:${port}`, { http }).request(READ)).toMatchObject({ status: 200 });
    }
    expect(proxy.requests).toEqual([]);
  });

  it.each(['socks5://me:hunter2@proxy', 'http://', 'http://me:hunter2@:0:0', 'http://me:hunter2%@proxy'])(
    'rejects %j without repeating it',
    (https) => {
      expect(() => client('https://service.test', { https })).toThrow(
        expect.objectContaining({
          exitCode: 2,
          message: 'the proxy in HTTPS_PROXY is not an http:// or https:// URL',
          hint: 'Write it as http://host:port.',
        }),
      );
    },
  );
});

describe.each(['http', 'https'] as const)('the proxy of a service over %s', (protocol) => {
  const failureThrough = (proxy: string) =>
    failureOf(client(`${protocol}://service.test`, { [protocol]: proxy }).request(READ));

  it('is named if it is not running', async () => {
    const gone = await startProxyServer({ status: 502 });
    await gone.close();
    expect(await failureThrough(gone.url)).toMatchObject({
      code: 'unreachable',
      isAmbiguous: false,
      message: `cannot reach ${protocol}://service.test: connect ECONNREFUSED 127.0.0.1:${gone.port}`,
      hint: expect.stringContaining('the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY)'),
    });
  });
});

describe('a proxy that forwards plain http', () => {
  it('is named if it wants other credentials, and the request counts as not processed', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const one = client('http://service.test', { http: proxy.url });
    for (let time = 0; time < 2; time += 1) {
      expect(await failureOf(one.request(READ))).toMatchObject({
        code: 'unreachable',
        exitCode: 6,
        isAmbiguous: false,
        isTransient: false,
        message: expect.stringContaining('(407)'),
        hint: expect.stringContaining('HTTP_PROXY'),
      });
    }
    expect(proxy.requests).toHaveLength(2);
  });

  it('is named if it closes the connection', async () => {
    const proxy = opened(await startProxyServer({ closes: 'end' }));
    expect(await failureOf(client('http://service.test', { http: proxy.url }).request(READ))).toMatchObject({
      code: 'interrupted',
      isAmbiguous: true,
    });
  });
});

describe('a proxy that opens tunnels', () => {
  it('proves that nothing was processed if it accepts a connection and never responds', async () => {
    const mute = createServer((socket) => socket.on('error', () => {}).resume());
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const { port } = mute.address() as AddressInfo;
    const clock = createTestClock();
    const options = { proxy: { https: `127.0.0.1:${port}` }, clock };
    const connected = once(mute, 'connection');
    const call = failureOf(opened(testClient('https://service.test', options)).request(READ));
    await connected;
    await clock.advance(30_000);
    expect(await call).toMatchObject({
      code: 'timeout',
      isAmbiguous: false,
      message: `no connection to https://service.test within 30 s`,
    });
    mute.close();
  });
});
