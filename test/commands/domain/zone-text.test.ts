import { describe, expect, it } from 'vitest';
import { renderZone } from '../../../src/commands/domain/zone-file.ts';

/** The zone lines of one record of trust.acme.test. */
const zoneOf = (record: { type?: string; domain?: string; value?: string }) =>
  renderZone('trust.acme.test', { domain: 'trust.acme.test', verified: false, verification: [record] });

const APEX = "a CNAME is not allowed at the apex of a zone: use your provider's ALIAS or ANAME";

describe('renderZone', () => {
  it.each([
    [{ type: 'TXT', domain: '_v.acme.test', value: 'a b' }, '_v.acme.test. IN TXT "a b"'],
    [{ type: 'txt', domain: '_V.Acme.Test.', value: 'Kept As Is' }, '_v.acme.test. IN TXT "Kept As Is"'],
    [{ type: 'TXT', domain: 'acme.test', value: 'v="1"; p=\\x' }, 'acme.test. IN TXT "v=\\"1\\"; p=\\\\x"'],
    [{ type: 'TXT', domain: 'acme.test', value: `${'a'.repeat(255)}b` }, `acme.test. IN TXT "${'a'.repeat(255)}" "b"`],
    [{ type: 'CNAME', domain: 'trust.acme.test', value: 'c.host.test' }, 'trust.acme.test. IN CNAME c.host.test.'],
    [{ type: 'CNAME', domain: 'acme.test', value: 'c.host.test' }, `; acme.test. IN CNAME c.host.test ; ${APEX}`],
    [
      { type: 'CNAME', domain: 'trust.acme.test', value: 'c.host.test\nevil.test. IN A 192.0.2.1' },
      '; trust.acme.test. IN CNAME c.host.test\\010evil.test. IN A 192.0.2.1 ; the value is not a valid domain name',
    ],
    [{ type: 'A', domain: 'acme.test', value: '192.0.2.7' }, 'acme.test. IN A 192.0.2.7'],
    [{ type: 'AAAA', domain: 'acme.test', value: '2001:db8::7' }, 'acme.test. IN AAAA 2001:db8::7'],
    [
      { type: 'A', domain: 'acme.test', value: 'c.host.test' },
      '; acme.test. IN A c.host.test ; the value is not an IPv4 address',
    ],
    [
      { type: 'CAA', domain: 'acme.test', value: '0 issue "ca.test"' },
      '; acme.test. IN CAA 0 issue "ca.test" ; unsupported record type: add it by hand',
    ],
    [
      { type: 'TXT', domain: '$INCLUDE /etc/passwd', value: 'x' },
      '; $include /etc/passwd. IN TXT x ; the name is not a valid domain name',
    ],
  ])('writes %j', (record, line) => {
    expect(zoneOf(record)).toBe(`${line}\n`);
  });

  it('adds the recommended CNAME only where the records have none', () => {
    const status = { domain: 'trust.acme.test', verified: true, cnameTarget: 'c.host.test.' };
    expect(renderZone('trust.acme.test', status)).toBe('trust.acme.test. IN CNAME c.host.test.\n');
    const verification = [{ type: 'CNAME', domain: 'trust.acme.test', value: 'd.host.test' }];
    expect(renderZone('trust.acme.test', { ...status, verification })).toBe('trust.acme.test. IN CNAME d.host.test.\n');
  });

  it('writes no CNAME next to another record of the same name', () => {
    const verification = [
      { type: 'TXT', domain: 'trust.acme.test', value: 'x' },
      { type: 'CNAME', domain: 'trust.acme.test', value: 'c.host.test' },
    ];
    expect(renderZone('trust.acme.test', { domain: 'trust.acme.test', verified: false, verification })).toBe(
      `trust.acme.test. IN TXT "x"
; trust.acme.test. IN CNAME c.host.test ; a CNAME is not allowed next to another record: use your provider's ALIAS or ANAME
`,
    );
  });

  it('states that there is nothing to add', () => {
    expect(renderZone('trust.acme.test', { domain: 'trust.acme.test', verified: true })).toBe(
      '; trust.acme.test: the service lists no records\n',
    );
  });
});
