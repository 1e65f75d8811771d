import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { certificatesForTests, makeCertificates } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { runOrgadm } from '../helpers/orgadm-process.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { runBuilt } from '../helpers/run-cli.ts';
import { type ScriptedService, startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/* The built program, whose bundled undici is not the entire package: see build/undici.cjs. */

const ENV = { ORGADM_API_KEY: API_KEY, ORGADM_RETRIES: '0' };
const FOUND = { code: 0, stdout: '{"id":"fnd_1"}\n', stderr: '' };

type Variables = Readonly<Record<string, string>>;

const opened = closeAfterTests();
const folder = temporaryFolder();
const certificates = certificatesForTests();

const tlsService = async (tls = certificates.server) => opened(await startScriptedService(addsAnyone(), { tls }));
const proxyTo = async ({ port }: ScriptedService) => opened(await startProxyServer({ port }));

const trusted = () => ['--ca-cert', certificates.caFile];
const none = () => [];
const list = (baseUrl: string, flags: readonly string[]) => [
  ...['findings', 'list', '--all', '-o', 'ndjson', '--base-url', baseUrl, ...flags],
];

async function findings(baseUrl: string, flags: readonly string[] = [], env: Variables = {}) {
  const { code, stdout, stderr } = await runBuilt(folder.path, list(baseUrl, flags), { env: { ...ENV, ...env } });
  return { code, stdout, stderr };
}

/** The same in a process of its own, for variables that Node reads. */
async function findingsOfProcess(baseUrl: string, flags: readonly string[], env: Variables) {
  const { code, stdout, stderr } = await runOrgadm(folder.path, list(baseUrl, flags), { env: { ...ENV, ...env } });
  return { code, stdout, stderr };
}

describe('a request over https', () => {
  it('trusts the authority of --ca-cert', async () => {
    const service = await tlsService();
    expect(await findings(service.url, trusted())).toEqual(FOUND);
    expect(service.requests).toHaveLength(1);
  });

  it('trusts the authorities of NODE_EXTRA_CA_CERTS, also together with --ca-cert', async () => {
    const service = await tlsService();
    const env = { NODE_EXTRA_CA_CERTS: certificates.caFile };
    const another = makeCertificates();
    const both = await findingsOfProcess(service.url, ['--ca-cert', another.caFile], env);
    another.remove();
    expect(await findingsOfProcess(service.url, [], env)).toEqual(FOUND);
    expect(both).toEqual(FOUND);
  });

  it.each([
    ['an unknown authority', 'server', none, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a self-signed certificate', 'selfSigned', none, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['an expired certificate', 'expired', trusted, 'CERT_HAS_EXPIRED'],
    ['the certificate of another host', 'other', trusted, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const)('sends nothing to a service with %s, also behind a proxy', async (_name, kind, flags, reason) => {
    const service = await tlsService(certificates[kind]);
    const proxy = await proxyTo(service);
    for (const [url, env] of [
      [service.url, {}],
      ['https://service.test', { HTTPS_PROXY: proxy.url }],
    ] as const) {
      const { code, stderr } = await findings(url, flags(), env);
      expect(code).toBe(6);
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'certificate', message: expect.stringContaining(reason) });
    }
    expect(proxy.requests).toHaveLength(1);
    expect(service.requests).toEqual([]);
  });

  it('verifies certificates whatever the value of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const service = await tlsService();
    const proxy = await proxyTo(service);
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect((await findingsOfProcess(service.url, [], env)).code).toBe(6);
    expect((await findingsOfProcess('https://service.test', [], { ...env, HTTPS_PROXY: proxy.url })).code).toBe(6);
    expect(service.requests).toEqual([]);
  });

  it('reports a service that speaks plain http', async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    const { code, stderr } = await findings(`https://127.0.0.1:${service.port}`);
    expect(code).toBe(6);
    expect(stderr).toContain('no trusted TLS connection');
  });
});

describe('a request over https through a proxy', () => {
  it('goes through a tunnel that sees neither key nor people, with its credentials only for the proxy', async () => {
    const service = await tlsService();
    const proxy = await proxyTo(service);
    const env = { HTTPS_PROXY: `http://us%40er:p%3Ass@127.0.0.1:${proxy.port}` };
    expect(await findings('https://service.test', trusted(), env)).toEqual(FOUND);
    expect(proxy.requests).toMatchObject([
      { line: 'CONNECT service.test:443', authorization: 'Basic dXNAZXI6cDpzcw==' },
    ]);
    expect(JSON.stringify(proxy.requests)).not.toContain(API_KEY);
    expect(service.requests[0]?.headers).toMatchObject({ host: 'service.test', 'x-api-key': API_KEY });
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('verifies the certificate of a proxy over https', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }, certificates.server));
    const env = { HTTPS_PROXY: proxy.url };
    // Node warns that the proxy is named by its address.
    expect(await findings('https://service.test', trusted(), env)).toMatchObject({ code: 0, stdout: FOUND.stdout });
    expect((await findings('https://service.test', [], env)).code).toBe(6);
    expect(proxy.requests.map(({ line }) => line)).toEqual(['CONNECT service.test:443']);
  });

  it('names a proxy that rejects the tunnel', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const { code, stderr } = await findings('https://service.test', [], { HTTPS_PROXY: proxy.url });
    expect(code).toBe(6);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('(407)'),
      hint: expect.stringContaining('HTTPS_PROXY'),
    });
  });
});

describe('a request over http', () => {
  const flags = ['--allow-http'];

  it('sends the entire URL to a proxy, with its credentials', async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    const proxy = await proxyTo(service);
    const env = { http_proxy: `http://ada:s3cret@127.0.0.1:${proxy.port}` };
    expect(await findings('http://service.test/api', flags, env)).toEqual(FOUND);
    expect(proxy.requests).toMatchObject([
      { line: 'GET http://service.test/api/v1/findings', authorization: 'Basic YWRhOnMzY3JldA==' },
    ]);
    expect(service.requests[0]).toMatchObject({ path: '/api/v1/findings', headers: { host: 'service.test' } });
  });

  it('bypasses the proxy for loopback', async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    const proxy = opened(await startProxyServer({ status: 502 }));
    expect(await findings(service.url, [], { http_proxy: proxy.url, HTTP_PROXY: proxy.url })).toEqual(FOUND);
    expect(proxy.requests).toEqual([]);
  });
});
