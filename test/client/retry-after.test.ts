import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/client/service-error.ts';

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
