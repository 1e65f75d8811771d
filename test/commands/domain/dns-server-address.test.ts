import { describe, expect, it } from 'vitest';
import { parseServerAddress } from '../../../src/commands/domain/dns-records.ts';
import { UsageError } from '../../../src/util/errors.ts';

describe('parseServerAddress', () => {
  it.each([
    ['192.0.2.53', '192.0.2.53'],
    [' 192.0.2.53 ', '192.0.2.53'],
    ['192.0.2.53:5353', '192.0.2.53:5353'],
    ['192.0.2.53:65535', '192.0.2.53:65535'],
    ['2001:db8::53', '[2001:db8::53]'],
    ['::1', '[::1]'],
    ['[2001:db8::53]', '[2001:db8::53]'],
    ['[2001:db8::53]:5353', '[2001:db8::53]:5353'],
  ])('reads %j as %s', (text, address) => {
    expect(parseServerAddress(text, '--resolver')).toBe(address);
  });

  it.each([
    '',
    'ns.example.com',
    'localhost:53',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.53:',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '192.0.2.53:53x',
    '[192.0.2.53]:53',
    '[2001:db8::53]:0',
    '[2001:db8::53',
    '[ns.example.com]',
    '192.0.2.53,192.0.2.54',
  ])('rejects %j', (text) => {
    expect(() => parseServerAddress(text, '--resolver')).toThrow(
      new UsageError(
        `--resolver: "${text}" is not the address of a name server`,
        'Use an IP address, with a port unless it is 53: 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353.',
      ),
    );
  });
});
