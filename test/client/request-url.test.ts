import { describe, expect, it } from 'vitest';
import { rawUrl } from '../../src/client/request-url.ts';

const BASE = new URL('https://gate.acme.test/org/a');
const url = (raw: string, query: [string, string][] = []) => rawUrl(BASE, { raw, query }).href;

describe('a path on the command line', () => {
  it.each([
    ['v1/roles', 'https://gate.acme.test/org/a/v1/roles'],
    ['/v1/roles', 'https://gate.acme.test/org/a/v1/roles'],
    ['v1/findings?scope=people&x=1', 'https://gate.acme.test/org/a/v1/findings?scope=people&x=1'],
    ['v1/roles/rol 1', 'https://gate.acme.test/org/a/v1/roles/rol%201'],
    ['v1/roles/a%2Fb', 'https://gate.acme.test/org/a/v1/roles/a%2Fb'],
    ['v1/find?next=../x?y', 'https://gate.acme.test/org/a/v1/find?next=../x?y'],
    ['', 'https://gate.acme.test/org/a/'],
  ])('resolves %j to %s', (raw, href) => {
    expect(url(raw)).toBe(href);
  });

  it('adds further pairs to its query', () => {
    const pairs: [string, string][] = [
      ['ids[]', 'a&b'],
      ['ids[]', 'c d'],
    ];
    expect(url('v1/x', pairs)).toBe('https://gate.acme.test/org/a/v1/x?ids%5B%5D=a%26b&ids%5B%5D=c%20d');
    expect(url('v1/x?y=1', [['z', '2']])).toBe('https://gate.acme.test/org/a/v1/x?y=1&z=2');
  });

  it.each(['https://acme.test/v1', 'https://gate.acme.test/org/a/v1', '//evil.test/v1'])(
    'rejects the URL %j',
    (raw) => {
      expect(() => url(raw)).toThrow('the path is a URL');
    },
  );

  it.each(['..', 'v1/../x', 'v1/%2e%2E/x', '../../b/v1'])('rejects %j, which leaves the base path', (raw) => {
    expect(() => url(raw)).toThrow('"." and ".." cannot be part of a request path');
  });

  it.each(['v1\\..\\x', '\\\\evil.test', 'v1#x', 'v1\n', 'v1\u0000', '\tv1'])('rejects %j', (raw) => {
    expect(() => url(raw)).toThrow('the path contains a backslash, a #, or a control character');
  });
});
