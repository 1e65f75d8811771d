import { describe, expect, it } from 'vitest';
import { chooseProxy, type ProxySettings } from '../../../src/client/http/transport.ts';
import { isLoopback, parseBaseUrl } from '../../../src/util/base-url.ts';
import { UsageError } from '../../../src/util/errors.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    [' https://api.example.com/ ', 'https://api.example.com/'],
    ['https://EXAMPLE.com:8443/org/api//', 'https://example.com:8443/org/api'],
    ['http://localhost:3000', 'http://localhost:3000/'],
    ['http://app.localhost', 'http://app.localhost/'],
    ['http://127.8.9.1', 'http://127.8.9.1/'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
  ])('accepts %j', (text, expected) => {
    expect(parseBaseUrl(text, false).href).toBe(expected);
  });

  it.each([
    ['api.example.com', 'not a valid URL'],
    ['', 'not a valid URL'],
    ['https://', 'not a valid URL'],
    ['ftp://example.com', 'must start with https://'],
    ['javascript:alert(1)', 'must start with https://'],
    ['https://user@example.com', 'user name or password'],
    ['https://user:hunter2@example.com', 'user name or password'],
    ['https://example.com/?a=1', 'query or a fragment'],
    ['https://example.com/?', 'query or a fragment'],
    ['https://example.com/#x', 'query or a fragment'],
    ['http://example.com', 'unencrypted'],
    ['http://10.0.0.1', 'unencrypted'],
    ['http://127.0.0.1.example.com', 'unencrypted'],
    ['http://localhost.example.com', 'unencrypted'],
    ['http://0.0.0.0', 'unencrypted'],
  ])('rejects %j', (text, expectedMessage) => {
    const parse = () => parseBaseUrl(text, false);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(expectedMessage);
    expect(parse).not.toThrow('hunter2');
  });

  it('accepts plain http for any host if it is allowed', () => {
    expect(parseBaseUrl('http://example.com', true).href).toBe('http://example.com/');
  });
});

describe('isLoopback', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST.', true],
    ['a.localhost', true],
    ['notlocalhost', false],
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['128.0.0.1', false],
    ['[::1]', true],
    ['[::2]', false],
  ])('returns $1 for the host $0', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});

describe('chooseProxy', () => {
  const BOTH: ProxySettings = { http: 'http://plain:3128', https: 'http://secure:3128' };
  const chosen = (url: string, settings: ProxySettings) => chooseProxy(new URL(url), settings)?.url.origin;

  it.each<[string, ProxySettings, string | undefined]>([
    ['https://api.example.com', BOTH, 'http://secure:3128'],
    ['http://api.example.com', BOTH, 'http://plain:3128'],
    ['https://api.example.com', { http: 'http://plain:3128' }, undefined],
    ['https://api.example.com', { https: '' }, undefined],
    ['https://api.example.com', { https: 'secure:3128' }, 'http://secure:3128'],
    ['https://api.example.com', { https: 'https://secure' }, 'https://secure'],
    ['https://localhost', BOTH, undefined],
    ['http://127.0.0.1:3000', BOTH, undefined],
    ['http://[::1]:3000', BOTH, undefined],
    ['https://api.example.com', { ...BOTH, no: '*' }, undefined],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com' }, undefined],
    ['https://api.example.com', { ...BOTH, no: 'other.com, EXAMPLE.com' }, undefined],
    ['https://api.example.com', { ...BOTH, no: 'a b .example.com' }, undefined],
    ['https://api.example.com', { ...BOTH, no: '*.example.com' }, undefined],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com:443' }, undefined],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com:8443' }, 'http://secure:3128'],
    ['https://api.example.com', { ...BOTH, no: 'ample.com' }, 'http://secure:3128'],
    ['https://api.example.com', { ...BOTH, no: ', ,' }, 'http://secure:3128'],
    ['https://10.1.2.3', { ...BOTH, no: '10.0.0.0/8' }, undefined],
    ['https://11.1.2.3', { ...BOTH, no: '10.0.0.0/8' }, 'http://secure:3128'],
    ['https://10.1.2.3', { ...BOTH, no: '10.0.0.0/99' }, 'http://secure:3128'],
    ['https://10.1.2.3', { ...BOTH, no: '10.1.2.3:443' }, undefined],
    ['https://[2001:db8::1]', { ...BOTH, no: '2001:db8::1' }, undefined],
    ['https://[2001:db8::1]:8443', { ...BOTH, no: '[2001:db8::1]:8443' }, undefined],
    ['https://[2001:db8::1]', { ...BOTH, no: '2001:db8::/32' }, undefined],
  ])('chooses for %s from %j the proxy %s', (url, settings, expected) => {
    expect(chosen(url, settings)).toBe(expected);
  });

  it('removes the credentials from the URL', () => {
    const proxy = chooseProxy(new URL('https://api.example.com'), { https: 'http://me:100%@proxy:8080' });
    expect(proxy?.url.href).toBe('http://proxy:8080/');
    expect(proxy?.authorization).toBe('Basic bWU6MTAwJQ==');
  });

  it.each(['socks5://me:hunter2@proxy', 'http://', 'http://me:hunter2@:0:0'])(
    'rejects %j without repeating it',
    (https) => {
      const choose = () => chooseProxy(new URL('https://api.example.com'), { https });
      expect(choose).toThrow('the proxy in HTTPS_PROXY is not an http:// or https:// URL');
    },
  );
});
