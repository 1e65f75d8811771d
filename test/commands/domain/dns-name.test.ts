import { describe, expect, it } from 'vitest';
import { canonicalName, isDnsName } from '../../../src/commands/domain/dns-records.ts';

describe('canonicalName', () => {
  it.each([
    ['Trust.ACME.test.', 'trust.acme.test'],
    [' _Verify.acme.test ', '_verify.acme.test'],
    ['*.acme.test', '*.acme.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['_v.bücher.example.', '_v.xn--bcher-kva.example'],
    ['not a name', 'not a name'],
    ['', ''],
  ])('returns $1 for $0', (text, name) => {
    expect(canonicalName(text)).toBe(name);
  });
});

describe('isDnsName', () => {
  it.each(['acme.test', '_verify.acme.test', '*.acme.test', 'a', `${'a'.repeat(63)}.test`])('accepts %j', (name) => {
    expect(isDnsName(name)).toBe(true);
  });

  it.each([
    '',
    '.',
    'a..test',
    'acme.test.',
    'a b.test',
    '-a.test',
    'a.*.test',
    '$origin',
    'a\nb.test',
    'ä.test',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(126)}test`,
  ])('rejects %j', (name) => {
    expect(isDnsName(name)).toBe(false);
  });
});
