import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certificatesForTests, makeCertificates } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { createBinRunner } from '../helpers/orgadm-process.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { runBuilt } from '../helpers/run-built.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

/* The built program, whose bundled undici is not the entire package: see build/undici.cjs. */

const KEY = 'key-of-the-tls-tests';

const opened = closeAfterTests();
const folder = temporaryFolder();
const certificates = certificatesForTests();

const tlsService = async (tls = certificates.server) => opened(await startScriptedService(addsAnyone(), { tls }));

const ENV = { ORGADM_API_KEY: KEY, ORGADM_RETRIES: '0' };
async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runBuilt(folder.path, argv, { env: { ...ENV, ...env } });
  return { code, stdout, stderr };
}
/** For variables that Node reads. */
const runProcess = createBinRunner(folder, ENV);

const list = (baseUrl: string, flags: readonly string[] = []) => [
  'findings',
  'list',
  '--all',
  '-o',
  'ndjson',
  '--base-url',
  baseUrl,
  ...flags,
];
const findings = (baseUrl: string, flags: readonly string[] = [], env: Record<string, string> = {}) =>
  run(list(baseUrl, flags), env);
const findingsOfProcess = (baseUrl: string, flags: readonly string[] = [], env: Record<string, string> = {}) =>
  runProcess(list(baseUrl, flags), env);

const trusted = () => ['--ca-cert', certificates.caFile];
const none = () => [];

const FOUND = { code: 0, stdout: '{"id":"fnd_1"}\n', stderr: '' };

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
  ] as const)('sends nothing to a service with %s', async (_name, kind, flags, reason) => {
    const service = await tlsService(certificates[kind]);
    const { code, stderr } = await findings(service.url, flags());
    expect(code).toBe(6);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'certificate',
      message: expect.stringContaining(reason),
      hint: expect.stringContaining('--ca-cert'),
    });
    expect(service.requests).toEqual([]);
  });

  it('ends after --timeout if the handshake gets no response', async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo;
    const { code, stderr } = await findings(`https://127.0.0.1:${port}`, ['--timeout', '1s']);
    silent.close();
    expect(code).toBe(6);
    expect(JSON.parse(stderr).error.message).toContain(`https://127.0.0.1:${port}`);
  });

  it('reports a service that speaks plain http', async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    const { code, stderr } = await findings(`https://127.0.0.1:${service.port}`);
    expect(code).toBe(6);
    expect(stderr).toContain('no trusted TLS connection');
  });

  it('rejects a file without a certificate as an authority', async () => {
    const file = folder.file('ca.pem');
    for (const text of ['', 'no certificate']) {
      writeFileSync(file, text);
      expect((await findings('https://127.0.0.1:9', ['--ca-cert', file])).code).toBe(2);
    }
  });

  it('verifies certificates whatever the value of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    expect((await findingsOfProcess(service.url, [], env)).code).toBe(6);
    expect((await findingsOfProcess('https://service.test', [], { ...env, HTTPS_PROXY: proxy.url })).code).toBe(6);
    expect(service.requests).toEqual([]);
  });
});

describe('a request over https through a proxy', () => {
  it('goes through a tunnel that never sees the key', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    expect(await findings('https://service.test', trusted(), { HTTPS_PROXY: proxy.url })).toEqual(FOUND);
    expect(proxy.requests.map(({ line }) => line)).toEqual(['CONNECT service.test:443']);
    expect(JSON.stringify(proxy.requests)).not.toContain(KEY);
    expect(service.requests[0]?.headers).toMatchObject({ host: 'service.test', 'x-api-key': KEY });
  });

  it('imports many batches over few tunnels', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const file = folder.file('list.csv');
    writeFileSync(file, `userId,role\n${Array.from({ length: 60 }, (_, at) => `usr_${at},member\n`).join('')}`);
    const argv = ['people', 'bulk-add', file, '--batch-size', '5', '--base-url', 'https://service.test', '--json'];
    const { code, stdout } = await run([...argv, ...trusted()], { HTTPS_PROXY: proxy.url });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ summary: { total: 60, created: 60 } });
    expect(service.requests).toHaveLength(12);
    expect(proxy.requests.length).toBeLessThanOrEqual(4);
  });

  it('sends the credentials of the proxy only to it', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const env = { HTTPS_PROXY: `http://us%40er:p%3Ass@127.0.0.1:${proxy.port}` };
    expect(await findings('https://service.test', trusted(), env)).toEqual(FOUND);
    expect(proxy.requests[0]?.authorization).toBe('Basic dXNAZXI6cDpzcw==');
    expect(service.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('uses a proxy over https', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }, certificates.server));
    const env = { HTTPS_PROXY: proxy.url };
    // Node warns that the proxy is named by its address.
    const { code, stdout } = await findings('https://service.test', trusted(), env);
    expect({ code, stdout }).toEqual({ code: 0, stdout: FOUND.stdout });
    expect(proxy.requests.map(({ line }) => line)).toEqual(['CONNECT service.test:443']);
    const untrusted = await findings('https://service.test', [], env);
    expect(untrusted.code).toBe(6);
    expect(proxy.requests).toHaveLength(1);
  });

  it('verifies the certificate of the service and the name in it', async () => {
    const service = await tlsService();
    const other = await tlsService(certificates.other);
    const [known, wrong] = [
      opened(await startProxyServer({ port: service.port })),
      opened(await startProxyServer({ port: other.port })),
    ];
    const unknown = await findings('https://service.test', [], { HTTPS_PROXY: known.url });
    expect(unknown.code).toBe(6);
    expect(unknown.stderr).toContain('"code":"certificate"');
    const misnamed = await findings('https://service.test', trusted(), { HTTPS_PROXY: wrong.url });
    expect(misnamed.code).toBe(6);
    expect(misnamed.stderr).toContain('"code":"certificate"');
    expect([...service.requests, ...other.requests]).toEqual([]);
  });

  it.each([407, 502])('reports a proxy that rejects the tunnel with %i', async (status) => {
    const proxy = opened(await startProxyServer({ status }));
    const { code, stderr } = await findings('https://service.test', [], { HTTPS_PROXY: proxy.url });
    expect(code).toBe(6);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { code: 'unreachable', hint: expect.stringContaining('HTTPS_PROXY') },
    });
    expect(stderr).toContain(`(${status})`);
  });

  it('reports a proxy that is not running', async () => {
    const gone = await startProxyServer({ status: 502 });
    await gone.close();
    const { code, stderr } = await findings('https://service.test', [], { HTTPS_PROXY: gone.url });
    expect(code).toBe(6);
    expect(stderr).toContain('ECONNREFUSED');
  });

  it('bypasses the proxy for loopback and for hosts in NO_PROXY', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ status: 502 }));
    const env = { HTTPS_PROXY: proxy.url };
    expect(await findings(service.url, trusted(), env)).toEqual(FOUND);
    const elsewhere = `https://0.0.0.0:${service.port}`;
    expect((await findings(elsewhere, trusted(), env)).code).toBe(6);
    for (const NO_PROXY of ['0.0.0.0', `intranet.test, 0.0.0.0:${service.port}`, '*']) {
      expect(await findings(elsewhere, trusted(), { ...env, NO_PROXY })).toEqual(FOUND);
    }
    expect(proxy.requests).toHaveLength(1);
  });
});

describe('a request over http through a proxy', () => {
  const flags = ['--allow-http'];

  it('sends the entire URL, and the credentials to the proxy', async () => {
    const service = opened(await startScriptedService(addsAnyone()));
    const proxy = opened(await startProxyServer({ port: service.port }));
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
