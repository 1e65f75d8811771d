import { describe, expect, it } from 'vitest';
import { parseRateLimit, parseRetryAfter } from '../../../src/client/http/rate-limit-headers.ts';

/** 2026-11-22T10:00:00Z. */
const NOW = 1_795_341_600_000;

describe('parseRateLimit', () => {
  it.each<[string, Record<string, string | string[]>, [string, number?, number?, number?]]>([
    ['RateLimit of the IETF draft', { ratelimit: '"default";r=50;t=30' }, ['default', undefined, 50, 30_000]],
    [
      'RateLimit with its policy',
      { ratelimit: '"default";r=0;t=42', 'ratelimit-policy': '"default";q=100;w=60' },
      ['default', 100, 0, 42_000],
    ],
    [
      'several policies, of which the one with the fewest requests remaining applies',
      {
        ratelimit: '"burst;a,b";r=3;t=1, "daily";r=2;t=80000',
        'ratelimit-policy': '"burst;a,b";q=10;w=1,"daily";q=1000;w=86400;qu="requests"',
      },
      ['daily', 1000, 2, 80_000_000],
    ],
    [
      'several used-up policies, of which the one that resets last applies',
      { ratelimit: '"short";r=0;t=1, "long";r=0;t=60' },
      ['long', undefined, 0, 60_000],
    ],
    [
      'an earlier revision of the draft',
      { ratelimit: 'limit=100, remaining=50, reset=5', 'ratelimit-policy': '100;w=60' },
      ['', 100, 50, 5_000],
    ],
    [
      'RateLimit-* with a list of policies',
      { 'ratelimit-limit': '10, 10;w=1, 50;w=60', 'ratelimit-remaining': '7', 'ratelimit-reset': '1' },
      ['', 10, 7, 1_000],
    ],
    [
      'X-RateLimit-* with a reset in seconds',
      { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' },
      ['', 100, 0, 42_000],
    ],
    [
      'a reset in epoch seconds',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795341642' },
      ['', undefined, 0, 42_000],
    ],
    [
      'a reset in epoch milliseconds',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795341641500' },
      ['', undefined, 0, 41_500],
    ],
    ['a limit of which nothing is used', { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '10' }, ['', 10, 10]],
    ['a reset in hours', { 'x-ratelimit-reset': '7200' }, ['', undefined, undefined, 7_200_000]],
    ['a reset in a day', { 'x-ratelimit-reset': '86400' }, ['', undefined, undefined, 86_400_000]],
    ['a fraction of a second', { 'x-ratelimit-reset': '0.25' }, ['', undefined, undefined, 250]],
    ['a reset that has just passed', { 'x-ratelimit-reset': '1795341590' }, ['', undefined, undefined, 0]],
    [
      'names with a suffix, of which the one with the fewest requests remaining applies',
      {
        'x-ratelimit-limit-short': '10',
        'x-ratelimit-remaining-short': '1',
        'x-ratelimit-reset-short': '1',
        'x-ratelimit-limit-long': '500',
        'x-ratelimit-remaining-long': '400',
        'x-ratelimit-reset-long': '60',
      },
      ['short', 10, 1, 1_000],
    ],
    ['a billion requests', { 'x-ratelimit-remaining': '1000000000' }, ['', undefined, 1_000_000_000]],
    ['a reset a minute ago', { 'x-ratelimit-reset': '1795341540' }, ['', undefined, undefined, 0]],
    ['remaining without a reset', { 'x-ratelimit-remaining': '12' }, ['', undefined, 12]],
  ])('reads %s', (_name, headers, [policy, limit, remaining, resetMs]) => {
    expect(parseRateLimit(headers, NOW)).toEqual({ policy, limit, remaining, resetMs, seenAt: NOW });
  });

  it.each<[string, Record<string, string>]>([
    ['a response without any header', {}],
    ['a limit alone', { 'x-ratelimit-limit': '100' }],
    ['a negative number', { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '-5' }],
    ['text', { 'x-ratelimit-remaining': 'none', 'x-ratelimit-reset': 'soon', ratelimit: '"default"' }],
    ['empty values', { 'x-ratelimit-remaining': '', 'x-ratelimit-reset': '', ratelimit: '' }],
    ['over a billion requests', { 'x-ratelimit-remaining': '99999999999' }],
    ['more remaining than the limit', { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '11' }],
    ['a reset more than a day ahead', { 'x-ratelimit-reset': '1795428001' }],
    ['seconds of more than a day', { 'x-ratelimit-reset': '86401' }],
    ['a duration with a unit', { 'x-ratelimit-reset': '6m0s' }],
    ['a reset more than a minute ago', { 'x-ratelimit-reset': '1795341500' }],
    ['a reset in the last century', { 'x-ratelimit-reset': '999999999' }],
  ])('ignores %s', (_name, headers) => {
    expect(parseRateLimit(headers, NOW)).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['60', 60_000],
    [' 7 ', 7_000],
    ['1.5', 1_500],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Thursday, 01-Jan-26 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ])('reads %j as %i ms', (value, expected) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBe(expected);
  });

  it.each([undefined, '', '-1', '10abc', 'soon', '2026-01-01', 'Thu, 99 Jan 2026 00:00:30 GMT'])(
    'ignores %j',
    (value) => {
      expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBeUndefined();
    },
  );
});
