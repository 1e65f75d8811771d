import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certificatesForTests } from '../helpers/certificates.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { type BinResult, createBinRunner } from '../helpers/orgadm-process.ts';
import { addsAnyone } from '../helpers/people-service.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startForwardProxy } from './tinyproxy.ts';

/*
 * The built program through tinyproxy. The service is named 0.0.0.0: this machine, but not a loopback address, which
 * is never reached through a proxy.
 */

const KEY = 'key-behind-the-proxy';

const opened = closeAfterTests();
const folder = temporaryFolder();
const certificates = certificatesForTests();

const run = createBinRunner(folder, { ORGADM_API_KEY: KEY, ORGADM_RETRIES: '0' });

const json = ({ stdout }: BinResult): unknown => JSON.parse(stdout);

const addPeople = (baseUrl: string) => {
  writeFileSync(folder.file('list.csv'), `userId,role\n${[1, 2, 3, 4].map((at) => `usr_${at},member\n`).join('')}`);
  return ['people', 'bulk-add', folder.file('list.csv'), '--base-url', baseUrl, '--json'];
};

describe('a request over https through a forward proxy', () => {
  const secureService = async () => opened(await startScriptedService(addsAnyone(), { tls: certificates.server }));

  it('is tunneled, so that the proxy sees neither key nor people', async () => {
    const { port, requests } = await secureService();
    const proxy = opened(await startForwardProxy());
    const argv = [...addPeople(`https://0.0.0.0:${port}`), '--ca-cert', certificates.caFile];
    const result = await run(argv, { HTTPS_PROXY: `http://${proxy.address}` });

    expect({ code: result.code, stderr: result.stderr }).toEqual({
      code: 0,
      stderr: expect.not.stringContaining('warning'),
    });
    expect(json(result)).toMatchObject({ summary: { total: 4, created: 4 } });
    expect(requests.map(({ headers }) => headers['x-api-key'])).toEqual([KEY]);
    expect(await proxy.logged(/CONNECT 0\.0\.0\.0:/)).toContain(`CONNECT 0.0.0.0:${port} HTTP/1.1`);
    expect(proxy.log.filter((line) => line.includes(KEY) || line.includes('usr_'))).toEqual([]);
  });

  it('sends the user and password to the proxy, and prints neither if they are rejected', async () => {
    const { port, requests } = await secureService();
    const proxy = opened(await startForwardProxy(['BasicAuth ada s3cret']));
    const argv = ['findings', 'list', '--all', '--ca-cert', certificates.caFile, '--debug', '--json'];
    const findings = (user: string) =>
      run([...argv, '--base-url', `https://0.0.0.0:${port}`], { HTTPS_PROXY: `http://${user}${proxy.address}` });

    const anonymous = await findings('');
    expect(anonymous.code).toBe(6);
    expect(anonymous.stderr).toContain('(407)');
    expect(requests).toEqual([]);

    const wrong = await findings('ada:wr0ng@');
    expect({ code: wrong.code, isPrinted: wrong.stderr.includes('wr0ng') }).toEqual({ code: 6, isPrinted: false });

    const right = await findings('ada:s3cret@');
    expect({ code: right.code, isPrinted: right.stderr.includes('s3cret') }).toEqual({ code: 0, isPrinted: false });
    expect(json(right)).toEqual([{ id: 'fnd_1' }]);
  });

  it('reports that nothing was sent if the proxy cannot reach the service', async () => {
    const gone = await startScriptedService([]);
    await gone.close();
    const proxy = opened(await startForwardProxy());
    const result = await run(addPeople(`https://0.0.0.0:${gone.port}`), { HTTPS_PROXY: `http://${proxy.address}` });

    expect(result.code).toBe(6);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('(500)');
  });
});

describe('a request over plain http through a forward proxy', () => {
  it('is forwarded under --allow-http', async () => {
    const { port, requests } = opened(await startScriptedService(addsAnyone()));
    const proxy = opened(await startForwardProxy());
    const argv = ['findings', 'list', '--all', '--json', '--base-url', `http://0.0.0.0:${port}`];
    const env = { HTTP_PROXY: `http://${proxy.address}` };

    expect((await run(argv, env)).code).toBe(2);
    expect(requests).toEqual([]);
    const result = await run([...argv, '--allow-http'], env);
    expect(json(result)).toEqual([{ id: 'fnd_1' }]);
    expect(requests.map(({ headers }) => headers.via)).toEqual([expect.stringContaining('tinyproxy')]);
    await proxy.logged(/GET http:\/\/0\.0\.0\.0:\d+\/v1\/findings/);
  });
});
