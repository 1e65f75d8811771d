import { describe, expect, it } from 'vitest';
import { normalizeDomain } from '../../../src/commands/domain/dns-records.ts';
import { UsageError } from '../../../src/util/errors.ts';

describe('normalizeDomain', () => {
  it.each([
    ['trust.acme.test', 'trust.acme.test'],
    ['  Trust.ACME.Test. ', 'trust.acme.test'],
    ['https://trust.acme.test/', 'trust.acme.test'],
    ['HTTP://trust.acme.test', 'trust.acme.test'],
    ['_verify.trust.acme.test', '_verify.trust.acme.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['trust。acme。test', 'trust.acme.test'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  ])('returns $1 for $0', (written, name) => {
    expect(normalizeDomain(written)).toBe(name);
  });

  it.each([
    ['', 'it is empty'],
    [' . ', 'it is empty'],
    ['localhost', 'it has a single label'],
    ['trust.acme.test/path', 'it has a path'],
    ['trust.acme.test?x=1', 'it has a path'],
    ['trust.acme.test:8443', 'it has a port'],
    ['trust acme.test', 'it has an invalid character'],
    ['user@acme.test', 'it has an invalid character'],
    ['trust%2eacme.test', 'it has an invalid character'],
    ['192.0.2.7', 'it is an address'],
    ['0x7f.1', 'it is an address'],
    ['[2001:db8::1]', 'it is an address'],
    ['2001:db8::1', 'it is an address'],
    ['trust..test', 'it has an empty label'],
    ['.acme.test', 'it has an empty label'],
    ['*.acme.test', '"*" is not a valid label'],
    ['-trust.acme.test', '"-trust" is not a valid label'],
    ['trust-.acme.test', '"trust-" is not a valid label'],
    [`${'a'.repeat(64)}.test`, `"${'a'.repeat(64)}" is not a valid label`],
    [`${'a.'.repeat(127)}test`, 'it has 258 characters, more than 253'],
  ])('rejects %j: %s', (written, reason) => {
    expect(() => normalizeDomain(written)).toThrow(
      new UsageError(`"${written}" is not a domain name: ${reason}`, 'Use a name such as trust.example.com.'),
    );
  });
});
