import { describe, expect, it } from 'vitest';
import { API_KEY } from '../helpers/api-key.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { startProxyServer } from '../helpers/proxy-server.ts';
import { errorOf } from '../helpers/report.ts';
import { createCommandRunner, expectUsageError } from '../helpers/service-run.ts';
import { createAutoClock } from '../helpers/test-clock.ts';

const cli = createCommandRunner();
const opened = closeAfterTests();
const FINDINGS = ['findings', 'list', '--all', '--allow-http', '--json'];

describe('a proxy', () => {
  it.each(['socks5://me:hunter2@proxy', 'http://', 'http://me:hunter2@:0:0', 'http://me:hunter2%@proxy'])(
    'that is no URL of http or https is rejected without repeating it: %j',
    async (HTTPS_PROXY) => {
      const env = { ORGADM_BASE_URL: 'https://service.test', ORGADM_API_KEY: API_KEY, HTTPS_PROXY };
      const result = await cli.plain(FINDINGS.slice(0, 3), { env });
      expectUsageError(result, 'the proxy in HTTPS_PROXY …', 'Write it as http://host:port.');
      expect(result.stderr).not.toContain('hunter2');
    },
  );

  it('is that of the protocol, and of the variable in lower case, because a client of a CGI script can set HTTP_PROXY', async () => {
    const { service, run } = await cli.scripted([{ body: [] }]);
    const proxy = opened(await startProxyServer({ port: service.port }));
    const env = {
      ORGADM_BASE_URL: `http://0.0.0.0:${service.port}`,
      ...{ http_proxy: proxy.url, HTTP_PROXY: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' },
    };
    expect((await run(FINDINGS, { env })).code).toBe(0);
    expect(proxy.requests).toHaveLength(1);
  });

  it.each(['end', 'reset'] as const)('that closes every connection (%s) is tried again later', async (closes) => {
    const proxy = opened(await startProxyServer({ closes }));
    const clock = createAutoClock();
    const env = { ORGADM_BASE_URL: 'https://service.test', ORGADM_API_KEY: API_KEY, HTTPS_PROXY: proxy.url };
    const result = await cli.plain([...FINDINGS, '--retries', '3'], { env, clock });
    expect([result.code, errorOf(result)]).toEqual([
      6,
      expect.objectContaining({ code: 'unreachable', hint: expect.stringContaining('proxy') }),
    ]);
    expect(proxy.requests.map(({ line }) => line)).toEqual(Array(4).fill('CONNECT service.test:443'));
    expect(clock.sleeps).toHaveLength(3);
  });
});
