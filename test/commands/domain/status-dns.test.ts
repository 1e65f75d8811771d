import { describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { startNameServer } from '../../helpers/name-server.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const opened = closeAfterTests();

/** Runs `domain status --check-dns` with the given responses and DNS records. */
async function check(body: object, records: readonly string[], argv: readonly string[]) {
  const { run } = await cli.scripted(() => ({ body }));
  const { address } = opened(await startNameServer(records));
  return run(['domain', 'status', 'trust.acme.test', '--check-dns', '--resolver', address, ...argv]);
}

const TXT = 'txt-record=_verify.trust.acme.test,"domain-verify=trust.acme.test,7f3a9c1e5b"';
const OTHER_CNAME = ['cname=trust.acme.test,old.host.test', 'host-record=old.host.test,192.0.2.7'];

describe('domain status --check-dns', () => {
  it('adds what the DNS holds to the JSON', async () => {
    const result = await check(PENDING_DOMAIN, [TXT, ...OTHER_CNAME], ['--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.json()).toEqual([
      {
        ...PENDING_DOMAIN,
        state: 'not-verified',
        ready: false,
        dns: [
          {
            type: 'TXT',
            name: '_verify.trust.acme.test',
            expected: 'domain-verify=trust.acme.test,7f3a9c1e5b',
            state: 'found',
            actual: ['domain-verify=trust.acme.test,7f3a9c1e5b'],
          },
          {
            type: 'CNAME',
            name: 'trust.acme.test',
            expected: 'cname.hosting.test',
            state: 'different',
            actual: ['old.host.test'],
          },
        ],
      },
    ]);
  });

  it('shows each record in the table', async () => {
    const { stdout } = await check(PENDING_DOMAIN, OTHER_CNAME, []);
    expect(stdout).toBe(`domain           ready  verified  misconfigured  CNAME target
trust.acme.test  no     no        yes            cname.hosting.test

DNS records:

type   name                     value                                     reason                       in the DNS
TXT    _verify.trust.acme.test  domain-verify=trust.acme.test,7f3a9c1e5b  pending_domain_verification  missing
CNAME  trust.acme.test          cname.hosting.test                        missing_cname                different: old.host.test
`);
  });

  it('counts the records in csv', async () => {
    expect(
      (await check(PENDING_DOMAIN, [TXT], ['-o', 'csv'])).stdout,
    ).toBe(`domain,state,ready,verified,misconfigured,cnameTarget,error,dns
trust.acme.test,not-verified,false,false,true,cname.hosting.test,,"1 found, 1 missing"
`);
  });

  it('checks the recommended CNAME if no record is listed', async () => {
    const body = { domain: 'trust.acme.test', verified: true, cnameTarget: 'Old.Host.test.' };
    expect((await check(body, OTHER_CNAME, ['--json'])).json()).toMatchObject([
      {
        dns: [
          {
            type: 'CNAME',
            name: 'trust.acme.test',
            expected: 'Old.Host.test.',
            state: 'found',
            actual: ['old.host.test'],
          },
        ],
      },
    ]);
  });

  it('prints an empty list if there is nothing to check', async () => {
    const body = { domain: 'trust.acme.test', verified: true, verification: [] };
    expect((await check(body, [], ['--json'])).json()).toMatchObject([{ dns: [] }]);
  });

  it('does not change the exit code, which depends on the service', async () => {
    expect((await check(READY_DOMAIN, [], ['--exit-status'])).code).toBe(0);
    expect((await check(PENDING_DOMAIN, [TXT], ['--exit-status'])).code).toBe(7);
  });

  it('queries the DNS after the wait', async () => {
    const result = await check(PENDING_DOMAIN, [TXT], ['--wait', '--deadline', '10s', '--json']);
    expect(result.code).toBe(7);
    expect(result.json()).toMatchObject([{ dns: [{ state: 'found' }, { state: 'missing' }] }]);
  });

  it('says with --sandbox that its domains are not in the real DNS', async () => {
    const { address } = opened(await startNameServer([]));
    const argv = ['domain', 'status', 'pending.example.com', '--check-dns', '--resolver', address];
    const { code, stderr } = await cli.sandbox(argv);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "the sandbox's domains are not in the real DNS, so their records cannot be found there\n",
    });
  });

  it('removes control characters from DNS records', async () => {
    const record = 'txt-record=_verify.trust.acme.test,"\u001b[31mred\u001b[0m"';
    const { stdout } = await check(PENDING_DOMAIN, [record], []);
    expect(stdout).toContain('different: "\\u001b[31mred\\u001b[0m"\n');
    const json = (await check(PENDING_DOMAIN, [record], ['--json'])).stdout;
    expect(json).toContain('"\\u001b[31mred\\u001b[0m"');
  });
});
