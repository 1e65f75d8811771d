import { describe, expect, it } from 'vitest';
import { AnnouncedLimit } from '../../../src/client/http/announced-limit.ts';

const NOW = 1_000_000;
/** Added to a reset, so that the request arrives after it. */
const MARGIN = 50;

/** Returns a limit after a response that arrived at `seenAt`. */
function announcedLimit(remaining: number, resetMs: number, { limit = 100, seenAt = NOW } = {}): AnnouncedLimit {
  const announced = new AnnouncedLimit();
  announced.update({ policy: '', limit, remaining, resetMs, seenAt });
  return announced;
}

const report = (remaining: number, resetMs: number, seenAt: number, policy = '') => ({
  ...{ policy, limit: 100, remaining, resetMs, seenAt },
});

describe('the limit that responses announce', () => {
  it('says nothing before the first response, or without a reset', () => {
    const announced = new AnnouncedLimit();
    announced.update({ policy: '', limit: 100, remaining: 0, resetMs: undefined, seenAt: NOW });
    announced.update({ policy: '', limit: 100, remaining: undefined, resetMs: 5_000, seenAt: NOW });
    expect([announced.opensAt(NOW, 0), announced.retryAt(NOW)]).toEqual([undefined, undefined]);
  });

  it('opens at the reset if nothing remains', () => {
    const announced = announcedLimit(0, 42_000);
    expect(announced.opensAt(NOW, 0)).toBe(NOW + 42_000 + MARGIN);
    expect(announced.opensAt(NOW, 1)).toBe(NOW + 42_000 + MARGIN);
    expect(announced.retryAt(NOW)).toBe(NOW + 42_000 + MARGIN);
  });

  it('allows as many requests in flight as remain', () => {
    const announced = announcedLimit(2, 42_000);
    expect(announced.opensAt(NOW, 1)).toBe(NOW);
    expect(announced.opensAt(NOW, 2)).toBe(Number.POSITIVE_INFINITY);
    expect(announced.retryAt(NOW)).toBeUndefined();
  });

  it('allows one request after a wait for the reset, and all others once the service has responded to it', () => {
    const announced = announcedLimit(0, 1_000);
    const reset = NOW + 1_000 + MARGIN;
    expect(announced.opensAt(reset - 1, 0)).toBe(reset);
    expect(announced.opensAt(reset, 0)).toBe(reset);
    expect(announced.opensAt(reset, 1)).toBe(Number.POSITIVE_INFINITY);
    announced.update(report(99, 60_000, reset + 10));
    expect(announced.opensAt(reset + 10, 98)).toBe(reset + 10);
  });

  it('allows the entire limit after a reset that nothing had to wait for', () => {
    const announced = announcedLimit(5, 1_000, { limit: 10 });
    const reset = NOW + 1_000 + MARGIN;
    expect(announced.opensAt(reset, 9)).toBe(reset);
    expect(announced.opensAt(reset, 10)).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps the fewest remaining requests of a window, whose responses may arrive in any order', () => {
    const announced = announcedLimit(0, 5_000);
    announced.update(report(3, 5_900, NOW + 100));
    expect(announced.opensAt(NOW + 100, 0)).toBe(NOW + 5_000 + MARGIN);
  });

  it.each([
    ['another window', report(3, 60_000, NOW + 100)],
    ['another policy', report(3, 5_000, NOW + 100, 'daily')],
  ])('follows a response about %s', (_name, next) => {
    const announced = announcedLimit(0, 5_000);
    announced.update(next);
    expect(announced.opensAt(NOW + 100, 0)).toBe(NOW + 100);
  });

  it('ignores a reset that is more than ten minutes ahead', () => {
    expect(announcedLimit(0, 600_000).opensAt(NOW, 0)).toBe(NOW + 600_000 + MARGIN);
    const late = announcedLimit(0, 600_001);
    expect([late.opensAt(NOW, 0), late.retryAt(NOW)]).toEqual([NOW, undefined]);
  });
});
