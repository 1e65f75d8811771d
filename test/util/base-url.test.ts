import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../src/util/base-url.ts';

describe('a base URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    [' https://EXAMPLE.com:8443/org/api// ', 'https://example.com:8443/org/api'],
    ['https://api.example.com/org/v1/', 'https://api.example.com/org'],
    ['https://api.example.com/v12', 'https://api.example.com/v12'],
    ['https://api.example.com/v1/org', 'https://api.example.com/v1/org'],
    ...['localhost:3000', 'localhost.', '127.255.255.254', '[::1]:8080', '[::ffff:7fff:fffe]'].map((host) => [
      `http://${host}/x`,
      `http://${host}/x`,
    ]),
  ])('is accepted without /v1 and slashes at its end, and over http only to this machine: %j', (text, href = '') => {
    expect(parseBaseUrl(text, false).href).toBe(href);
  });

  it.each([
    ...['api.example.com', '', 'https://', 'https://a.example\n.com'].map((text) => [text, 'not a valid URL']),
    ...['localhost:8080', 'ftp://example.com', 'javascript:alert(1)'].map((text) => [text, 'must start with https://']),
    ...['https://user@a.example', 'https://user:hunter2@a.example'].map((text) => [text, 'user name or password']),
    ...['https://a.example/?a=1', 'https://a.example/?', 'https://a.example/#x'].map((text) => [text, 'a query or a']),
    ...['10.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '0.0.0.0', 'app.localhost', '128.0.0.1'].map(
      (host) => [`http://${host}`, 'unencrypted'],
    ),
    ...['[::2]', '[::]', '[::ffff:8000:1]', '[::ffff:7f0:1]'].map((host) => [`http://${host}`, 'unencrypted']),
  ])('is rejected without repeating a password: %j', (text = '', message = '') => {
    const parse = () => parseBaseUrl(text, false);
    expect(parse).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringContaining(message) }));
    expect(parse).not.toThrow('hunter2');
  });

  it('may be plain http for any host if that is allowed', () => {
    expect(parseBaseUrl('http://example.com', true).href).toBe('http://example.com/');
  });
});
