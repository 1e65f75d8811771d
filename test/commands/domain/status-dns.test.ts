import dns from 'node:dns/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PENDING_DOMAIN, READY_DOMAIN } from '../../fixtures/contract/domain.ts';
import { SERVFAIL, startFailingNameServer, startNameServer } from '../../helpers/name-server.ts';
import { closeAfterTests } from '../../helpers/opened.ts';
import { createCommandRunner } from '../../helpers/service-run.ts';

const cli = createCommandRunner();
const opened = closeAfterTests();

const SYSTEM_SERVERS = dns.getServers();
afterEach(() => dns.setServers(SYSTEM_SERVERS));

/** Runs `domain status --check-dns` with the given responses and DNS records. */
async function check(body: object, records: readonly string[], argv: readonly string[]) {
  const { run } = await cli.scripted(() => ({ body }));
  const { address } = opened(await startNameServer(records));
  dns.setServers([address]);
  return run(['domain', 'status', 'trust.acme.test', '--check-dns', ...argv]);
}

const TXT = 'txt-record=_verify.trust.acme.test,"domain-verify=trust.acme.test,7f3a9c1e5b"';
const TXT_RECORD = { type: 'TXT', domain: '_v.acme.test', value: 'verify=1' };
const OTHER_CNAME = ['cname=trust.acme.test,old.host.test', 'host-record=old.host.test,192.0.2.7'];

describe('domain status --check-dns', () => {
  it('adds what the DNS holds to the JSON', async () => {
    const result = await check(PENDING_DOMAIN, [TXT, ...OTHER_CNAME], ['--json']);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const [txt, cname] = PENDING_DOMAIN.verification;
    expect(result.json()).toEqual([
      {
        ...PENDING_DOMAIN,
        state: 'not-verified',
        ready: false,
        dns: [
          { type: 'TXT', name: txt?.domain, expected: txt?.value, state: 'found', actual: [txt?.value] },
          { type: 'CNAME', name: cname?.domain, expected: cname?.value, state: 'different', actual: ['old.host.test'] },
        ],
      },
    ]);
  });

  it('shows each record in the table, and counts them in csv', async () => {
    const { stdout } = await check(PENDING_DOMAIN, OTHER_CNAME, []);
    expect(stdout.slice(stdout.indexOf('DNS'))).toBe(`DNS records:

type   name                     reason                       in the DNS                value
TXT    _verify.trust.acme.test  pending_domain_verification  missing                   domain-verify=trust.acme.test,7f3a9c1e5b
CNAME  trust.acme.test          missing_cname                different: old.host.test  cname.hosting.test
`);
    const csv = await check(PENDING_DOMAIN, [TXT], ['-o', 'csv']);
    expect(csv.stdout).toMatch(/^domain,.*,dns\n.*,"1 found, 1 missing"\n$/);
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

  it('says that the domains of the sandbox are not in the real DNS', async () => {
    dns.setServers([opened(await startNameServer([])).address]);
    const { code, stderr } = await cli.sandbox(['domain', 'status', 'pending.example.com', '--check-dns']);
    expect(code).toBe(0);
    expect(stderr).toContain('not in the real DNS');
  });

  it('escapes the control characters of DNS records', async () => {
    const record = 'txt-record=_verify.trust.acme.test,"\u001b[31mred\u001b[0m"';
    const { stdout } = await check(PENDING_DOMAIN, [record], []);
    expect(stdout).toContain(' "\\u001b[31mred\\u001b[0m" ');
    expect((await check(PENDING_DOMAIN, [record], ['--json'])).stdout).toContain('"\\u001b[31mred\\u001b[0m"');
  });

  const CNAME = { type: 'CNAME', value: 'C.Host.test.' };
  const OF_CNAME = ['cname=trust.acme.test,c.host.test', 'host-record=c.host.test,192.0.2.7'];
  const IPV4 = { type: 'A', domain: 'acme.test', value: '192.0.2.7' };
  const IPV6 = { type: 'aaaa', domain: 'acme.test', value: '2001:db8::7' };
  // biome-ignore format: a table
  it.each<[string, listed: object, records: string[], state: string, actual: string[]]>([
    ['the exact text', TXT_RECORD, ['txt-record=_v.acme.test,"verify=1"'], 'found', ['verify=1']],
    ['the text in several strings', TXT_RECORD, ['txt-record=_v.acme.test,ver,ify=1'], 'found', ['verify=1']],
    ['a text with umlauts', { ...TXT_RECORD, value: 'größe' }, ['txt-record=_v.acme.test,größe'], 'found', ['größe']],
    ['a text with a space', TXT_RECORD, ['txt-record=_v.acme.test,"verify=1 "'], 'different', ['verify=1 ']],
    ['a text in capitals', TXT_RECORD, ['txt-record=_v.acme.test,VERIFY=1'], 'different', ['VERIFY=1']],
    ['no record', TXT_RECORD, [], 'missing', []],
    ['an address', IPV4, ['host-record=acme.test,192.0.2.7'], 'found', ['192.0.2.7']],
    ['another IPv6 address', IPV6, ['host-record=acme.test,2001:db8::8'], 'different', ['2001:db8::8']],
    ['a CNAME in capitals', CNAME, OF_CNAME, 'found', ['c.host.test']],
    ['addresses instead of a CNAME', CNAME, ['host-record=trust.acme.test,192.0.2.7'], 'missing', []],
    ['the recommended CNAME', {}, OF_CNAME, 'found', ['c.host.test']],
  ])('answers what the DNS has: %s', async (_, listed, records, state, actual) => {
    const expected = 'type' in listed ? { verification: [listed] } : { cnameTarget: CNAME.value };
    const body = { domain: 'trust.acme.test', verified: true, ...expected };
    expect((await check(body, records, ['--json'])).json()).toMatchObject([{ dns: [{ state, actual }] }]);
  });

  it.each([
    [
      'of a type that orgadm does not know',
      { type: 'MX', domain: 'acme.test', value: '10 mx.acme.test' },
      'MX acme.test',
    ],
    ['whose zone the name server does not have', { ...TXT_RECORD, domain: 'other.test' }, 'TXT other.test'],
  ])('warns about a record %s, and has no answer for it', async (_, listed, named) => {
    const body = { domain: 'trust.acme.test', verified: false, verification: [listed] };
    const { code, stderr, json } = await check(body, [], ['--json']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(new RegExp(`^warning: .* ${named} .*\n$`)),
    });
    expect(json()).toMatchObject([{ dns: [] }]);
  });

  it('does not take the failure of a name server as proof that a record is missing', async () => {
    const { run } = await cli.scripted(() => ({ body: PENDING_DOMAIN }));
    dns.setServers([opened(await startFailingNameServer(SERVFAIL)).address]);
    const { stdout, stderr } = await run(['domain', 'status', 'trust.acme.test', '--check-dns', '--json']);
    expect(stdout).not.toContain('missing"');
    expect(stderr).toMatch(/^warning: .* CNAME trust\.acme\.test .* ESERVFAIL\b/m);
  });
});
