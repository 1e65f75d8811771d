import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certificatesForTests } from '../../helpers/certificates.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startProxyServer } from '../../helpers/proxy-server.ts';
import { type CliResult, runCli, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();
const certificates = certificatesForTests();

const tlsService = async (tls = certificates.server) =>
  opened(await startScriptedService(() => ({ body: [] }), { scriptsFirstRead: true, tls }));

const run = (baseUrl: string, argv: readonly string[] = [], env: Record<string, string> = {}) =>
  runCli(folder.path, ['doctor', '--json', '--base-url', baseUrl, ...argv], {
    env: { ORGADM_API_KEY: CANARY_KEY, ...env },
  });

const trusted = () => ['--ca-cert', certificates.caFile];

interface Check {
  check: string;
  state: string;
  detail: string;
  fix: string | null;
}
const checkOf = (result: CliResult, name: string) =>
  (result.json() as { checks: Check[] }).checks.find(({ check }) => check === name);

describe('the check of the service over TLS', () => {
  it('passes for a trusted certificate', async () => {
    const service = await tlsService();
    const result = await run(service.url, trusted());
    expect(checkOf(result, 'service')?.state).toBe('ok');
    expect(result.code).toBe(0);
    expect(service.requests).toHaveLength(1);
  });

  it.each([
    ['an unknown authority', 'server', [], 'its issuer is unknown (UNABLE_TO_VERIFY_LEAF_SIGNATURE)', /--ca-cert/],
    ['a self-signed certificate', 'selfSigned', [], 'it is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)', /--ca-cert/],
    [
      'an expired certificate',
      'expired',
      ['trusted'],
      'it has expired (CERT_HAS_EXPIRED)',
      /^Renew the certificate .*clock/,
    ],
    [
      'the certificate of another host',
      'other',
      ['trusted'],
      'it was issued for another host (ERR_TLS_CERT_ALTNAME_INVALID)',
      /^Check the host in the base URL\.$/,
    ],
  ] as const)('fails for %s and sends nothing', async (_name, kind, flags, reason, fix) => {
    const service = await tlsService(certificates[kind]);
    const result = await run(service.url, flags.length > 0 ? trusted() : []);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'service')).toMatchObject({
      state: 'failed',
      detail: `the certificate of ${service.url} is not trusted: ${reason}`,
      fix: expect.stringMatching(fix),
    });
    expect(service.requests).toEqual([]);
  });

  it('fails for a service that uses plain http', async () => {
    const service = opened(await startScriptedService(() => ({ body: [] }), { scriptsFirstRead: true }));
    const url = `https://127.0.0.1:${service.port}`;
    expect(checkOf(await run(url), 'service')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining(`no TLS connection to ${url} (`),
      fix: 'Check that the service uses https on the port in the base URL.',
    });
  });

  it('ends after --timeout if the handshake gets no response', async () => {
    const silent: Server = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as { port: number };
    const result = await run(`https://127.0.0.1:${port}`, ['--timeout', '1s']);
    silent.close();
    expect(checkOf(result, 'service')).toMatchObject({
      state: 'failed',
      detail: `no connection to https://127.0.0.1:${port} within 1 s`,
    });
  });

  it('needs a CA file with a certificate', async () => {
    const result = await run('https://127.0.0.1:9', ['--ca-cert', '/dev/null']);
    expect(checkOf(result, 'configuration')).toMatchObject({
      state: 'failed',
      detail: '--ca-cert: /dev/null contains no certificate',
    });
  });
});

describe('a proxy', () => {
  it('is used for the request, and does not see the key', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const env = { HTTPS_PROXY: `http://ada:s3cret@127.0.0.1:${proxy.port}` };
    const result = await run('https://service.test', trusted(), env);
    expect(checkOf(result, 'service')?.state).toBe('ok');
    expect(result.code).toBe(0);
    expect(proxy.requests.map(({ line, authorization }) => `${line} ${authorization}`)).toEqual([
      'CONNECT service.test:443 Basic YWRhOnMzY3JldA==',
    ]);
    expect(result.stdout).not.toMatch(/s3cret|YWRhOnMzY3JldA/);
  });

  it('fails the check of the service if it rejects the tunnel', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const result = await run('https://service.test', [], { HTTPS_PROXY: proxy.url });
    expect(checkOf(result, 'service')).toMatchObject({
      state: 'failed',
      detail: `cannot reach https://service.test through the proxy ${proxy.url}: the proxy returned status 407`,
      fix: 'Check the proxy variables (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), the credentials of the proxy, and the base URL.',
    });
  });

  it('fails the check of the service without being printed if it is not valid', async () => {
    const result = await run('https://service.test', [], { HTTPS_PROXY: 'socks5://ada:s3cret@proxy.test' });
    expect(checkOf(result, 'service')).toMatchObject({ state: 'failed', fix: 'Write it as http://host:port.' });
    expect(result.stdout).not.toContain('s3cret');
  });
});
