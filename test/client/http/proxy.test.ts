import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type ProxySettings, readProxy } from '../../../src/client/http/proxy.ts';
import type { RequestSpec } from '../../../src/client/service-client.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startProxyServer } from '../../helpers/proxy-server.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';
import { failureOf, testClient } from '../../helpers/test-client.ts';
import { createTestClock } from '../../helpers/test-clock.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], retry: 'none' };

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

  it.each(['a.test, 0.0.0.0', '0.0.0.0/8', '*'])('bypasses it for NO_PROXY=%s', async (no) => {
    const { baseUrl, proxy } = await serviceBehindProxy();
    expect(await client(baseUrl, { http: proxy.url, no }).request(READ)).toMatchObject({ status: 200 });
    expect(proxy.requests).toEqual([]);
  });

  it('uses it for a service that NO_PROXY does not name', async () => {
    const { baseUrl, proxy } = await serviceBehindProxy();
    expect(await client(baseUrl, { http: proxy.url, no: 'a.test' }).request(READ)).toMatchObject({ status: 200 });
    expect(proxy.requests.map(({ line }) => line)).toEqual([`GET ${baseUrl}/v1/findings`]);
  });

  const isBypassed = (url: string, no: string) =>
    readProxy(new URL(url), { https: 'proxy.test', http: 'proxy.test', no }) === undefined;

  it.each([
    ['https://api.example.com', 'example.com'],
    ['https://api.example.com', '.example.com'],
    ['https://api.example.com', '*.EXAMPLE.com'],
    ['https://api.example.com', 'api.example.com:443'],
    ['http://api.example.com:8080', 'other.test api.example.com:8080'],
    ['https://10.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3:8443', '192.168.0.0/16,10.1.0.0/16:8443'],
    ['https://[fd00::12]', 'fd00::/8'],
    ['https://[fd00::12]', 'fd00:0:0::12'],
    ['https://[fd00::12]:8443', '[fd00::12]:8443'],
  ])('bypasses it to %s for NO_PROXY=%s', (url, no) => {
    expect(isBypassed(url, no)).toBe(true);
  });

  it.each([
    ['https://notexample.com', 'example.com'],
    ['https://api.example.com', 'api.example.com:8443'],
    ['https://11.1.2.3', '10.0.0.0/8'],
    ['https://10.1.2.3', '10.0.0.0/8:8443'],
    ['https://api.example.com', '10.0.0.0/8'],
    ['https://[fc00::12]', 'fd00::/8, 10.0.0.0/8'],
    ['https://10.1.2.3', ''],
  ])('uses it to %s for NO_PROXY=%s', (url, no) => {
    expect(isBypassed(url, no)).toBe(false);
  });

  it.each([
    'https://example.com',
    'example.com/api',
    'example.com:https',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '192.168.*',
    'fd00:::1',
  ])('rejects %j in NO_PROXY instead of ignoring it', (entry) => {
    expect(() => isBypassed('https://api.example.com', `other.test, ${entry}`)).toThrow(
      expect.objectContaining({
        exitCode: 2,
        message: expect.stringContaining(`"${entry}"`),
        hint: expect.stringContaining('10.0.0.0/8'),
      }),
    );
  });

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

  it.each(['socks5://me:hunter2@proxy', 'http://', 'http://me:hunter2@:0:0'])(
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

  it.each([
    ['', undefined],
    ['me:s%3Acret@', 'Basic bWU6czpjcmV0'],
    ['me:100%@', 'Basic bWU6MTAwJQ=='],
    ['me@', 'Basic bWU6'],
  ])('gets the credentials of its URL, which needs no scheme: "%s"', async (credentials, authorization) => {
    const proxy = opened(await startProxyServer({ status: 502 }));
    await failureThrough(`${credentials}127.0.0.1:${proxy.port}`);
    expect(proxy.requests.map((request) => request.authorization)).toEqual([authorization]);
  });

  it('is named if it is not running', async () => {
    const gone = await startProxyServer({ status: 502 });
    await gone.close();
    expect(await failureThrough(gone.url)).toMatchObject({
      kind: 'unreachable',
      processed: 'no',
      message: `cannot reach ${protocol}://service.test through the proxy ${gone.url}: the connection was refused`,
      hint: expect.stringContaining('Check the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY)'),
    });
  });
});

describe('a proxy that forwards plain http', () => {
  it('is named if it wants other credentials, and the request counts as not processed', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const one = client('http://service.test', { http: proxy.url });
    for (let time = 0; time < 2; time += 1) {
      expect(await failureOf(one.request(READ))).toMatchObject({
        status: 407,
        exitCode: 6,
        processed: 'no',
        message: 'the proxy rejected the credentials (407)',
        hint: 'Check the user name and password in HTTPS_PROXY or HTTP_PROXY.',
      });
    }
    expect(proxy.requests).toHaveLength(2);
  });

  it('is named if it closes the connection', async () => {
    const proxy = opened(await startProxyServer({ closes: 'end' }));
    expect(await failureOf(client('http://service.test', { http: proxy.url }).request(READ))).toMatchObject({
      kind: 'interrupted',
      processed: 'maybe',
      message: expect.stringContaining(` through the proxy ${proxy.url} was lost `),
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
      kind: 'timeout',
      processed: 'no',
      message: `no connection to https://service.test through the proxy http://127.0.0.1:${port} within 30 s`,
    });
    mute.close();
  });
});
