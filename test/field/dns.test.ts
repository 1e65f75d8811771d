import { describe, expect, it } from 'vitest';
import { startNameServer } from '../helpers/name-server.ts';
import { closeAfterTests } from '../helpers/opened.ts';
import { createCommandRunner } from '../helpers/service-run.ts';

/*
 * Records that people add, and how they end up in the DNS. Each situation has the source of its class in general words, what
 * the service lists, what the DNS has, and what orgadm says.
 */

const cli = createCommandRunner();
const opened = closeAfterTests();

interface Situation {
  source: string;
  /** The domain; default: trust.acme.test. */
  domain?: string;
  /** The record as the service lists it. */
  listed: { type: string; domain?: string | null; value: string };
  /** Lines of the name server's configuration. */
  dns: readonly string[];
  /** What orgadm finds. */
  found: { state: string; name?: string; actual?: readonly string[]; foundAt?: string };
  /** The cell of the table, if a person must see more than the state. */
  shown?: string;
}

/** Checks the one record of a domain against a name server. */
async function check({ domain = 'trust.acme.test', listed, dns }: Situation, argv: readonly string[]) {
  const { run } = await cli.scripted(() => ({ body: { domain, verified: false, verification: [listed] } }));
  const { address } = opened(await startNameServer(dns));
  return run(['domain', 'status', domain, '--check-dns', '--resolver', address, ...argv]);
}

const NAME = '_verify.trust.acme.test';
const TXT = { type: 'TXT', domain: NAME, value: 'verify=1' };
const CNAME = { type: 'CNAME', domain: 'acme.test', value: 'cname.host.test.' };
const QUOTE = '\\"';
const ADDRESSES = 'host-record=cname.host.test,192.0.2.7,2001:db8::7';

describe('domain status --check-dns', () => {
  // biome-ignore format: a table
  it.each<Situation>([
    { source: 'quotation marks of a zone file, pasted into a form that adds its own', listed: TXT, dns: [`txt-record=${NAME},"${QUOTE}verify=1${QUOTE}"`], found: { state: 'different', actual: ['"verify=1"'] }, shown: String.raw`different: "\"verify=1\""` },
    { source: 'a space that a form kept', listed: TXT, dns: [`txt-record=${NAME},"verify=1 "`], found: { state: 'different', actual: ['verify=1 '] }, shown: 'different: "verify=1 "' },
    { source: 'a service that lists a value with a space at its end, which a form kept', listed: { ...TXT, value: 'verify=1 ' }, dns: [`txt-record=${NAME},"verify=1 "`], found: { state: 'found' } },
    { source: 'a service that lists a value with a space at its end, which a form removed', listed: { ...TXT, value: 'verify=1 ' }, dns: [`txt-record=${NAME},"verify=1"`], found: { state: 'found' } },
    { source: 'capitals', listed: TXT, dns: [`txt-record=${NAME},"VERIFY=1"`], found: { state: 'different' } },
    { source: 'a service that lists values in the form of a zone file', listed: { ...TXT, value: '"verify=1"' }, dns: [`txt-record=${NAME},"verify=1"`], found: { state: 'found' } },
    { source: 'a long value in several strings', listed: { ...TXT, value: '"v=DKIM1; p=abc" "def"' }, dns: [`txt-record=${NAME},"v=DKIM1; p=abc","def"`], found: { state: 'found' } },
    { source: 'escapes of a zone file', listed: { ...TXT, value: String.raw`"a\"b\\c\195\182"` }, dns: [String.raw`txt-record=${NAME},"a\"b\\cö"`], found: { state: 'found' } },
    { source: 'a value with quotation marks in the middle', listed: { ...TXT, value: 'a="1" b="2"' }, dns: [String.raw`txt-record=${NAME},"a=\"1\" b=\"2\""`], found: { state: 'found' } },
    { source: 'a service that lists names relative to the domain', listed: { ...TXT, domain: '_verify' }, dns: [`txt-record=${NAME},"verify=1"`], found: { state: 'found', name: NAME } },
    { source: 'a service that lists names relative to the zone above the domain', listed: { ...TXT, domain: '_verify.trust' }, dns: [`txt-record=${NAME},"verify=1"`], found: { state: 'found', name: NAME } },
    { source: 'an @ for the domain itself', listed: { ...TXT, domain: '@' }, dns: ['txt-record=trust.acme.test,"verify=1"'], found: { state: 'found', name: 'trust.acme.test' } },
    { source: 'no name for the domain itself', listed: { ...TXT, domain: '' }, dns: ['txt-record=trust.acme.test,"verify=1"'], found: { state: 'found', name: 'trust.acme.test' } },
    { source: 'a name in the zone above the domain', listed: { ...TXT, domain: '_verify.acme.test' }, dns: ['txt-record=_verify.acme.test,"verify=1"'], found: { state: 'found', name: '_verify.acme.test' } },
    { source: 'a full name with a period at its end', listed: { ...TXT, domain: `${NAME}.` }, dns: [`txt-record=${NAME},"verify=1"`], found: { state: 'found', name: `${NAME}.` } },
    { source: 'a form that adds the zone to a full name', listed: TXT, dns: [`txt-record=${NAME}.acme.test,"verify=1"`], found: { state: 'missing', foundAt: `${NAME}.acme.test` }, shown: `missing: found at ${NAME}.acme.test, where the domain is twice in the name` },
    { source: 'a form that adds the domain, next to another record', listed: TXT, dns: [`txt-record=${NAME}.trust.acme.test,"verify=1"`, `txt-record=${NAME},"verify=0"`], found: { state: 'different', actual: ['verify=0'], foundAt: `${NAME}.trust.acme.test` } },
    { source: 'a form that adds the zone to the name of a CNAME', domain: 'acme.test', listed: CNAME, dns: ['cname=acme.test.acme.test,cname.host.test', ADDRESSES], found: { state: 'missing', foundAt: 'acme.test.acme.test' } },
    { source: 'another record at the name with the zone twice', listed: TXT, dns: [`txt-record=${NAME}.acme.test,"verify=2"`], found: { state: 'missing' } },
    { source: 'a provider that flattens a CNAME at the apex', domain: 'acme.test', listed: CNAME, dns: [ADDRESSES, 'host-record=acme.test,192.0.2.7,2001:db8::7'], found: { state: 'flattened', actual: ['A 192.0.2.7', 'AAAA 2001:db8::7'] }, shown: 'flattened: A 192.0.2.7, AAAA 2001:db8::7' },
    { source: 'a provider that flattens only the IPv4 addresses', domain: 'acme.test', listed: CNAME, dns: [ADDRESSES, 'host-record=acme.test,192.0.2.7'], found: { state: 'flattened', actual: ['A 192.0.2.7'] } },
    { source: 'addresses of another host at the apex', domain: 'acme.test', listed: CNAME, dns: [ADDRESSES, 'host-record=acme.test,192.0.2.8,2001:db8::7'], found: { state: 'different', actual: ['A 192.0.2.8', 'AAAA 2001:db8::7'] } },
  ])('$source', async (situation) => {
    const { listed, found, shown } = situation;
    const result = await check(situation, ['--json']);
    expect(result.json()).toMatchObject([{ dns: [{ expected: listed.value, ...found }] }]);
    if (found.foundAt === undefined) expect(result.stdout).not.toContain('foundAt');
    if (shown !== undefined) expect((await check(situation, [])).stdout).toContain(`${shown}\n`);
  });
});
