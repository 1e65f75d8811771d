import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { READY_DOMAIN } from '../fixtures/contract/domain.ts';
import { ROLE } from '../fixtures/contract/role.ts';
import { OWN_PORT, ownLoopbackAddress } from '../helpers/loopback-address.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { temporaryCliDirectory } from '../helpers/run-cli.ts';
import { startScriptedService } from '../helpers/scripted-service.ts';
import { runBin, startBin } from './run-bin.ts';

const home = temporaryCliDirectory();
const opened = closeAfterTests();
const envFor = (url: string) => ({ HOME: home.path, ORGADM_BASE_URL: url, ORGADM_API_KEY: 'k-1234567890' });

describe('the built program', () => {
  it('gates a pipeline on findings, and writes a job summary in Markdown', async () => {
    const open = { id: 'f1', status: 'open', severity: 'HIGH', content: '`a` | <b>' };
    const bodies = [[open, { ...open, id: 'f2', severity: 'low' }], [{ ...open, status: 'closed' }]];
    const service = opened(await startScriptedService(bodies.map((body) => ({ body }))));
    const argv = ['findings', 'list', '--all', '--status', 'open', '--min-severity', 'high', '--exit-status'];
    const run = () => runBin([...argv, '-o', 'markdown'], { env: envFor(service.url) });
    expect(await run()).toEqual({
      code: 7,
      stdout:
        '| id | severity | status | content |\n| --- | --- | --- | --- |\n' +
        '| f1 | HIGH | open | \\`a\\` \\| &lt;b&gt; |\n',
      stderr: 'the filters dropped 1 of 2 findings\n1 finding remains (exit 7)\n',
    });
    expect(await run()).toEqual({
      code: 0,
      stdout: 'no findings\n',
      stderr: 'the filters dropped 1 of 1 findings\n',
    });
  });

  it('updates a role from a response, and exits 3 if something is stored differently', async () => {
    const read = { ...ROLE, organizationId: 'org_1', obligations: { compliance: true } };
    const stored = { ...ROLE, obligations: { compliance: false } };
    const service = opened(await startScriptedService([{ body: read }, { body: stored }]));
    const env = envFor(service.url);
    const { stdout: role } = await runBin(['api', 'GET', 'v1/roles/rol_custom_1'], { env });
    const updated = await runBin(['role', 'update', 'rol_custom_1', '--from', '-', '--json'], { env, stdin: role });
    expect(updated.code).toBe(3);
    expect(JSON.parse(updated.stdout)).toEqual({
      ...stored,
      mismatches: [{ path: 'obligations.compliance', sent: true, stored: false }],
    });
    expect(JSON.parse(service.requests[1]?.body ?? '')).toEqual({
      name: 'Lead Auditor',
      permissions: { control: ['read', 'update'], policy: ['read'] },
      obligations: { compliance: true },
    });
  });

  it('waits for a domain of a service that starts after the first check', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(READY_DOMAIN));
    });
    const host = ownLoopbackAddress();
    const argv = ['domain', 'status', 'trust.acme.test', '--wait', '--interval', '1s', '--json', '--verbose'];
    const child = startBin(argv, envFor(`http://${host}:${OWN_PORT}`));
    child.stdin.end();
    const stdout = text(child.stdout);
    await untilPrinted(child.stderr, '-> unreachable');
    await once(server.listen(OWN_PORT, host), 'listening');
    try {
      child.stderr.resume();
      const [code] = await once(child, 'close');
      expect({ code, json: JSON.parse(await stdout) }).toEqual({
        code: 0,
        json: [{ ...READY_DOMAIN, state: 'ready', ready: true }],
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

/** Resolves when the stream has printed `part`; the rest is not read. */
async function untilPrinted(stream: Readable, part: string): Promise<void> {
  let printed = '';
  while (!printed.includes(part)) printed += String((await once(stream, 'data'))[0]);
}
