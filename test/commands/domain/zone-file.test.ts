import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderZone } from '../../../src/commands/domain/zone-file.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const HEAD = `$TTL 60
acme.test. IN SOA ns.acme.test. admin.acme.test. 1 60 60 60 60
acme.test. IN NS ns.acme.test.
ns.acme.test. IN A 192.0.2.53
`;

/** A zone as BIND reads it, one record a line, in BIND's own spelling. */
function readByBind(zone: string): string[] {
  const file = join(temporaryFolder(), 'zone');
  writeFileSync(file, `${HEAD}${zone}`);
  const { error, status, stdout, stderr } = spawnSync('named-checkzone', ['-D', '-i', 'none', 'acme.test', file], {
    encoding: 'utf8',
  });
  if (error !== undefined) throw new Error('named-checkzone is missing: install the Debian package bind9-utils');
  if (status !== 0) throw new Error(`BIND rejects the zone: ${stdout}${stderr}`);
  return stdout.split('\n').filter((line) => line !== '' && !/\s(SOA|NS)\s|^ns\.|^OK$/.test(line));
}

/** The bytes of a TXT record in BIND's spelling: quoted strings, `\\DDD` and `\\c` for what needs it. */
function bytesOf(line: string): Buffer {
  const strings = line.replace(/^\S+\s+\d+\s+IN\s+TXT\s+/, '').match(/"(?:\\.|[^"\\])*"/gs) ?? [];
  const text = strings.map((quoted) => quoted.slice(1, -1)).join('');
  const bytes = text.replace(/\\(\d{3}|.)/g, (_, escaped: string) =>
    escaped.length === 3 ? String.fromCharCode(Number(escaped)) : escaped,
  );
  return Buffer.from(bytes, 'latin1');
}

describe('a zone file', () => {
  it('is read by BIND as exactly the given values, whatever their characters', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.string({ unit: 'binary-ascii', minLength: 250, maxLength: 260 }),
      fc.constantFrom('"', '\\', ';', '\n$INCLUDE /etc/passwd\n', '( a', '"\nevil.acme.test. IN A 192.0.2.1', '\\"'),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 50, maxLength: 100 }), (values) => {
        const verification = values.map((text, at) => ({ type: 'TXT', domain: `r${at}.acme.test`, value: text }));
        const lines = readByBind(renderZone('acme.test', { domain: 'acme.test', verified: false, verification }));
        const read = new Map(lines.map((line) => [line.split('.')[0], bytesOf(line).toString()]));
        expect(lines).toHaveLength(values.length);
        for (const [at, text] of values.entries()) expect(read.get(`r${at}`)).toBe(Buffer.from(text).toString());
      }),
      { numRuns: 4 },
    );
  });

  it('is read by BIND with records of every type, without the comments', () => {
    const record = (type: string, domain: string, value: string) => ({ type, domain, value });
    const verification = [
      record('A', 'acme.test', '192.0.2.7'),
      record('AAAA', 'acme.test', '2001:db8::7'),
      record('CNAME', 'acme.test', 'c.host.test'),
      record('CNAME', 'trust.acme.test', 'C.host.test'),
      record('CNAME', '*.acme.test', 'c.host.test.'),
      record('A', 'bad.acme.test', '192.0.2.7\nevil.acme.test. IN A 192.0.2.1'),
      record('MX', 'acme.test', '10 mx.acme.test.'),
      record('T\nXT', 'acme.test', 'x'),
      record('TXT', 'acme.test\nevil.acme.test. IN A 192.0.2.1', 'x'),
    ];
    const lines = readByBind(renderZone('acme.test', { domain: 'acme.test', verified: false, verification }));
    expect(lines.map((line) => line.split(/\s+/).join(' ')).toSorted()).toEqual([
      '*.acme.test. 60 IN CNAME c.host.test.',
      'acme.test. 60 IN A 192.0.2.7',
      'acme.test. 60 IN AAAA 2001:db8::7',
      'trust.acme.test. 60 IN CNAME c.host.test.',
    ]);
  });
});
