import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RequestSpec } from '../../../src/client/service-client.ts';
import { type Certificates, makeCertificates } from '../../helpers/certificates.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startProxyServer } from '../../helpers/proxy-server.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';
import { failureOf, testClient } from '../../helpers/test-client.ts';

const READ: RequestSpec = { method: 'GET', path: ['v1', 'findings'], retry: 'safe' };

const opened = closeAfterTests();
let certificates: Certificates;
beforeAll(() => {
  certificates = makeCertificates();
});
afterAll(() => certificates.remove());

const tlsService = async (tls = certificates.server) =>
  opened(await startScriptedService(() => ({ body: [] }), { tls }));

describe('a request over https', () => {
  it('accepts the certificate of a given authority', async () => {
    const { url, requests } = await tlsService();
    const response = await opened(testClient(url, { caCert: certificates.ca })).request(READ);
    expect(response.text).toBe('[]');
    expect(requests).toHaveLength(1);
  });

  it('fails at once for an unknown authority, without sending anything', async () => {
    const service = await tlsService();
    const error = await failureOf(opened(testClient(service.url)).request(READ));
    expect(error).toMatchObject({ kind: 'certificate', processed: 'no', exitCode: 6 });
    expect(error.message).toMatch(/its issuer is unknown \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)/);
    expect(error.hint).toContain('--ca-cert');
    expect(service.requests).toHaveLength(0);
    expect(service.connections()).toBe(1);
  });

  it('fails for the certificate of another host', async () => {
    const service = await tlsService(certificates.other);
    const error = await failureOf(opened(testClient(service.url, { caCert: certificates.ca })).request(READ));
    expect(error).toMatchObject({ kind: 'certificate', processed: 'no' });
    expect(error.message).toContain('it was issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)');
  });

  it('reports a service that uses plain http', async () => {
    const service = opened(await startScriptedService(() => ({ body: [] })));
    const error = await failureOf(opened(testClient(`https://127.0.0.1:${service.port}`)).request(READ));
    expect(error).toMatchObject({ kind: 'certificate', processed: 'no', exitCode: 6 });
    expect(error.message).toContain('no TLS connection');
    expect(error.hint).toContain('uses https');
  });

  it.each(['', 'no certificate at all', '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n'])(
    'rejects %j as an authority',
    (caCert) => {
      expect(() => testClient('https://127.0.0.1', { caCert })).toThrow('cannot read the CA certificate');
    },
  );
});

describe('a request over https through a proxy', () => {
  const withProxy = async (target: Parameters<typeof startProxyServer>[0], ca: string | undefined) => {
    const proxy = opened(await startProxyServer(target));
    const client = opened(testClient('https://service.test', { proxy: { https: proxy.url }, caCert: ca }));
    return { proxy, client };
  };

  it('goes through a tunnel that never contains the key', async () => {
    const service = await tlsService();
    const { proxy, client } = await withProxy({ port: service.port }, certificates.ca);
    expect((await client.request(READ)).text).toBe('[]');
    expect(proxy.requests.map(({ line }) => line)).toEqual(['CONNECT service.test:443']);
    expect(JSON.stringify(proxy.requests)).not.toContain('canary');
    expect(service.requests[0]?.headers.host).toBe('service.test');
  });

  it('sends the credentials of the proxy only to the proxy', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const https = `http://us%40er:p%3Ass@127.0.0.1:${proxy.port}`;
    await opened(testClient('https://service.test', { proxy: { https }, caCert: certificates.ca })).request(READ);
    expect(proxy.requests[0]?.authorization).toBe('Basic dXNAZXI6cDpzcw==');
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('verifies the certificate of the service', async () => {
    const service = await tlsService();
    const { client } = await withProxy({ port: service.port }, undefined);
    expect(await failureOf(client.request(READ))).toMatchObject({ kind: 'certificate', processed: 'no' });
  });

  it('verifies the name in the certificate of the service', async () => {
    const service = await tlsService(certificates.other);
    const { client } = await withProxy({ port: service.port }, certificates.ca);
    expect(await failureOf(client.request(READ))).toMatchObject({ kind: 'certificate', processed: 'no' });
  });

  it.each([407, 502])('reports that nothing was processed if the proxy rejects it with %i', async (status) => {
    const { proxy, client } = await withProxy({ status }, undefined);
    const error = await failureOf(client.request({ ...READ, retry: 'none' }));
    expect(error).toMatchObject({ kind: 'unreachable', processed: 'no', exitCode: 6 });
    expect(error.message).toContain(`through the proxy ${proxy.url}: the proxy returned status ${status}`);
    expect(error.hint).toContain('HTTPS_PROXY');
  });

  it('reports that nothing was processed if the proxy does not exist', async () => {
    const gone = await startProxyServer({ status: 502 });
    await gone.close();
    const client = opened(testClient('https://service.test', { proxy: { https: gone.url } }));
    const error = await failureOf(client.request({ ...READ, retry: 'none' }));
    expect(error).toMatchObject({ kind: 'unreachable', processed: 'no' });
    expect(error.message).toContain('the connection was refused');
  });
});

describe('a request over http through a proxy', () => {
  it('is forwarded with its complete URL', async () => {
    const service = opened(await startScriptedService([{ body: [] }]));
    const proxy = opened(await startProxyServer({ port: service.port }));
    const client = opened(testClient('http://service.test/api', { allowHttp: true, proxy: { http: proxy.url } }));
    expect((await client.request(READ)).text).toBe('[]');
    expect(proxy.requests.map(({ line }) => line)).toEqual(['GET http://service.test/api/v1/findings']);
    expect(service.requests[0]).toMatchObject({ path: '/api/v1/findings', headers: { host: 'service.test' } });
  });

  it('bypasses the proxy for loopback', async () => {
    const service = opened(await startScriptedService([{ body: [] }]));
    const proxy = opened(await startProxyServer({ status: 502 }));
    await opened(testClient(service.url, { proxy: { http: proxy.url, https: proxy.url } })).request(READ);
    expect(proxy.requests).toEqual([]);
  });
});

describe('the environment of the process', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('cannot disable the verification of certificates', async () => {
    const service = await tlsService();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    // Node reads it with each connection: this is what anything else in the process would get.
    const unchecked = connect({ port: service.port, host: '127.0.0.1' });
    await once(unchecked, 'secureConnect');
    unchecked.destroy();

    const error = await failureOf(opened(testClient(service.url)).request(READ));
    expect(error).toMatchObject({ kind: 'certificate', processed: 'no' });
    const proxy = opened(await startProxyServer({ port: service.port }));
    const tunnelled = opened(testClient('https://service.test', { proxy: { https: proxy.url } }));
    expect(await failureOf(tunnelled.request(READ))).toMatchObject({ kind: 'certificate', processed: 'no' });
    expect(service.requests).toHaveLength(0);
  });

  it('does not set a proxy: only the options do', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ status: 502 }));
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy']) vi.stubEnv(name, proxy.url);
    await opened(testClient(service.url, { caCert: certificates.ca })).request(READ);
    await failureOf(opened(testClient('https://service.invalid')).request({ ...READ, retry: 'none' }));
    expect(proxy.requests).toEqual([]);
  });
});
