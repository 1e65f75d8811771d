import { describe, expect, it } from 'vitest';
import { normalizeDomain } from '../../../src/commands/domain/domain-name.ts';
import { UsageError } from '../../../src/util/errors.ts';

describe('normalizeDomain', () => {
  it.each([
    ['trust.acme.test', 'trust.acme.test'],
    ['Trust.ACME.Test.', 'trust.acme.test'],
    ['https://trust.acme.test/', 'trust.acme.test'],
    ['_verify.trust.acme.test', '_verify.trust.acme.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  ])('returns $1 for $0', (written, name) => {
    expect(normalizeDomain(written)).toBe(name);
  });

  it.each([
    '',
    'localhost',
    'trust.acme.test/path',
    'trust.acme.test?x',
    'trust.acme.test:8443',
    '192.0.2.7',
    '[2001:db8::1]',
    'trust..test',
    '*.acme.test',
    '-trust.acme.test',
    `${'a'.repeat(64)}.test`,
    `${'a.'.repeat(127)}test`,
  ])('rejects %j', (written) => {
    expect(() => normalizeDomain(written)).toThrow(UsageError);
  });
});
