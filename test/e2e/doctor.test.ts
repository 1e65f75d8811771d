import { describe, expect, it } from 'vitest';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { runBin } from './run-bin.ts';

const KEY = 'key-of-the-doctor-tests';

const opened = closeAfterTests();
const folder = temporaryCliDirectory();
const certificates = certificatesForTests(90);

const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  runBin(['doctor', ...argv], {
    env: { ORGADM_STATE_DIR: folder.file('state'), ORGADM_CONFIG_DIR: folder.file('config'), ...env },
  });

describe('orgadm doctor', () => {
  it('checks TLS through a proxy, and does not print the key', async () => {
    const service = opened(
      await startScriptedService(() => ({ body: [] }), { scriptsFirstRead: true, tls: certificates.server }),
    );
    const proxy = opened(await startProxyServer({ port: service.port }));
    const argv = ['--report', '--base-url', 'https://service.test', '--ca-cert', certificates.caFile];
    const { code, stdout } = await run(argv, { ORGADM_API_KEY: KEY, HTTPS_PROXY: proxy.url });
    expect(stdout).toMatch(/^tls +ok +TLSv1\.3, certificate of "service", issued by "Test CA"/m);
    expect(stdout).toMatch(/^proxy +ok +http:\/\/127\.0\.0\.1:\d+, from the environment$/m);
    expect(stdout).not.toContain(KEY);
    expect(code).toBe(0);
  });
});
