import { describe, expect, it } from 'vitest';
import { parseLimitReset, parseRetryAfter } from '../../../src/client/http/rate-limit-headers.ts';

/** 2026-11-22T10:00:00Z. */
const NOW = 1_795_341_600_000;

describe('parseLimitReset', () => {
  it.each<[string, Record<string, string | string[]>, number]>([
    ['RateLimit of an earlier IETF draft', { ratelimit: 'limit=100, remaining=0, reset=6' }, 6_000],
    ['RateLimit of the IETF draft', { ratelimit: '"default";r=0;t=30' }, 30_000],
    ['policies with spaces after their semicolons', { ratelimit: '"burst"; r=3; t=80, "hourly"; r=0; t=30' }, 30_000],
    [
      'several policies, of which the used-up one applies',
      { ratelimit: '"burst";r=3;t=1, "hourly";r=0;t=2000, "daily";r=2;t=80000' },
      2_000_000,
    ],
    [
      'several used-up policies, of which the one that resets last applies',
      { ratelimit: '"short";r=0;t=1, "long";r=0;t=60' },
      60_000,
    ],
    ['spaces around values', { 'x-ratelimit-remaining': ' 0 ', 'x-ratelimit-reset': ' 42 ' }, 42_000],
    ['RateLimit-*', { 'ratelimit-limit': '10, 10;w=1', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }, 1_000],
    ['X-RateLimit-* with a reset in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '42' }, 42_000],
    ['a reset in epoch seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1795341642' }, 42_000],
    ['a reset with a fraction of a second', { 'x-ratelimit-reset': '1.5' }, 1_500],
    ['a policy with a fraction of a second', { ratelimit: '"default";r=0;t=0.25' }, 250],
    ['a reset in epoch seconds with a fraction', { 'x-ratelimit-reset': '1795341642.5' }, 42_500],
    ['a reset in hours', { 'x-ratelimit-reset': '7200' }, 7_200_000],
    ['a reset in a day', { 'x-ratelimit-reset': '86400' }, 86_400_000],
    ['a reset that has just passed', { 'x-ratelimit-reset': '1795341590' }, 0],
    [
      'a reset next to a number of requests that is none',
      { 'x-ratelimit-remaining': '?', 'x-ratelimit-reset': '3' },
      3_000,
    ],
  ])('reads %s', (_name, headers, resetMs) => {
    expect(parseLimitReset(headers, NOW)).toBe(resetMs);
  });

  it.each<[string, Record<string, string>]>([
    ['a response without any header', {}],
    ['a limit alone', { 'x-ratelimit-limit': '100' }],
    ['a reset while requests remain', { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '42' }],
    ['a reset while requests of the policy remain', { ratelimit: '"default";r=50;t=30' }],
    ['the same in an earlier draft', { ratelimit: 'limit=100, remaining=3, reset=6' }],
    ['a negative number', { 'x-ratelimit-reset': '-5' }],
    ['text', { 'x-ratelimit-reset': 'soon', ratelimit: '"default"' }],
    ['empty values', { 'x-ratelimit-reset': '', ratelimit: '' }],
    ['a reset more than a day ahead', { 'x-ratelimit-reset': '1795428001' }],
    ['seconds of more than a day', { 'x-ratelimit-reset': '86401' }],
    ['a duration with a unit', { 'x-ratelimit-reset': '6m0s' }],
    ['a reset in the last century', { 'x-ratelimit-reset': '999999999' }],
  ])('ignores %s', (_name, headers) => {
    expect(parseLimitReset(headers, NOW)).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  it.each<[string, number]>([
    ['0', 0],
    ['60', 60_000],
    [' 7 ', 7_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    [' Thu, 01 Jan 2026 00:00:30 GMT ', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ])('reads %j as %i ms', (value, expected) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBe(expected);
  });

  it.each([
    undefined,
    '',
    '-1',
    '10abc',
    'soon',
    '2026-01-01',
    'Thu, 99 Jan 2026 00:00:30 GMT',
    'after Thu, 01 Jan 2026 00:00:30 GMT',
    'Thu, 01 Jan 2026 00:00:30 GMT+01:00',
  ])('ignores %j', (value) => {
    expect(parseRetryAfter(value, Date.UTC(2026, 0, 1))).toBeUndefined();
  });
});
