import { describe, expect, it } from 'vitest';
import { isLoopback, parseBaseUrl } from '../../src/util/base-url.ts';
import { UsageError } from '../../src/util/errors.ts';

describe('parseBaseUrl', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    [' https://api.example.com/ ', 'https://api.example.com/'],
    ['https://EXAMPLE.com:8443/org/api//', 'https://example.com:8443/org/api'],
    ['http://localhost:3000', 'http://localhost:3000/'],
    ['http://127.8.9.1', 'http://127.8.9.1/'],
    ['http://[::1]:80/x', 'http://[::1]/x'],
  ])('accepts %j', (text, expected) => {
    expect(parseBaseUrl(text, false).href).toBe(expected);
  });

  it.each([
    ['api.example.com', 'not a valid URL'],
    ['', 'not a valid URL'],
    ['localhost:8080', 'must start with https://'],
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
    ['http://app.localhost', 'unencrypted'],
  ])('rejects %j', (text, expectedMessage) => {
    const parse = () => parseBaseUrl(text, false);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(expectedMessage);
    expect(parse).not.toThrow('hunter2');
  });

  it.each([
    ['https://api.example.com/v1', 'https://api.example.com/'],
    ['https://api.example.com:8443/org/v1/', 'https://api.example.com:8443/org'],
    ['https://api.example.com/v12', 'https://api.example.com/v12'],
    ['https://api.example.com/v1/org', 'https://api.example.com/v1/org'],
  ])('leaves out /v1 at the end only: %j', (text, expected) => {
    expect(parseBaseUrl(text, false).href).toBe(expected);
  });

  it('accepts plain http for any host if it is allowed', () => {
    expect(parseBaseUrl('http://example.com', true).href).toBe('http://example.com/');
  });
});

describe('isLoopback', () => {
  it.each([
    ['localhost', true],
    ['LOCALHOST.', true],
    ['a.localhost', false],
    ['notlocalhost', false],
    ['127.0.0.1', true],
    ['127.255.255.254', true],
    ['128.0.0.1', false],
    ['[::1]', true],
    ['[::2]', false],
    ['[::]', false],
    ['0.0.0.0', false],
    ['[::ffff:7f00:1]', true],
    ['[::ffff:7fff:fffe]', true],
    ['[::ffff:8000:1]', false],
    ['[::ffff:7f0:1]', false],
  ])('returns $1 for the host $0', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
