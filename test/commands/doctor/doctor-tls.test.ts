import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { certificatesForTests, makeCertificates } from '../../helpers/certificates.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { startProxyServer } from '../../helpers/proxy-server.ts';
import { type CliResult, runCli, temporaryCliDirectory } from '../../helpers/run-cli.ts';
import { startScriptedService } from '../../helpers/scripted-service.ts';
import { CANARY_KEY } from '../../helpers/test-client.ts';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();
const certificates = certificatesForTests(90);

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

describe('the check of TLS', () => {
  it('names issuer and expiry of the certificate of a trusted service', async () => {
    const service = await tlsService();
    const result = await run(service.url, trusted());
    expect(checkOf(result, 'tls')?.detail).toMatch(
      /^TLSv1\.3, certificate of "service", issued by "Test CA", expires \d{4}-\d\d-\d\d$/,
    );
    expect(result.code).toBe(0);
    expect(checkOf(result, 'certificate-authorities')?.detail).toContain(certificates.caFile);
    expect(service.requests).toHaveLength(2);
  });

  it('warns about a certificate that expires within 14 days', async () => {
    const short = makeCertificates(3);
    const service = await tlsService(short.server);
    const result = await run(service.url, ['--ca-cert', short.caFile]);
    short.remove();
    expect(checkOf(result, 'tls')).toMatchObject({ state: 'warning', detail: expect.stringMatching(/, in 2 days$/) });
    expect(result.code).toBe(0);
  });

  it('escapes the name of an issuer', async () => {
    const rude = makeCertificates(90, 'Rude\x1b[2J\x1b]0;title\x07 CA');
    const service = await tlsService(rude.server);
    const result = await run(service.url, ['--ca-cert', rude.caFile]);
    rude.remove();
    expect(checkOf(result, 'tls')?.detail).toContain('issued by "Rude\x1b[2J\x1b]0;title\x07 CA"');
    expect(result.stdout).not.toContain('\x1b');
  });

  it.each([
    ['an unknown authority', 'server', [], /UNABLE_TO_VERIFY_LEAF_SIGNATURE.*issued by "Test CA"/, /--ca-cert/],
    ['a self-signed certificate', 'selfSigned', [], /DEPTH_ZERO_SELF_SIGNED_CERT/, /--ca-cert/],
    ['an expired certificate', 'expired', ['trusted'], /it has expired.*expires 2020-02-01/, /renewed/],
    ['the certificate of another host', 'other', ['trusted'], /issued for another host.*"other"/, /Check the host/],
  ] as const)('fails for %s and sends nothing', async (_name, kind, flags, detail, fix) => {
    const service = await tlsService(certificates[kind]);
    const result = await run(service.url, flags.length > 0 ? trusted() : []);
    expect(result.code).toBe(1);
    expect(checkOf(result, 'tls')).toMatchObject({
      state: 'failed',
      detail: expect.stringMatching(detail),
      fix: expect.stringMatching(fix),
    });
    expect(checkOf(result, 'service')?.detail).toBe('not checked, because tls failed');
    expect(service.requests).toEqual([]);
  });

  it('fails for a service that uses plain http', async () => {
    const service = opened(await startScriptedService(() => ({ body: [] }), { scriptsFirstRead: true }));
    const result = await run(`https://127.0.0.1:${service.port}`);
    expect(checkOf(result, 'tls')).toMatchObject({ state: 'failed', detail: expect.stringContaining('no TLS') });
  });

  it('ends after --timeout if the handshake gets no response', async () => {
    const silent: Server = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as { port: number };
    const result = await run(`https://127.0.0.1:${port}`, ['--timeout', '1s']);
    silent.close();
    expect(checkOf(result, 'tcp')?.state).toBe('ok');
    expect(checkOf(result, 'tls')).toMatchObject({ state: 'failed', detail: expect.stringContaining('timed out') });
  });

  it('fails for a CA file without a certificate', async () => {
    const result = await run('https://127.0.0.1:9', ['--ca-cert', '/dev/null']);
    expect(checkOf(result, 'settings')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('/dev/null'),
    });
  });
});

describe('a proxy', () => {
  it('is named, and the checks go through it without showing it the key', async () => {
    const service = await tlsService();
    const proxy = opened(await startProxyServer({ port: service.port }));
    const env = { HTTPS_PROXY: `http://ada:s3cret@127.0.0.1:${proxy.port}` };
    const result = await run('https://service.test', trusted(), env);
    expect(checkOf(result, 'proxy')?.detail).toBe(`${proxy.url}, from the environment`);
    expect(checkOf(result, 'dns')?.detail).toBe('127.0.0.1 (the proxy) is an IP address, so it needs no lookup');
    expect(checkOf(result, 'tls')?.state).toBe('ok');
    expect(result.code).toBe(0);
    expect(new Set(proxy.requests.map(({ line, authorization }) => `${line} ${authorization}`))).toEqual(
      new Set(['CONNECT service.test:443 Basic YWRhOnMzY3JldA==']),
    );
    expect(result.stdout).not.toMatch(/s3cret|YWRhOnMzY3JldA/);
  });

  it('fails the check of TLS if it rejects the tunnel', async () => {
    const proxy = opened(await startProxyServer({ status: 407 }));
    const result = await run('https://service.test', [], { HTTPS_PROXY: proxy.url });
    expect(checkOf(result, 'tls')).toMatchObject({
      state: 'failed',
      detail: `cannot reach https://service.test through the proxy ${proxy.url}: the proxy returned status 407`,
    });
  });

  it('fails without being printed if it is not valid', async () => {
    const result = await run('https://service.test', [], { HTTPS_PROXY: 'socks5://ada:s3cret@proxy.test' });
    expect(checkOf(result, 'proxy')).toMatchObject({ state: 'failed', fix: 'Write it as http://host:port.' });
    expect(result.stdout).not.toContain('s3cret');
  });

  it('is not used for hosts in NO_PROXY', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'service.invalid' };
    const result = await run('https://service.invalid', ['--timeout', '5s'], env);
    expect(checkOf(result, 'proxy')?.detail).toBe('none: NO_PROXY names the host');
  });
});
