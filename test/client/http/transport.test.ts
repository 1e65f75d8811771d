import { describe, expect, it } from 'vitest';
import { chooseProxy, type ProxySettings } from '../../../src/client/http/transport.ts';

describe('chooseProxy', () => {
  const BOTH: ProxySettings = { http: 'http://plain:3128', https: 'http://secure:3128' };
  const chosen = (url: string, settings: ProxySettings) => chooseProxy(new URL(url), settings)?.url.origin;

  it.each<[string, ProxySettings, string]>([
    ['https://api.example.com', BOTH, 'http://secure:3128'],
    ['http://api.example.com', BOTH, 'http://plain:3128'],
    ['https://api.example.com', { https: 'secure:3128' }, 'http://secure:3128'],
    ['https://api.example.com', { https: 'https://secure' }, 'https://secure'],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com:8443' }, 'http://secure:3128'],
    ['https://api.example.com', { ...BOTH, no: 'ample.com' }, 'http://secure:3128'],
    ['https://11.1.2.3', { ...BOTH, no: '10.0.0.0/8' }, 'http://secure:3128'],
  ])('chooses for %s from %j the proxy %s', (url, settings, expected) => {
    expect(chosen(url, settings)).toBe(expected);
  });

  it.each<[string, ProxySettings]>([
    ['https://api.example.com', { http: 'http://plain:3128' }],
    ['https://api.example.com', { https: '' }],
    ['https://localhost', BOTH],
    ['http://127.0.0.1:3000', BOTH],
    ['http://[::1]:3000', BOTH],
    ['https://api.example.com', { ...BOTH, no: '*' }],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com' }],
    ['https://api.example.com', { ...BOTH, no: 'other.com, EXAMPLE.com' }],
    ['https://api.example.com', { ...BOTH, no: '*.example.com' }],
    ['https://api.example.com', { ...BOTH, no: 'api.example.com:443' }],
    ['https://10.1.2.3', { ...BOTH, no: '10.0.0.0/8' }],
    ['https://[2001:db8::1]', { ...BOTH, no: '2001:db8::1' }],
  ])('chooses no proxy for %s from %j', (url, settings) => {
    expect(chosen(url, settings)).toBeUndefined();
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
